import { numberOfActor } from '../columns/actor-numbers.ts'
import { toColumn as toDictionary } from '../columns/dictionary.ts'
import { isTooBig } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { pause } from '../turns.ts'
import type { Field } from './expression.ts'
import {
  countPersonRows,
  type PersonColumns,
  type PersonPage,
  readPersonColumns,
  type WantedOfPersons
} from './persons.store.ts'
import { StatementError } from './statement-error.ts'
import type { AskedRows, ReadTable, TableReading } from './table-rows.ts'
import type { SqlValue } from './types.ts'
import { dictionary, flat, type Vector } from './vector.ts'

/** How much is read of persons. */
type Size = {
  /** Persons of a statement: some 500 pages of the 1,000 queries of a request. */
  most: number
  /** Persons of a page. */
  page: number
  /** Characters of properties of a page: the memory of the database is limited. */
  characters: number
}

const PLAIN: Size = { most: 2_000_000, page: 20_000, characters: 0 }
const WITH_PROPERTIES: Size = { most: 2_000_000, page: 5_000, characters: 4_000_000 }
const WITH_BODIES: Size = { most: 250_000, page: 1_000, characters: 1_000_000 }

/** Pages of a statement, of the 1,000 queries of a request. */
const MAX_PAGES = 800

/** Properties of a statement: each is a column and a value, of which the database takes 100. */
const MAX_KEYS = 80

/** Pause after a page, ms, so that other requests get the database. */
const REST_MS = 1

/** Reads the persons of a project, each once, or once for each of their distinct ids. */
export const readPersons: ReadTable = async (reading, { reach, columns, first }, take) => {
  const { work } = reading.knowledge
  const { since, until } = reach
  if (since >= until) {
    return
  }
  const wanted = wantedBy(columns)
  const size = sizeOf(wanted)
  const needed = first?.isExact ? first.count : Number.POSITIVE_INFINITY
  if (needed > size.most) {
    await expectFewPersons(reading, { since, until }, { ...wanted, most: size.most })
  }
  const isNewest = first?.isNewest ?? false
  const { characters } = size
  const limit = Math.min(size.page, needed)
  let after: { at: number; id: number } | undefined
  for (let pages = 0; ; pages += 1) {
    if (pages > MAX_PAGES) {
      throw tooLarge('The persons have too many properties: narrow created_at.')
    }
    const page = { since, until, isNewest, after, limit, characters }
    const found = await readPage(reading, page, wanted)
    await pause(REST_MS)
    await work.turns.giveIfAwaited()
    const { ids, times } = found
    const { length } = ids
    const vectors = new Map(
      columns.map(({ key, field }) => [key, vectorOf(field, found, wanted)] as const)
    )
    if (length === 0 || !take({ length, columns: vectors, from: 0, until: length })) {
      return
    }
    after = { at: times.at(-1) ?? 0, id: ids.at(-1) ?? 0 }
  }
}

/** Reads a page, or a shorter one if the answer is too large. @throws query_too_large, attr `rows` */
async function readPage(
  reading: TableReading,
  page: PersonPage,
  wanted: WantedOfPersons
): Promise<PersonColumns> {
  const { db, projectId } = reading.knowledge.scan
  try {
    return await readPersonColumns(db, projectId, page, wanted)
  } catch (error) {
    if (!isTooBig(error)) {
      throw error
    }
    if (page.limit <= 1) {
      throw tooLarge('A person has too many distinct ids to be listed.')
    }
    return readPage(reading, { ...page, limit: Math.ceil(page.limit / 2) }, wanted)
  }
}

/** @throws query_too_large, attr `rows` */
async function expectFewPersons(
  { knowledge: { scan } }: TableReading,
  created: { since: number; until: number },
  { distinctIds, most }: { distinctIds: boolean; most: number }
): Promise<void> {
  const counting = { hasDistinctIds: distinctIds, limit: most + 1 }
  const count = await countPersonRows(scan.db, scan.projectId, created, counting)
  if (count > most) {
    throw tooLarge(`The statement would read more than ${most} persons: narrow created_at.`)
  }
}

const tooLarge = (detail: string): AppError => new AppError('query_too_large', detail, 'rows')

/** @throws StatementError for too many properties */
function wantedBy(columns: AskedRows['columns']): WantedOfPersons {
  const fields = columns.map(({ field }) => field)
  const has = (...kinds: Field['kind'][]): boolean =>
    fields.some(({ kind }) => kinds.includes(kind))
  const properties = columns.filter(({ field }) => field.kind === 'property')
  const excess = properties[MAX_KEYS]
  if (excess) {
    throw new StatementError(
      excess.at,
      `A statement reads at most ${MAX_KEYS} properties of the table persons: read properties, which has all of them.`
    )
  }
  return {
    uuids: has('person_uuid'),
    isIdentified: has('is_identified'),
    bodies: has('properties'),
    distinctIds: has('identity', 'distinct_id'),
    keys: [...new Set(fields.flatMap((field) => (field.kind === 'property' ? [field.key] : [])))]
  }
}

function sizeOf({ bodies, keys }: WantedOfPersons): Size {
  if (bodies) {
    return WITH_BODIES
  }
  return keys.length > 0 ? WITH_PROPERTIES : PLAIN
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
