import type { ProjectDb } from '../../db/client.ts'
import type { JsonObject } from '../../input/json.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import type { ActorCounts } from '../../trends/point.ts'
import type { Settings } from '../../trends/request.ts'
import { findByKind } from '../by-kind.ts'
import { listFunnelActors } from '../funnels/funnel.ts'
import { inSource } from '../paths.ts'
import { readStepOfFunnel } from './funnel-step.ts'
import { findActorsOfPoint, readPointOfTrend } from './trend-point.ts'

export type SourceScope = { db: ProjectDb; project: ProjectCalendar }

type Source<Query> = {
  /**
   * Reads the node of the source.
   * @throws errors of input whose attr is a path in the node, and query_too_large, attr the limit
   */
  read: (node: JsonObject, settings: Settings, now: Date) => Query
  /** Finds the actors with the numbers of their events. @throws the errors of `read` */
  find: (scope: SourceScope, query: Query, now: Date) => Promise<ActorCounts>
}

/** Finds the actors of a source that was read. */
export type FindActors = (scope: SourceScope) => Promise<ActorCounts>

type ReadSource = (node: JsonObject, settings: Settings, now: Date) => FindActors

const source =
  <Query>({ read, find }: Source<Query>): ReadSource =>
  (node, settings, now) => {
    const query = read(node, settings, now)
    return (scope) => find(scope, query, now)
  }

/** The readers of an `InsightActorsQuery`, by the kind of the question in its `source`. */
const INSIGHTS: Readonly<Record<string, ReadSource>> = {
  TrendsQuery: source({ read: readPointOfTrend, find: findActorsOfPoint })
}

/** The readers of sources, by their kind. */
const SOURCES: Readonly<Record<string, ReadSource>> = {
  InsightActorsQuery: (node, settings, now) =>
    findByKind(INSIGHTS, node.source, inSource).entry(node, settings, now),
  FunnelsActorsQuery: source({ read: readStepOfFunnel, find: listFunnelActors })
}

/**
 * Reads the source of an `ActorsQuery`.
 * @throws invalid_choice, attr `kind` or `source__kind`, for another kind; the errors of `Source`
 */
export function readSource(node: unknown, settings: Settings, now: Date): FindActors {
  const found = findByKind(SOURCES, node, (path) => path)
  return found.entry(found.node, settings, now)
}
