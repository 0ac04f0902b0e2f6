import { toSlotCounts } from '../columns/codec.ts'
import type { Overview } from '../columns/overview.ts'
import { SLOT } from '../columns/slots/store.ts'
import { overviewOf, readEvents } from './events.ts'
import type { Aggregate, Expression } from './expression.ts'
import { readEventNames } from './lookups.store.ts'
import type { AskedRows, TableReading, TakeChunk } from './table-rows.ts'
import { dictionary, flat, isTimeOfRow, type Vector } from './vector.ts'

/*
 * The counts of events by name and slot of a quarter of an hour, which are known without reading any
 * event: they answer how many events there were on each day.
 */

/** Whether counts by name and slot are enough for some expressions and for what they count. */
export const isCountedBySlots = (
  aggregates: readonly (Expression & Aggregate)[],
  others: readonly Expression[]
): boolean =>
  aggregates.every(
    ({ name, args, condition }) =>
      name === 'count' && args.length === 0 && !(condition && needsEvents(condition))
  ) && !others.some(needsEvents)

function needsEvents(expression: Expression): boolean {
  switch (expression.kind) {
    case 'constant':
      return false
    case 'column':
      return expression.field.kind !== 'event'
    case 'aggregate':
      return true
    default:
      return expression.args.some(
        (arg) => !(expression.isCoarse && isTimeOfRow(arg)) && needsEvents(arg)
      )
  }
}

/**
 * Reads the counts of a range as rows that stand for several events. Of slots that the range cuts,
 * the events are read. @throws query_too_large, attr `rows`
 */
export async function readCounts(
  reading: TableReading,
  asked: AskedRows,
  take: TakeChunk
): Promise<void> {
  const { reach } = asked
  const overview = await overviewOf(reading.knowledge, reach)
  const since = Math.max(reach.since, overview.first ?? reach.until)
  const [from, until] = [Math.ceil(since / SLOT) * SLOT, Math.floor(reach.until / SLOT) * SLOT]
  if (from >= until || overview.damaged.length > 0) {
    await readEvents(reading, asked, take)
    return
  }
  if (since < from) {
    await readEvents(reading, { ...asked, reach: { ...reach, since, until: from } }, take)
  }
  const counts = countsOf(overview, from, until)
  const length = counts.weights.length
  const columns = await vectorsOf(reading, asked.columns, counts)
  take({ length, columns, weights: counts.weights, from: 0, until: length })
  if (until < reach.until) {
    await readEvents(reading, { ...asked, reach: { ...reach, since: until } }, take)
  }
}

/** `weights[i]` events of the name `eventIds[i]` happened in the slot that begins at `times[i]`. */
type Counts = { eventIds: number[]; times: number[]; weights: number[] }

function countsOf({ segments, loose }: Overview, from: number, until: number): Counts {
  const counts: Counts = { eventIds: [], times: [], weights: [] }
  const add = (eventId: number, slot: number, count: number): void => {
    const time = slot * SLOT
    if (count > 0 && time >= from && time < until) {
      counts.eventIds.push(eventId)
      counts.times.push(time)
      counts.weights.push(count)
    }
  }
  for (const { eventId, slots, late } of segments) {
    for (const { slot, count } of [...toSlotCounts(slots), ...late]) {
      add(eventId, slot, count)
    }
  }
  for (const [i, slot] of loose.slots.entries()) {
    add(loose.eventIds[i] ?? 0, slot, loose.counts[i] ?? 0)
  }
  return counts
}

async function vectorsOf(
  { knowledge }: TableReading,
  columns: AskedRows['columns'],
  { eventIds, times }: Counts
): Promise<Map<string, Vector>> {
  const { db, projectId } = knowledge.scan
  const hasNames = columns.some(({ field }) => field.kind === 'event')
  const names = hasNames ? await readEventNames(db, projectId) : new Map<number, string>()
  const ids = [...new Set(eventIds)]
  const codes = new Map(ids.map((id, code) => [id, code]))
  const vectors = {
    event: () =>
      dictionary(
        Uint32Array.from(eventIds, (id) => codes.get(id) ?? 0),
        ids.map((id) => names.get(id) ?? '')
      ),
    timestamp: () => flat(Float64Array.from(times))
  }
  return new Map(
    columns.map(({ key, field }) => [
      key,
      field.kind === 'event' ? vectors.event() : vectors.timestamp()
    ])
  )
}
