import type { Scopes } from '../access/credentials.ts'
import type { ProjectRow } from '../access/store.ts'
import type { Overviews } from '../columns/sealed.ts'
import type { ProjectDb, Usage } from '../db/client.ts'
import type { Json, JsonObject } from '../input/json.ts'
import type { SqlAnswer } from '../sql/answer.ts'
import type { ListScope } from '../sql/row-limit.ts'
import { type TrendAnswer, toTable } from '../trends/answer.ts'
import { readTrendsNode, type Settings } from '../trends/request.ts'
import { readActors } from './actors/request.ts'
import type { DrawingPlace, DrawnQuestion } from './drawing.ts'
import { readEvents } from './events/request.ts'
import { readFunnels } from './funnels/query.ts'
import { readLifecycle } from './lifecycle/query.ts'
import { type ListAnswer, tableOfRows } from './list-answer.ts'
import { type Answers, loadAnswers } from './load-answers.ts'
import { readRetention } from './retention/query.ts'
import { readStatement, type ShownStatement } from './sql/view.ts'
import { readStickiness } from './stickiness/query.ts'
import { readWebOverview, readWebTable } from './web/query.ts'

/** Where a question is computed. `usage` is that of the request; `found` was read ahead. */
export type QuestionScope = {
  db: ProjectDb
  project: ProjectRow
  usage: Usage
  found?: Overviews | undefined
} & ListScope

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
type Compute<Query, Answer> = (scope: QuestionScope, query: Query, now: Date) => Promise<Answer>

/** How the answers of a kind are computed and shown. */
type Answering<Query, Answer> = {
  compute: Compute<Query, Answer & QuestionAnswer>
  /** @param place `before` is the answer for the period before, if it was computed */
  draw: (
    query: Query,
    answer: Answer,
    place: DrawingPlace & { before?: Answer | undefined }
  ) => DrawnQuestion
  /** Returns an answer as a table, whose first row is the header. By default, that of its chart. */
  toTable?: (query: Query, answer: Answer) => Json[][]
  /** Finds what is wrong with a query that reading it does not find. @throws those errors */
  check?: Compute<Query, void>
  /** Ends a query's range, ms UTC. Without this, a range always ends as it was asked for. */
  endAt?: (query: Query, until: number) => Query
  /** Returns a query whose answer also has the numbers of the period before. */
  compare?: (query: Query) => Query
  /** Returns the query of the period before, if another answer has its numbers. */
  earlier?: (query: Query, project: ProjectRow) => Query | undefined
}

