import type { Batch } from '../columns/batch.ts'
import type { Column as StoredColumn } from '../columns/column.ts'
import { Filter } from '../columns/filter.ts'
import { Overview } from '../columns/overview.ts'
import { findOverviews, keyOfStretch } from '../columns/sealed.ts'
import { SLOT } from '../columns/slots/store.ts'
import { AppError } from '../errors.ts'
import type { Json } from '../input/json.ts'
import { leavesOf, type Property } from '../properties/filter.ts'
import { type EventNeeds, type Knowledge, readSteps, sectionsOf } from '../trends/count.ts'
import { expectReadable } from '../trends/plan.ts'
import type { ColumnRead, Expression, Field } from './expression.ts'
import type { IdTexts } from './ids.ts'
import { readEventNames } from './lookups.store.ts'
import type { Reach } from './reach.ts'
import type { SqlValue } from './types.ts'
import { type Chunk, constant, dictionary, flat, type Vector } from './vector.ts'

/** Names of which the overviews are read one by one; of more, that of all events is read. */
const MAX_NAMES = 20

/** A chunk, and which of its rows are in the range of time: from `from` up to `until`. */
export type EventChunk = Chunk & { from: number; until: number }

/** Where events are read. */
export type EventReading = { knowledge: Knowledge; ids: IdTexts }

/**
 * Reads the events that a condition is about, with the columns for some fields, and gives them to
 * `take` chunk by chunk, in no order.
 * @param take returns whether to go on
 * @throws query_too_large, attr `rows`, before events are read
 */
export async function readEvents(
  { knowledge, ids }: EventReading,
  reach: Reach,
  columns: readonly (Expression & ColumnRead)[],
  take: (chunk: EventChunk) => boolean
): Promise<void> {
  const overview = await overviewOf(knowledge, reach)
  const since = Math.max(reach.since, overview.first ?? reach.until)
  const { until } = reach
  if (since >= until || reach.names?.length === 0) {
    return
  }
  const pieces = [{ since, until, point: 0 }]
  expectReadable(overview.countReads(sectionsOf({ overview, pieces })))
  const wanted = columns.map(({ field }) => field)
  const needs = needsOf(wanted, { since, until })
  const { db, projectId } = knowledge.scan
  const names = wanted.some(({ kind }) => kind === 'event')
    ? await readEventNames(db, projectId)
    : new Map<number, string>()
  const reader = new ColumnReader(knowledge, ids, names)
  let isOver = false

  const evaluate = async (batches: readonly Batch[]): Promise<[]> => {
    if (batches.length > 1) {
      await knowledge.learn(needs, batches)
    }
    for (const batch of batches) {
      await knowledge.work.turns.giveIfAwaited()
      if (isOver) {
        break
      }
      const read = new Map<string, Vector>()
      for (const { key, field } of columns) {
        read.set(key, await reader.read(batch, field))
      }
      const { length, place } = batch
      isOver = !take({ length, columns: read, from: place(since), until: place(until) })
      knowledge.forget()
    }
    return []
  }
  const source = { overview, needs, evaluate, keep: (batch: Batch) => batch }
  for await (const _ of readSteps(knowledge, { overview, pieces }, [source])) {
    if (isOver) {
      return
    }
  }
}

/** Returns the overview of the events that a condition is about. @throws query_too_large */
async function overviewOf({ scan }: Knowledge, { names, since, until }: Reach): Promise<Overview> {
  const { db, projectId } = scan
  const asked = names && names.length <= MAX_NAMES ? names : [null]
  const stretches = asked.map((event) => ({ projectId, event, since, until }))
  const found = await findOverviews(db, stretches)
  const overviews = stretches.flatMap((stretch) => found.get(keyOfStretch(stretch)) ?? [])
  const overview = Overview.join(overviews)
  if (overview.isCut) {
    throw new AppError(
      'query_too_large',
      'The events of this statement lie in too many segments: name an event, or narrow timestamp.',
      'rows'
    )
  }
  return overview
}

function needsOf(fields: readonly Field[], { since, until }: { since: number; until: number }) {
  const has = (...kinds: Field['kind'][]): boolean =>
    fields.some(({ kind }) => kinds.includes(kind))
  const needs: EventNeeds = {
    properties: fields.flatMap(propertiesOf),
    names: has('event'),
    actors: has('actor', 'person_uuid'),
    identities: has('identity', 'distinct_id'),
    sessions: has('session'),
    times: has('timestamp') || since % SLOT !== 0 || until % SLOT !== 0,
    inOrder: false
  }
  return needs
}

/** Returns the properties that a field is read from. */
function propertiesOf(field: Field): Property[] {
  if (field.kind === 'filters') {
    return leavesOf(field.group)
  }
  return field.kind === 'property' ? [{ type: field.of, key: field.key }] : []
}

/** Reads the columns of batches as vectors. */
class ColumnReader {
  readonly #knowledge: Knowledge
  readonly #ids: IdTexts
  readonly #names: ReadonlyMap<number, string>

  constructor(knowledge: Knowledge, ids: IdTexts, names: ReadonlyMap<number, string>) {
    this.#knowledge = knowledge
    this.#ids = ids
    this.#names = names
  }

  async read(batch: Batch, field: Field): Promise<Vector> {
    switch (field.kind) {
      case 'event':
        return mapColumn(batch.names, (id) => this.#names.get(Number(id)) ?? '')
      case 'timestamp':
        return flat(batch.times)
      case 'session':
        return mapColumn(batch.sessions, (id) => (id === null ? '' : String(id)))
      case 'property':
        return toVector(await this.#knowledge.values.of(batch, { type: field.of, key: field.key }))
      case 'identity':
        return flat(batch.identities)
      case 'distinct_id': {
        const texts = await this.#ids.distinctIdsOf(batch.identities)
        return texted(batch.identities, (key) => texts.get(key) ?? null)
      }
      case 'actor':
        // The list is only good until the next `forget`, as the chunk is.
        return flat(await this.#knowledge.actorsOf(batch.identities))
      case 'person_uuid': {
        const actors = await this.#knowledge.actorsOf(batch.identities)
        const uuids = await this.#ids.uuidsOf(actors)
        return texted(actors, (number) => uuids.get(number) ?? null)
      }
      case 'filters': {
        const { deciders, work, values } = this.#knowledge
        const mask = await new Filter(field.group, deciders, work).maskOf(batch, values)
        return mask ? flat(mask) : constant(1)
      }
      default:
        throw new Error(`Events have no column ${field.kind}.`)
    }
  }
}

// The cast is safe: what reads the JSON values of a property takes any JSON.
const toVector = ({ codes, values }: StoredColumn): Vector =>
  dictionary(codes, values as readonly SqlValue[])

function mapColumn(column: StoredColumn | undefined, map: (value: Json) => SqlValue) {
  if (!column) {
    throw new Error('A wanted column was not read.')
  }
  return dictionary(column.codes, column.values.map(map))
}

/** Returns the texts of numbers, each different one once. */
function texted(numbers: ArrayLike<number>, textOf: (number: number) => SqlValue): Vector {
  const places = new Map<number, number>()
  const values: SqlValue[] = []
  const codes = new Uint32Array(numbers.length)
  for (let i = 0; i < codes.length; i += 1) {
    const number = numbers[i] ?? 0
    const place = places.get(number) ?? places.size
    if (place === places.size) {
      places.set(number, place)
      values.push(textOf(number))
    }
    codes[i] = place
  }
  return dictionary(codes, values)
}
