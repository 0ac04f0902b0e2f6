import type { Batch } from '../../columns/batch.ts'
import { Filter } from '../../columns/filter.ts'
import { Grouping } from '../../columns/grouping.ts'
import { Overview } from '../../columns/overview.ts'
import { type Dimension, EventSelection } from '../../columns/selection.ts'
import { SLOT } from '../../columns/slots/store.ts'
import { type FilterGroup, leavesOf } from '../../properties/filter.ts'
import { type Planned, planTrend } from '../../trends/computation.ts'
import { type EventNeeds, readSteps } from '../../trends/count.ts'
import { expectFewRows } from '../../trends/plan.ts'
import type { TrendQuery } from '../../trends/query.ts'
import type { QuestionPlace } from '../place.ts'
import type { SessionGroups } from './groups.ts'
import type { WebSessions } from './sessions.ts'

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
  by: { dimensions: readonly Dimension[]; grouping: Grouping } | SessionGroups | undefined
  sink: ViewSink
}

/** Plans to read page views and screens. @throws query_too_large */
export async function planViews(
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
export async function readViews(
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
  const counted = tallies.map((tally) =>
    selectionOf(tally, new Filter(tally.filters, deciders, work))
  )
  const needs: EventNeeds = {
    properties: [
      ...counted.flatMap(({ dimensions }) => dimensions.map(({ property }) => property)),
      ...tallies.flatMap(({ filters }) => leavesOf(filters))
    ],
    actors: true,
    sessions: true,
    times: whole.since % SLOT !== 0 || whole.until % SLOT !== 0,
    inOrder: false
  }

  async function add(batch: Batch): Promise<void> {
    const [from, until] = [batch.place(whole?.since ?? 0), batch.place(whole?.until ?? 0)]
    const actors = await knowledge.actorsOf(batch.identities)
    const numbers = sessions.of(batch.sessions, period)
    for (const { selection, grouping, bySession, sink } of counted) {
      const selected = await selection.groupsOf(batch, values, grouping)
      const groups = bySession ? bySession.of(numbers, selected) : selected
      sink.add({ groups, actors, sessions: numbers }, from, until)
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

/** Returns how the views of a tally are selected and grouped. */
function selectionOf({ by, sink }: ViewTally, filter: Filter) {
  const bySession = by && !('dimensions' in by) ? by : undefined
  const dimensions = by && 'dimensions' in by ? by.dimensions : []
  const grouping = by && 'dimensions' in by ? by.grouping : new Grouping()
  return {
    selection: new EventSelection(filter, dimensions),
    dimensions,
    grouping,
    bySession,
    sink
  }
}
