import { numberOfActor } from '../columns/actor-numbers.ts'
import { toColumn as toDictionary } from '../columns/dictionary.ts'
import { isTooBig } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { pause } from '../turns.ts'
import type { Field } from './expression.ts'
import {
  countPersonRows,
  type PersonColumns,
  readPersonColumns,
  type WantedOfPersons
} from './persons.store.ts'
import type { ReadTable } from './table-rows.ts'
import type { SqlValue } from './types.ts'
import { dictionary, flat, type Vector } from './vector.ts'

/** Persons of a statement: 400 pages with properties, of the 1,000 queries of a request. */
const MAX_PERSONS = 2_000_000

/** Persons of a page; it takes about 20 ms. */
const PAGE = { plain: 20_000, properties: 5_000, bodies: 1_000 }

/** Pause after a page, ms, so that other requests get the database. */
const REST_MS = 1

/** Reads the persons of a project, each once, or once for each of their distinct ids. */
export const readPersons: ReadTable = async (reading, { reach, columns, first }, take) => {
  const { scan, work } = reading.knowledge
  const { db, projectId } = scan
  const { since, until } = reach
  if (since >= until) {
    return
  }
  const fields = columns.map(({ field }) => field)
  const wanted = wantedBy(fields)
  await expectFewPersons(
    async (limit) =>
      countPersonRows(
        db,
        projectId,
        { since, until },
        { hasDistinctIds: wanted.distinctIds, limit }
      ),
    first?.isExact ? first.count : undefined
  )
  const isNewest = first?.isNewest ?? false
  let limit = pageSizeOf(wanted, first?.isExact ? first.count : undefined)
  let after: { at: number; id: number } | undefined
  for (;;) {
    const page = { since, until, isNewest, after, limit }
    const found = await readPersonColumns(db, projectId, page, wanted).catch(unlessTooBig)
    await pause(REST_MS)
    if (!found && limit === 1) {
      throw new AppError(
        'query_too_large',
        'A person has too many distinct ids to be listed.',
        'rows'
      )
    }
    if (!found) {
      limit = Math.ceil(limit / 2)
      continue
    }
    const { ids, times } = found
    const { length } = ids
    await work.turns.giveIfAwaited()
    const vectors = new Map(
      columns.map(({ key, field }) => [key, vectorOf(field, found, wanted)] as const)
    )
    if (length === 0 || !take({ length, columns: vectors, from: 0, until: length })) {
      return
    }
    after = { at: times.at(-1) ?? 0, id: ids.at(-1) ?? 0 }
  }
}

/**
 * @param needed the number of rows that are enough
 * @throws query_too_large, attr `rows`
 */
async function expectFewPersons(
  count: (limit: number) => Promise<number>,
  needed = Number.POSITIVE_INFINITY
): Promise<void> {
  if (needed > MAX_PERSONS && (await count(MAX_PERSONS + 1)) > MAX_PERSONS) {
    throw new AppError(
      'query_too_large',
      `The statement would read more than ${MAX_PERSONS} persons: narrow created_at.`,
      'rows'
    )
  }
}

function unlessTooBig(error: unknown): undefined {
  if (!isTooBig(error)) {
    throw error
  }
}

function wantedBy(fields: readonly Field[]): WantedOfPersons {
  const has = (...kinds: Field['kind'][]): boolean =>
    fields.some(({ kind }) => kinds.includes(kind))
  return {
    uuids: has('person_uuid'),
    isIdentified: has('is_identified'),
    bodies: has('properties'),
    distinctIds: has('identity', 'distinct_id'),
    keys: [...new Set(fields.flatMap((field) => (field.kind === 'property' ? [field.key] : [])))]
  }
}

function pageSizeOf({ bodies, keys }: WantedOfPersons, needed = Number.POSITIVE_INFINITY): number {
  const withProperties = keys.length > 0 ? PAGE.properties : PAGE.plain
  return Math.min(bodies ? PAGE.bodies : withProperties, needed)
}

function vectorOf(field: Field, found: PersonColumns, { keys }: WantedOfPersons): Vector {
  switch (field.kind) {
    case 'actor':
      return flat(found.ids.map(numberOfActor))
    case 'person_uuid':
      return flat(found.uuids)
    case 'timestamp':
      return flat(found.times)
    case 'is_identified':
      return flat(found.isIdentified)
    case 'identity':
      return flat(found.identities)
    case 'distinct_id':
      return flat(found.distinctIds)
    case 'properties':
      return flat(found.bodies)
    case 'property': {
      const { codes, values } = toDictionary(found.properties[keys.indexOf(field.key)] ?? [])
      // The cast is safe: what reads the JSON values of a property takes any JSON.
      return dictionary(codes, values as readonly SqlValue[])
    }
    default:
      throw new Error(`Persons have no column ${field.kind}.`)
  }
}
