import type { ProjectDb } from '../../db/client.ts'
import type { JsonObject } from '../../input/json.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import type { ActorCount } from '../../trends/point.ts'
import type { Settings } from '../../trends/request.ts'
import { findByKind } from '../by-kind.ts'
import { type Answers, loadAnswers } from '../load-answers.ts'
import { inSource } from '../paths.ts'
import type { FoundColumn } from './columns.ts'
import { readStepOfFunnel } from './funnel-step.ts'
import { readBarOfLifecycle } from './lifecycle-bar.ts'
import { readRowOfRetention } from './retention-row.ts'
import { readBarOfStickiness } from './stickiness-bar.ts'
import { readPointOfTrend } from './trend-point.ts'

export type SourceScope = { db: ProjectDb; project: ProjectCalendar }

/** An actor of a source. `appearances` lists the columns of a retention table that count the actor. */
export type FoundActor = ActorCount & { appearances?: () => number[] }

type SourceKind<Query> = {
  /**
   * Reads the node of the source.
   * @throws errors of input whose attr is a path in the node, and query_too_large, attr the limit
   */
  read: (node: JsonObject, settings: Settings, now: Date) => Query
  /** Finds the actors, those with the highest `count` first. @throws the errors of `read` */
  find: (answers: Answers) => (scope: SourceScope, query: Query, now: Date) => Promise<FoundActor[]>
  /** The columns that its actors have besides those of all actors; `event_count` by default. */
  columns?: readonly FoundColumn[]
}

/** A source that was read: all that is left is to find its actors. */
export type ReadSource = {
  columns: readonly FoundColumn[]
  find: (scope: SourceScope) => Promise<FoundActor[]>
}

type SourceReader = (node: JsonObject, settings: Settings, now: Date) => ReadSource

const source =
  <Query>({ read, find, columns = ['event_count'] }: SourceKind<Query>): SourceReader =>
  (node, settings, now) => {
    const query = read(node, settings, now)
    return { columns, find: async (scope) => find(await loadAnswers())(scope, query, now) }
  }

const STICKINESS = source({
  read: readBarOfStickiness,
  find: ({ listStickiness }) => listStickiness
})

/** The readers of sources, by their kind, and by the kind of the question in them. */
const SOURCES: Readonly<Record<string, Readonly<Record<string, SourceReader>>>> = {
  InsightActorsQuery: {
    TrendsQuery: source({
      read: readPointOfTrend,
      find: ({ findActorsOfPoint }) => findActorsOfPoint
    }),
    RetentionQuery: source({
      read: readRowOfRetention,
      find: ({ listRetained }) => listRetained,
      columns: ['event_count', 'appearances']
    }),
    StickinessQuery: STICKINESS,
    LifecycleQuery: source({ read: readBarOfLifecycle, find: ({ listLifecycle }) => listLifecycle })
  },
  FunnelsActorsQuery: {
    FunnelsQuery: source({
      read: readStepOfFunnel,
      find: ({ listFunnelActors }) => listFunnelActors
    })
  },
  StickinessActorsQuery: { StickinessQuery: STICKINESS }
}

/**
 * Reads the source of an `ActorsQuery`.
 * @throws invalid_choice, attr `kind` or `source__kind`, for another kind; the errors of `SourceKind`
 */
export function readSource(sent: unknown, settings: Settings, now: Date): ReadSource {
  const { node, entry: readers } = findByKind(SOURCES, sent, (path) => path)
  return findByKind(readers, node.source, inSource).entry(node, settings, now)
}
