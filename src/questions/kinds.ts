import type { Scopes } from '../access/credentials.ts'
import type { ProjectRow } from '../access/store.ts'
import type { Overviews } from '../columns/sealed.ts'
import type { ProjectDb, Usage } from '../db/client.ts'
import type { JsonObject } from '../input/json.ts'
import { readTrendsNode, type Settings } from '../trends/request.ts'
import { computeActors } from './actors/answer.ts'
import { readActors } from './actors/request.ts'
import { computeEvents } from './events/answer.ts'
import { readEvents } from './events/request.ts'
import { computeFunnels } from './funnels/funnel.ts'
import { readFunnels } from './funnels/query.ts'
import { computeLifecycle } from './lifecycle/lifecycle.ts'
import { readLifecycle } from './lifecycle/query.ts'
import { readRetention } from './retention/query.ts'
import { computeRetention } from './retention/retention.ts'
import { readStickiness } from './stickiness/query.ts'
import { computeStickiness } from './stickiness/stickiness.ts'
import { computeTrends } from './trends.ts'

/** Where a question is computed. `usage` is that of the request; `found` was read ahead. */
export type QuestionScope = {
  db: ProjectDb
  project: ProjectRow
  usage: Usage
  found?: Overviews | undefined
}

/** What a question answers: `results`, and the other members that only its kind has. */
export type QuestionAnswer = { results: unknown }

type Definition<Query> = {
  /**
   * Reads a node of the kind.
   * @throws errors of input whose attr is a path in the node, and query_too_large, attr the limit
   */
  read: (node: JsonObject, settings: Settings, now: Date) => Query
  /** @throws the errors of `read` */
  compute: (scope: QuestionScope, query: Query, now: Date) => Promise<QuestionAnswer>
  /** Returns lists of scopes: a key needs one of each. By default, one of `NUMBERS`. */
  needs?: (query: Query) => readonly Scopes[]
  /**
   * Whether a dashboard's filters can be laid over a node: it has a `dateRange` and `properties`, and
   * refuses a `breakdownFilter` that it does not know.
   */
  takesFilters?: boolean
}

/** A question that was read: all that is left is to compute it. */
export type ReadQuestion = {
  needs: readonly Scopes[]
  /** @throws errors of input, attr the path in the node; query_too_large, attr the limit */
  compute: (scope: QuestionScope) => Promise<QuestionAnswer>
}

/** A kind of questions. */
export type QuestionKind = {
  read: (node: JsonObject, settings: Settings, now: Date) => ReadQuestion
  takesFilters: boolean
}

/** The scopes for numbers, which name no person. */
export const NUMBERS: Scopes = ['query:read', 'insight:read']

const PERSONS: Scopes = ['person:read']

const define = <Query>({
  read,
  compute,
  needs = () => [NUMBERS],
  takesFilters = false
}: Definition<Query>): QuestionKind => ({
  read(node, settings, now) {
    const query = read(node, settings, now)
    return { needs: needs(query), compute: (scope) => compute(scope, query, now) }
  },
  takesFilters
})

/** The questions that can be asked, by the `kind` of their node. */
export const KINDS: Readonly<Record<string, QuestionKind>> = {
  TrendsQuery: define({ read: readTrendsNode, compute: computeTrends, takesFilters: true }),
  FunnelsQuery: define({ read: readFunnels, compute: computeFunnels, takesFilters: true }),
  RetentionQuery: define({ read: readRetention, compute: computeRetention, takesFilters: true }),
  StickinessQuery: define({ read: readStickiness, compute: computeStickiness, takesFilters: true }),
  LifecycleQuery: define({ read: readLifecycle, compute: computeLifecycle, takesFilters: true }),
  EventsQuery: define({
    read: readEvents,
    compute: computeEvents,
    needs: ({ columns }) => [
      ['query:read'],
      ...(columns.some(({ isPersonal }) => isPersonal) ? [PERSONS] : [])
    ]
  }),
  ActorsQuery: define({
    read: readActors,
    compute: computeActors,
    needs: () => [NUMBERS, PERSONS]
  })
}
