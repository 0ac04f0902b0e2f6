import type { Bucket } from '../../calendar/buckets.ts'
import { actorOfNumber, numberOfActor } from '../../columns/actor-numbers.ts'
import { lowerBound } from '../../columns/batch.ts'
import { Grouping } from '../../columns/grouping.ts'
import { NumberMap } from '../../columns/number-map.ts'
import { SLOT } from '../../columns/slots/store.ts'
import { type Period, toAction } from '../../trends/answer.ts'
import { type Planned, planTrend } from '../../trends/computation.ts'
import { feedSink } from '../../trends/count.ts'
import { ActorCounter } from '../../trends/maths/actor-counter.ts'
import { expectFewRows, feedOf, type TrendPart } from '../../trends/plan.ts'
import { type ActorCount, byCount, findBucket } from '../../trends/point.ts'
import { sum } from '../../trends/sum.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import type { QuestionPlace } from '../place.ts'
import type { LifecycleQuery } from './query.ts'
import { type LifecycleStatus, STATUSES, StatusCounts, Statuses } from './statuses.ts'
import { readCreations } from './store.ts'

/** A status in the answer to a `LifecycleQuery`. */
export type LifecycleSeries = {
  action: object
  /** `$pageview - new` */
  label: string
  status: LifecycleStatus
  /** The persons of each bucket; dormant ones are negative. */
  data: number[]
  days: string[]
  labels: string[]
  count: number
}

/**
 * Computes how many persons are new, returning, resurrecting and dormant in each bucket.
 *
 * A person is new in the bucket of the first event that is read, if the person was created then or
 * later. Events that arrive late or are imported move a person's creation back, so this is the
 * bucket of the person's first event. A person who was created before, also by an event of another
 * name, and was not active in the bucket before, is resurrecting; so is an erased person, whose
 * creation is not known. Actors without a person have no lifecycle.
 * @throws query_too_large, attr the name of the limit
 */
export async function computeLifecycle(
  place: QuestionPlace,
  query: LifecycleQuery,
  now: Date
): Promise<{ results: LifecycleSeries[]; resolved_date_range: ResolvedRange | null }> {
  const { part, period, planned } = await planLifecycle(place, query, now)
  const counts = new StatusCounts(period.buckets.length)
  const statuses = new Statuses(await readCreated(place, period.buckets), counts.note)
  await feedSink(planned.knowledge, feedOf(part, []), new Grouping(), statuses)
  const numbers = counts.from(query.leading)
  const [series] = planned.query.series
  const results = STATUSES.map((status) => ({
    action: series ? { ...toAction(series), math: 'total' } : {},
    label: `${series?.customName ?? series?.name} - ${status}`,
    status,
    data: numbers[status],
    days: period.days.slice(query.leading),
    labels: period.labels.slice(query.leading),
    count: sum(numbers[status])
  }))
  const buckets = period.buckets.slice(query.leading)
  return { results, resolved_date_range: resolveRange({ buckets }) }
}

/** A bar of a lifecycle: `day` is one of the answer's `days`, or its place there. */
export type AskedBar = { day: string; status: LifecycleStatus }

/**
 * Lists the persons behind a bar of a lifecycle, and counts their events in its bucket; the events
 * of dormant persons lie in the bucket before.
 * @throws invalid_input, attr `day`; query_too_large, attr the name of the limit
 */
export async function listLifecycle(
  place: QuestionPlace,
  { query, bar }: { query: LifecycleQuery; bar: AskedBar },
  now: Date
): Promise<ActorCount[]> {
  const { part, period, planned } = await planLifecycle(place, query, now)
  const days = period.days.slice(query.leading)
  const bucket = findBucket(days, bar.day, 'day') + query.leading
  const isDormant = bar.status === 'dormant'
  const counted = isDormant ? bucket - 1 : bucket
  const meant = new Set<number>()
  const statuses = new Statuses(await readCreated(place, period.buckets), (status, at, actor) => {
    if (at === counted && (isDormant || status === bar.status)) {
      meant.add(actor)
    } else if (at === bucket) {
      meant.delete(actor)
    }
  })
  const counter = new ActorCounter(part, () => true)
  const pieces = part.pieces.filter(({ point }) => point <= bucket)
  const feed = { ...feedOf({ ...part, pieces }, []), listsActors: true }
  await feedSink(planned.knowledge, feed, new Grouping(), {
    add(rows, from, until, piece) {
      statuses.add(rows, from, until, piece)
      if (piece.point === counted) {
        counter.add(rows, from, until, piece)
      }
    }
  })
  return counter
    .counts()
    .filter(({ number }) => meant.has(number))
    .map(({ number, count }) => ({ actor: actorOfNumber(number), count }))
    .sort(byCount)
}

async function planLifecycle(
  { db, project, ...reading }: QuestionPlace,
  { trend }: LifecycleQuery,
  now: Date
): Promise<{ part: TrendPart; period: Period; planned: Planned }> {
  const planned = await planTrend(db, project, { query: trend, now, ...reading })
  const part = planned.parts[0]?.[0]
  if (!part) {
    throw new Error('The lifecycle has no series.')
  }
  expectFewRows(planned.query, [part])
  return { part, period: part.period, planned }
}

/**
 * Returns the bucket in which each person was created, counted from 1, by the person's number; 0
 * for persons who were created before all buckets.
 */
async function readCreated(place: QuestionPlace, buckets: readonly Bucket[]): Promise<NumberMap> {
  const since = buckets[0]?.from ?? 0
  const unit = buckets.every(({ from }) => (from - since) % SLOT === 0) ? SLOT : 1
  const starts = buckets.map(({ from }) => (from - since) / unit)
  const created = new NumberMap()
  for await (const { ids, ages } of readCreations(place, { since, unit })) {
    for (let i = 0; i < ids.length; i += 1) {
      created.set(numberOfActor(ids[i] ?? 0), lowerBound(starts, (ages[i] ?? 0) + 1))
    }
  }
  return created
}