type Traits<Query> = {
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
  /** Computes the answer as a table, whose first row is the header. @throws the errors of `compute` */
  tabulate: (scope: QuestionScope) => Promise<Json[][]>
  /** Finds what is wrong with a question that reading it does not find. @throws those errors */
  check: (scope: QuestionScope) => Promise<void>
  /** Computes and draws the answer, which is no trend. @throws the errors of `compute` */
  draw: (scope: QuestionScope, asked: AskedDrawing) => Promise<DrawnQuestion>
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

const ANNOTATIONS: Scopes = ['annotation:read']

/** @param answeringOf is called when a question of the kind is computed */
const define = <Query, Answer>(
  read: Read<Query>,
  answeringOf: (answers: Answers) => Answering<Query, Answer>,
  { needs = () => [NUMBERS], takesFilters = true }: Traits<Query> = {}
): QuestionKind => ({
  read(node, settings, now, view) {
    const query = read(node, settings, now, view)
    const load = async () => answeringOf(await loadAnswers())
    return {
      needs: needs(query),
      compute: async (scope) => (await load()).compute(scope, query, now),
      async tabulate(scope) {
        const { tableOfChart } = await loadAnswers()
        const { compute, draw, toTable } = await load()
        const answer = await compute({ ...scope, isExport: true }, query, now)
        return toTable
          ? toTable(query, answer)
          : tableOfChart(draw(query, answer, { project: scope.project, now }).chart)
      },
      async check(scope) {
        await (await load()).check?.(scope, query, now)
      },
      async draw(scope, { until, isCompared }) {
        const { project } = scope
        const { compute, draw, endAt, compare, earlier } = await load()
        const ended = until !== undefined && endAt ? endAt(query, until) : query
        const asked = isCompared && compare ? compare(ended) : ended
        const answer = await compute(scope, asked, now)
        const previous = isCompared ? earlier?.(asked, project) : undefined
        const before = previous && (await compute(scope, previous, now))
        return draw(asked, answer, { project, now, before })
      }
    }
  },
  takesFilters
})

/** Returns the scopes that rows need. */
const needsOfRows = ({ namesPersons }: { namesPersons: boolean }): Scopes[] => [
  ['query:read'],
  ...(namesPersons ? [PERSONS] : [])
]

const toRows = (_: unknown, answer: Pick<ListAnswer, 'columns' | 'results'>): Json[][] =>
  tableOfRows(answer)

const toLines = (_: unknown, { results }: { results: TrendAnswer['result'] }): Json[][] =>
  toTable({ result: results })

/** How lists are shown. */
const asList = ({ drawList }: Answers) => ({
  draw: (_: unknown, answer: ListAnswer, place: DrawingPlace) => drawList(answer, place),
  toTable: toRows
})

/** The questions that can be asked, by the `kind` of their node. */
export const KINDS: Readonly<Record<string, QuestionKind>> = {
  TrendsQuery: define(readTrendsNode, ({ computeTrends }) => ({
    compute: computeTrends,
    draw: () => {
      throw new Error('Insights draw trends themselves.')
    },
    toTable: toLines
  })),
  FunnelsQuery: define(readFunnels, (answers) => ({
    compute: answers.computeFunnels,
    draw: answers.drawFunnelAnswer,
    endAt: answers.endRange,
    earlier: answers.earlierFunnel
  })),
  RetentionQuery: define(readRetention, (answers) => ({
    compute: answers.computeRetention,
    draw: answers.drawRetentionAnswer
  })),
  StickinessQuery: define(readStickiness, (answers) => ({
    compute: answers.computeStickiness,
    draw: answers.drawStickinessAnswer
  })),
  LifecycleQuery: define(readLifecycle, (answers) => ({
    compute: answers.computeLifecycle,
    draw: answers.drawLifecycleAnswer
  })),
  WebOverviewQuery: define(
    readWebOverview,
    (answers) => ({
      compute: answers.computeWebOverview,
      draw: answers.drawWebOverview,
      endAt: answers.endRange,
      compare: answers.compareWeb
    }),
    { needs: ({ hasAnnotations }) => [NUMBERS, ...(hasAnnotations ? [ANNOTATIONS] : [])] }
  ),
  WebStatsTableQuery: define(readWebTable, (answers) => ({
    compute: answers.computeWebTable,
    draw: answers.drawWebTable,
    toTable: answers.toWebRows,
    endAt: answers.endRange,
    compare: answers.compareWeb
  })),
  EventsQuery: define(
    readEvents,
    (answers) => ({
      compute: answers.computeEvents,
      check: answers.checkEvents,
      ...asList(answers)
    }),
    {
      needs: (query) => needsOfRows('list' in query ? query.list : query),
      takesFilters: false
    }
  ),
  ActorsQuery: define(
    readActors,
    (answers) => ({ compute: answers.computeActors, ...asList(answers) }),
    { needs: () => [NUMBERS, PERSONS], takesFilters: false }
  ),
  HogQLQuery: define<ShownStatement, SqlAnswer>(
    readStatement,
    (answers) => ({
      compute: answers.computeSql,
      draw: answers.drawStatement,
      toTable: toRows,
      check: answers.checkShown
    }),
    { needs: needsOfRows, takesFilters: false }
  )
}
