import type { Scopes } from '../access/credentials.ts'
import type { ProjectRow } from '../access/store.ts'
import type { Overviews } from '../columns/sealed.ts'
import type { ProjectDb, Usage } from '../db/client.ts'
import type { Json, JsonObject } from '../input/json.ts'
import type { ListScope } from '../sql/row-limit.ts'
import { toTable } from '../trends/answer.ts'
import { readTrendsNode, type Settings } from '../trends/request.ts'
import { readActors } from './actors/request.ts'
import type { DrawingPlace, DrawnQuestion } from './drawing.ts'
import { readEvents } from './events/request.ts'
import { readFunnels } from './funnels/query.ts'
import { readLifecycle } from './lifecycle/query.ts'
import { tableOfRows } from './list-answer.ts'
import { type Answers, loadAnswers } from './load-answers.ts'
import { readRetention } from './retention/query.ts'
import { readStatement } from './sql/view.ts'
import { readStickiness } from './stickiness/query.ts'
import { readWebOverview, readWebTable } from './web/query.ts'

/** Where a question is computed. `usage` is that of the request; `found` was read ahead. */
export type QuestionScope = {
  db: ProjectDb
  project: ProjectRow
  usage: Usage
  found?: Overviews | undefined
} & ListScope

/** Where a question for numbers is computed. */
export type DrawingScope = Omit<QuestionScope, 'usage'>

/** What a question answers: `results`, and the other members that only its kind has. */
export type QuestionAnswer = { results: unknown }

/**
 * Reads a node of a kind, whose `DataVisualizationNode`, if there is one, is its `view`.
 * @throws errors of input whose attr is a path in the node, and query_too_large, attr the limit
 */
type Read<Query> = (
  node: JsonObject,
  settings: Settings,
  now: Date,
  view: JsonObject | undefined
) => Query

/** @throws the errors of `Read` */
type Compute<Scope, Query, Answer> = (scope: Scope, query: Query, now: Date) => Promise<Answer>

type Definition<Query, Answer> = {
  read: Read<Query>
  compute: (answers: Answers) => Compute<QuestionScope, Query, Answer>
  /** Returns an answer as a table, whose first row is the header. */
  toTable: (answer: Answer) => Json[][]
  /** Returns lists of scopes: a key needs one of each. By default, one of `NUMBERS`. */
  needs?: (query: Query) => readonly Scopes[]
  /** How a question is checked and drawn, if its answer can be drawn. */
  show?: (query: Query, now: Date) => Pick<ReadQuestion, 'check' | 'draw'>
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
  /**
   * Computes the answer as a table, whose first row is the header; undefined for answers that are no
   * table. @throws the errors of `compute`
   */
  tabulate?: (scope: QuestionScope) => Promise<Json[][]>
  /** Finds what is wrong with a question that reading it does not find. @throws those errors */
  check?: (scope: DrawingScope) => Promise<void>
  /** Computes and draws the answer; undefined for rows. @throws the errors of `compute` */
  draw?: (scope: DrawingScope, asked: AskedDrawing) => Promise<DrawnQuestion>
}

/** What is asked of a drawing. */
export type AskedDrawing = {
  /** Where the range ends at the latest, ms UTC. */
  until?: number | undefined
  /** Whether its figures are compared with the period before. */
  isCompared?: boolean
}

/** A kind of questions. */
export type QuestionKind = {
  read: Read<ReadQuestion>
  takesFilters: boolean
}

/** The scopes for numbers, which name no person. */
export const NUMBERS: Scopes = ['query:read', 'insight:read']

/** The scope for persons. */
export const PERSONS: Scopes = ['person:read']

const define = <Query, Answer extends QuestionAnswer>({
  read,
  compute: computeOf,
  toTable,
  needs = () => [NUMBERS],
  show = () => ({}),
  takesFilters = false
}: Definition<Query, Answer>): QuestionKind => ({
  read(node, settings, now, view) {
    const query = read(node, settings, now, view)
    const compute = async (scope: QuestionScope) =>
      computeOf(await loadAnswers())(scope, query, now)
    return {
      needs: needs(query),
      compute,
      tabulate: async (scope) => toTable(await compute({ ...scope, isExport: true })),
      ...show(query, now)
    }
  },
  takesFilters
})

