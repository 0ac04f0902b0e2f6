import type { Bucket } from '../../calendar/buckets.ts'
import type { Batch } from '../../columns/batch.ts'
import { Filter } from '../../columns/filter.ts'
import type { Grouping } from '../../columns/grouping.ts'
import { Overview } from '../../columns/overview.ts'
import { type Dimension, EventSelection } from '../../columns/selection.ts'
import { SLOT } from '../../columns/slots/store.ts'
import { type FilterGroup, leavesOf } from '../../properties/filter.ts'
import { type Planned, planTrend } from '../../trends/computation.ts'
import { type EventNeeds, readSteps } from '../../trends/count.ts'
import { expectFewRows } from '../../trends/plan.ts'
import type { TrendQuery } from '../../trends/query.ts'
import type { QuestionPlace } from '../place.ts'
import { BucketGroups, SessionGroups, WebAllowance } from './groups.ts'
import { type SessionFacts, WebSessions } from './sessions.ts'

/** Views of a batch: element i of each list belongs to view i. */
export type Views = {
  /** The group of each view, -1 if it does not count; undefined if all are in group 0. */
  groups: Int32Array | undefined
  /** The number of each view's actor. */
  actors: Int32Array
  /** The number of each view's session; -1 unless it has one that began in the period. */
  sessions: Int32Array
}

/** Takes views in any order. */
export interface ViewSink {
  /** Adds the views from `from` up to `until`. */
  add(views: Views, from: number, until: number): void
}

/** A sink, and the views that it gets. */
export type ViewTally = {
  filters: FilterGroup
  /** By what the views are grouped; undefined if all are in group 0. */
  by: EventGroups | SessionGroups | BucketGroups | undefined
  sink: ViewSink
}

/** Groups views by properties of the event or the person. */
export type EventGroups = { dimensions: readonly Dimension[]; grouping: Grouping }

/** Something that is counted from views. */
export interface ViewCount {
  /** The properties of sessions that it needs. */
  sessionGroups: readonly SessionGroups[]
  /** Begins a period, after the period before it is over. */
  begin(facts: SessionFacts, period: Bucket, allowance: WebAllowance): ViewTally[]
}

/** The periods of a question about views: the requested one and, in a comparison, an earlier one. */
export type CountedViews = { planned: Planned; periods: Bucket[] }

/**
 * Counts the page views and screens of a trend's series. They are read once, for all counts.
 * @throws query_too_large, attr the name of the limit
 */
export async function countViews(
  place: QuestionPlace,
  trend: TrendQuery,
  now: Date,
  { counts, allowance = new WebAllowance() }: { counts: ViewCount[]; allowance?: WebAllowance }
): Promise<CountedViews> {
  const planned = await planViews(place, trend, now)
  const periods = planned.periods.flatMap(({ buckets }) => buckets)
  const groups = counts.flatMap(({ sessionGroups }) => sessionGroups)
  const sessions = new WebSessions(place.db, { projectId: place.project.id, periods }, groups)
  for (const [i, period] of periods.entries()) {
    allowance.beginPeriod()
    const tallies = counts.flatMap((count) => count.begin(sessions, period, allowance))
    await readViews(planned, i, sessions, tallies)
  }
  return { planned, periods }
}

/** Plans to read page views and screens. @throws query_too_large */
async function planViews(
  { db, project, ...reading }: QuestionPlace,
  trend: TrendQuery,
  now: Date
): Promise<Planned> {
  const planned = await planTrend(db, project, { query: trend, now, ...reading })
  expectFewRows(trend, planned.parts.flat())
  return planned
}

/**
 * Reads the views of a period once, for all tallies.
 * @throws query_too_large, attr the name of the limit
 */
async function readViews(
  { parts, knowledge }: Planned,
  period: number,
  sessions: WebSessions,
  tallies: readonly ViewTally[]
): Promise<void> {
  const ofPeriod = parts.flatMap((ofSeries) => ofSeries[period] ?? [])
  const pieces = ofPeriod[0]?.pieces ?? []
  const [whole] = pieces
  if (!whole) {
    return
  }
  const overview = Overview.join(ofPeriod.map((part) => part.overview))
  const { deciders, values, work } = knowledge
  const everything = new Filter({ type: 'AND', values: [] }, deciders, work)
  const filters = new Map(
    tallies.map((tally) => [tally.filters, new Filter(tally.filters, deciders, work)])
  )
  const counted = tallies.map((tally) => ({
    ...tally,
    selection: new EventSelection(everything, dimensionsOf(tally))
  }))
  const edges = tallies.flatMap(({ by }) => (by instanceof BucketGroups ? by.buckets : []))
  const needs: EventNeeds = {
    properties: [
      ...tallies.flatMap((tally) => dimensionsOf(tally).map(({ property }) => property)),
      ...[...filters.keys()].flatMap(leavesOf)
    ],
    actors: true,
    sessions: true,
    times: [whole.since, whole.until, ...edges.flatMap(({ from, until }) => [from, until])].some(
      (time) => time % SLOT !== 0
    ),
    inOrder: false
  }

  async function add(batch: Batch): Promise<void> {
    const [from, until] = [batch.place(whole?.since ?? 0), batch.place(whole?.until ?? 0)]
    const actors = await knowledge.actorsOf(batch.identities)
    const numbers = sessions.of(batch.sessions, period)
    const matching = new Map<FilterGroup, Int32Array>()
    for (const [group, filter] of filters) {
      matching.set(group, masked(numbers, await filter.maskOf(batch, values)))
    }
    for (const { filters: own, by, selection, sink } of counted) {
      await work.turns.giveIfAwaited()
      const ofViews = matching.get(own) ?? numbers
      const groups =
        by && 'dimensions' in by
          ? await selection.groupsOf(batch, values, by.grouping)
          : groupsOf(by, batch, ofViews)
      sink.add({ groups, actors, sessions: ofViews }, from, until)
    }
    knowledge.forget()
  }

  const evaluate = async (batches: readonly Batch[]): Promise<[]> => {
    if (batches.length > 1) {
      await knowledge.learn(needs, batches)
    }
    await sessions.learn(batches.map((batch) => batch.sessions))
    for (const batch of batches) {
      await work.turns.giveIfAwaited()
      await add(batch)
    }
    return []
  }
  const source = { overview, needs, evaluate, keep: (batch: Batch) => batch }
  // The order of views makes no difference, so each batch is counted as soon as it is read.
  for await (const _ of readSteps(knowledge, { overview, pieces }, [source])) {
  }
}

const dimensionsOf = ({ by }: ViewTally): readonly Dimension[] =>
  by && 'dimensions' in by ? by.dimensions : []

function groupsOf(
  by: SessionGroups | BucketGroups | undefined,
  batch: Batch,
  sessions: Int32Array
): Int32Array | undefined {
  return by instanceof SessionGroups ? by.of(sessions) : by?.of(batch)
}

/** Returns the sessions of views, -1 for each view that a filter leaves out. */
const masked = (sessions: Int32Array, mask: Uint8Array | undefined): Int32Array =>
  mask ? sessions.map((session, i) => (mask[i] === 0 ? -1 : session)) : sessions
