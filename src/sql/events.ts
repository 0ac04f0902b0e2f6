import type { Batch } from '../columns/batch.ts'
import { Overview } from '../columns/overview.ts'
import { findUnread, type NameSpan } from '../columns/read.store.ts'
import { Reader } from '../columns/read.ts'
import { findOverviews, keyOfStretch } from '../columns/sealed.ts'
import { SLOT } from '../columns/slots/store.ts'
import { AppError } from '../errors.ts'
import { leavesOf, type Property } from '../properties/filter.ts'
import {
  type EventNeeds,
  type Knowledge,
  readSteps,
  sectionsOf,
  wantedBy
} from '../trends/count.ts'
import { expectReadable } from '../trends/plan.ts'
import { MAX_TREND_ROWS } from '../trends/query.ts'
import { EventVectors } from './event-vectors.ts'
import type { Field } from './expression.ts'
import type { Reach } from './reach.ts'
import type { AskedRows, FirstRows, TableReading, TakeChunk, TakeSlowly } from './table-rows.ts'

/** Events that a statement reads from rows for their UUIDs, in 50 queries. */
const MAX_UUIDS = 1_000_000
/** Events that a statement reads from rows with all properties, in up to 750 queries. */
const MAX_BODIES = 150_000

/**
 * Reads the events that a condition is about, in no order.
 * @throws query_too_large, attr `rows`, before events are read
 */
export async function readEvents(
  reading: TableReading,
  { reach, columns, first }: AskedRows,
  take: TakeSlowly
): Promise<void> {
  const { knowledge } = reading
  const overview = await overviewOf(knowledge, reach)
  const { since, until } = narrowTo(first, overview, {
    since: Math.max(reach.since, overview.first ?? reach.until),
    until: reach.until
  })
  if (since >= until || reach.names?.length === 0) {
    return
  }
  const pieces = [{ since, until, point: 0 }]
  const fields = columns.map(({ field }) => field)
  await expectFewEvents(knowledge, fields, { overview, pieces })
  const needs = needsOf(fields, { since, until })
  const vectors = await EventVectors.begin(reading, fields)
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
      const { length, place } = batch
      const read = await vectors.readAll(batch, columns)
      isOver = !(await take({ length, columns: read, from: place(since), until: place(until) }))
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

/** The events with one name at one time, ms UTC. */
export type Moment = { eventId: number; time: number }

/** Reads the events of some moments from rows. */
export async function readMoments(
  reading: TableReading,
  moments: readonly Moment[],
  columns: AskedRows['columns'],
  take: TakeChunk
): Promise<void> {
  const { knowledge } = reading
  const fields = columns.map(({ field }) => field)
  const needs = { ...needsOf(fields, { since: 0, until: 0 }), times: true }
  const vectors = await EventVectors.begin(reading, fields)
  const reader = new Reader(knowledge.scan, wantedBy(needs), knowledge.stepEvents)
  const spans = moments.map(
    ({ eventId, time }): NameSpan => ({
      eventId,
      since: time,
      until: time + 1
    })
  )
  for await (const batches of reader.readSpans(spans)) {
    for (const batch of batches) {
      await knowledge.work.turns.giveIfAwaited()
      const { length } = batch
      const read = await vectors.readAll(batch, columns)
      take({ length, columns: read, from: 0, until: length })
      knowledge.forget()
    }
  }
}

type Range = { since: number; until: number }

/**
 * Narrows a range of time to the slots that have the first or the last events of it, if these are
 * enough.
 */
function narrowTo(
  first: FirstRows | undefined,
  overview: Overview,
  { since, until }: Range
): Range {
  if (!first?.isExact || since >= until) {
    return { since, until }
  }
  const { isNewest, count } = first
  // Slots that the range cuts may have events outside of it.
  const [from, end] = [Math.ceil(since / SLOT) * SLOT, Math.floor(until / SLOT) * SLOT]
  const cut = overview.cutAt(from, end, { count, isNewest })
  if (cut === undefined) {
    return { since, until }
  }
  return isNewest ? { since: cut, until } : { since, until: cut }
}

/** @throws query_too_large, attr `rows` */
async function expectFewEvents(
  { scan }: Knowledge,
  fields: readonly Field[],
  read: { overview: Overview; pieces: readonly (Range & { point: number })[] }
): Promise<void> {
  const { overview, pieces } = read
  const [{ since, until } = { since: 0, until: 0 }] = pieces
  const events = overview.count(since, until)
  const whole = fields.filter(isWhole)
  if (whole.length > 0) {
    expectFewWhole(events, whole.some(({ kind }) => kind === 'properties') ? MAX_BODIES : MAX_UUIDS)
    return
  }
  const rows = overview.countReads(sectionsOf(read))
  expectReadable(rows)
  const keys = fields
    .flatMap(propertiesOf)
    .flatMap(({ type, key }) => (type === 'event' ? [key] : []))
  if (keys.length > 0 && events > MAX_TREND_ROWS) {
    const unread = new Set(await findUnread(scan.db, scan.projectId, overview.segments, keys))
    expectReadable(overview.countReads(sectionsOf(read), unread))
  }
}

/** Returns the overview of the events that a condition is about. @throws query_too_large */
export async function overviewOf(
  { scan }: Knowledge,
  { names, since, until }: Reach
): Promise<Overview> {
  const { db, projectId } = scan
  const asked = names ?? [null]
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

/** Whether only rows have a field. */
export const isWhole = ({ kind }: Field): boolean => kind === 'uuid' || kind === 'properties'

function needsOf(fields: readonly Field[], { since, until }: Range): EventNeeds {
  const has = (...kinds: Field['kind'][]): boolean =>
    fields.some(({ kind }) => kinds.includes(kind))
  const hasBody = (of: 'event' | 'person'): boolean =>
    fields.some((field) => field.kind === 'properties' && field.of === of)
  return {
    properties: fields.flatMap(propertiesOf),
    names: has('event', 'event_id'),
    actors: has('actor', 'person_uuid', 'person_created_at'),
    identities: has('identity', 'distinct_id') || hasBody('person'),
    versions: hasBody('person'),
    sessions: has('session'),
    uuids: has('uuid'),
    bodies: hasBody('event'),
    times: has('timestamp') || since % SLOT !== 0 || until % SLOT !== 0,
    inOrder: false
  }
}

/** Returns the properties that a field is read from. */
function propertiesOf(field: Field): Property[] {
  switch (field.kind) {
    case 'filters':
      return leavesOf(field.group)
    case 'property':
      return [{ type: field.of, key: field.key }]
    case 'text':
      return [{ type: 'event', key: field.key }]
    default:
      return []
  }
}

/** @throws query_too_large, attr `rows` */
function expectFewWhole(events: number, most: number): void {
  if (events > most) {
    throw new AppError(
      'query_too_large',
      `The statement would read ${events} events with their UUIDs or all their properties, and at most ${most} are allowed: narrow timestamp, or name a property, such as properties.$browser.`,
      'rows'
    )
  }
}