/** How the answers of a kind are drawn. */
type Drawer<Query, Answer> = {
  compute: Compute<DrawingScope, Query, Answer & QuestionAnswer>
  /** @param place `before` is the answer for the period before, if it was computed */
  draw: (
    query: Query,
    answer: Answer,
    place: DrawingPlace & { before?: Answer | undefined }
  ) => DrawnQuestion
  /** Ends a query's range, ms UTC. Without this, a range always ends as it was asked for. */
  endAt?: (query: Query, until: number) => Query
  /** Returns a query whose answer also has the numbers of the period before. */
  compare?: (query: Query) => Query
  /** Returns the query of the period before, if another answer has its numbers. */
  earlier?: (query: Query, project: ProjectRow) => Query | undefined
}

/** Defines a kind that can be drawn; dashboards' filters can be laid over it. */
const defineDrawn = <Query, Answer>(
  read: Read<Query>,
  drawerOf: (answers: Answers) => Drawer<Query, Answer>
): QuestionKind => ({
  read(node, settings, now, view) {
    const query = read(node, settings, now, view)
    return {
      needs: [NUMBERS],
      compute: async (scope) => drawerOf(await loadAnswers()).compute(scope, query, now),
      async draw(scope, { until, isCompared }) {
        const { project } = scope
        const { compute, draw, endAt, compare, earlier } = drawerOf(await loadAnswers())
        const ended = until !== undefined && endAt ? endAt(query, until) : query
        const asked = isCompared && compare ? compare(ended) : ended
        const answer = await compute(scope, asked, now)
        const previous = isCompared ? earlier?.(asked, project) : undefined
        const before = previous && (await compute(scope, previous, now))
        return draw(asked, answer, { project, now, before })
      }
    }
  },
  takesFilters: true
})

/** The questions that can be asked, by the `kind` of their node. */
export const KINDS: Readonly<Record<string, QuestionKind>> = {
  TrendsQuery: define({
    read: readTrendsNode,
    compute: ({ computeTrends }) => computeTrends,
    toTable: ({ results }) => toTable({ result: results }),
    takesFilters: true
  }),
  FunnelsQuery: defineDrawn(readFunnels, (answers) => ({
    compute: answers.computeFunnels,
    draw: answers.drawFunnelAnswer,
    endAt: answers.endRange,
    earlier: answers.earlierFunnel
  })),
  RetentionQuery: defineDrawn(readRetention, (answers) => ({
    compute: answers.computeRetention,
    draw: answers.drawRetentionAnswer
  })),
  StickinessQuery: defineDrawn(readStickiness, (answers) => ({
    compute: answers.computeStickiness,
    draw: answers.drawStickinessAnswer
  })),
  LifecycleQuery: defineDrawn(readLifecycle, (answers) => ({
    compute: answers.computeLifecycle,
    draw: answers.drawLifecycleAnswer
  })),
  WebOverviewQuery: defineDrawn(readWebOverview, (answers) => ({
    compute: answers.computeWebOverview,
    draw: answers.drawWebOverview,
    endAt: answers.endRange,
    compare: answers.compareWeb
  })),
  WebStatsTableQuery: defineDrawn(readWebTable, (answers) => ({
    compute: answers.computeWebTable,
    draw: answers.drawWebTable,
    endAt: answers.endRange,
    compare: answers.compareWeb
  })),
  EventsQuery: define({
    read: readEvents,
    compute: ({ computeEvents }) => computeEvents,
    toTable: tableOfRows,
    needs: (query) => {
      const { namesPersons } = 'list' in query ? query.list : query
      return [['query:read'], ...(namesPersons ? [PERSONS] : [])]
    }
  }),
  ActorsQuery: define({
    read: readActors,
    compute: ({ computeActors }) => computeActors,
    toTable: tableOfRows,
    needs: () => [NUMBERS, PERSONS]
  }),
  HogQLQuery: define({
    read: readStatement,
    compute: ({ computeSql }) => computeSql,
    toTable: tableOfRows,
    needs: ({ namesPersons }) => [['query:read'], ...(namesPersons ? [PERSONS] : [])],
    show: (statement, now) => ({
      async check(scope) {
        const { checkSql, expectColumns } = await loadAnswers()
        expectColumns(statement.view, await checkSql(scope, statement, now))
      },
      async draw(scope) {
        const { computeSql, drawStatement } = await loadAnswers()
        const answer = await computeSql(scope, statement, now)
        return drawStatement(statement, answer, { project: scope.project, now })
      }
    })
  })
}
