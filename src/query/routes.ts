import type { Context } from 'hono'
import { v4 as uuidv4 } from 'uuid'
import * as z from 'zod'
import { allow, reading } from '../access/auth.ts'
import { expectScope } from '../access/credentials.ts'
import { toIso } from '../calendar/clock.ts'
import { canonical } from '../encoding.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { csvTable, FormatQuery, wantsCsv } from '../http/csv.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { expectNoBody, validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { isObject, type JsonObject } from '../input/json.ts'
import { Flag } from '../input/parameters.ts'
import { show } from '../input/show.ts'
import { NUMBERS, type QuestionScope, type ReadQuestion } from '../questions/kinds.ts'
import { readQuestion } from '../questions/question.ts'
import { planAhead, rememberCalendar } from '../trends/overviews-ahead.ts'
import { CANCEL, QUERY, QUERY_OF_KIND, STATUS } from './reference.ts'
import { type QueryAnswer, QueryRequest, type QueryStatus } from './schemas.ts'
import { findRun, keepRun, type QueryRun, RUN_AGE, removeRun } from './store.ts'

const KindPath = z.object({
  id: z.string().meta({ description: 'The `kind` of the query.', example: 'TrendsQuery' })
})

/** Reads the overviews of a trend together with the key check, as `insights/trend/` does. */
const asked = <Path extends z.ZodObject>(path: Path) =>
  reading({
    scopes: NUMBERS,
    path,
    query: FormatQuery,
    async plan({ projectId, now, readBody }) {
      const body = await readBody().catch(() => undefined)
      return isObject(body)
        ? planAhead(projectId, () => ({ query: body.query ?? null }), now)
        : undefined
    }
  })

const plain = asked(z.object({}))
const ofKind = asked(KindPath)

/** The casts to it are safe: a body was parsed from JSON, but the schema's type is wider. */
type QueryBody = z.output<typeof QueryRequest> & { query: JsonObject }

/** Characters of a query that is kept, as JSON. */
const MAX_KEPT = 50_000

const RunPath = z.object({ id: z.string().meta({ description: 'The id of the query.' }) })

const PROGRESS = 'Has no effect: a query is complete as soon as it has an id.'
const StatusQuery = z.object({
  show_progress: Flag.optional().meta({ description: PROGRESS }),
  showProgress: Flag.optional().meta({ description: PROGRESS })
})

const CancelQuery = z.object({
  dequeue_only: Flag.optional().meta({ description: PROGRESS })
})

export const queryRoutes = createRouter()
  .post('/query', QUERY, plain.allowReading, validateBody(QueryRequest), (c) =>
    answerQuery(c, c.req.valid('json') as QueryBody, c.req.valid('query'))
  )
  .post('/query/:id', QUERY_OF_KIND, ofKind.allowReading, validateBody(QueryRequest), (c) => {
    const body = c.req.valid('json') as QueryBody
    expectKind(body, c.req.valid('param').id)
    return answerQuery(c, body, c.req.valid('query'))
  })
  .get(
    '/query/:id',
    STATUS,
    allow(...NUMBERS),
    validatePath(RunPath),
    validateQuery(StatusQuery),
    async (c) => {
      const { now } = c.var
      const run = await findRun(c.var, c.req.valid('param').id, now.getTime())
      if (!run) {
        throw new NotFoundError()
      }
      return c.json({ query_status: statusOf(c, run, await answerRun(c, run)) })
    }
  )
  .delete(
    '/query/:id',
    CANCEL,
    allow(...NUMBERS),
    validatePath(RunPath),
    validateQuery(CancelQuery),
    expectNoBody,
    async (c) => {
      const { now } = c.var
      if (!(await removeRun(c.var, c.req.valid('param').id, now.getTime()))) {
        throw new NotFoundError()
      }
      return c.body(null, 204)
    }
  )

/** @throws invalid_choice, attr `query__kind`, for a query of another kind than the path's */
function expectKind({ query: { kind } }: QueryBody, wanted: string): void {
  if (kind !== wanted) {
    throw new AppError(
      'invalid_choice',
      `${show(kind ?? null)} is not the kind in the path, ${show(wanted)}.`,
      'query__kind'
    )
  }
}

async function answerQuery(
  c: Context<AppEnv>,
  { query, filters_override, ...beside }: QueryBody,
  { format }: z.output<typeof FormatQuery>
): Promise<Response> {
  rememberCalendar(c.var.project)
  const question = { query, filters_override }
  const run = { id: beside.client_query_id ?? uuidv4(), question, askedAt: c.var.now.getTime() }
  const isKept = isAsync(beside)
  if (wantsCsv(c, format)) {
    return answerTable(c, run, isKept)
  }
  if (isKept && JSON.stringify(question).length > MAX_KEPT) {
    throw new AppError(
      'query_too_large',
      `A query of more than ${MAX_KEPT} characters is not kept: ask it with \`refresh: blocking\`.`,
      'refresh'
    )
  }
  const answer = await answerRun(c, run)
  if (!isKept) {
    return c.json(answer)
  }
  await keepRun(c.var, run)
  return c.json({ ...answer, query_status: statusOf(c, run, answer) } satisfies QueryAnswer)
}

/** Responds with a CSV file. @throws invalid_input, attr `format`, for an asynchronous answer */
async function answerTable(c: Context<AppEnv>, run: QueryRun, isKept: boolean): Promise<Response> {
  if (isKept) {
    throw new AppError(
      'invalid_input',
      'An asynchronous answer is JSON: leave `async` and `refresh` out.',
      'format'
    )
  }
  return csvTable(c, 'query', await readRun(c, run).tabulate(scopeOf(c)))
}

/** Whether a request wants its answer to be kept. */
const isAsync = ({ async, refresh }: Pick<QueryBody, 'async' | 'refresh'>) =>
  async === true || (typeof refresh === 'string' && refresh.includes('async'))

/**
 * Reads a question as of the time at which it was asked. @throws permission_denied for a key without
 * the scopes that its answer needs
 */
function readRun(c: Context<AppEnv>, { question, askedAt }: QueryRun): ReadQuestion {
  const read = readQuestion(question, c.var.project, new Date(askedAt))
  for (const scopes of read.needs) {
    expectScope(c.var.key, scopes)
  }
  return read
}

const scopeOf = (c: Context<AppEnv>): QuestionScope => {
  const { db, project, usage } = c.var
  return { db, project, usage, found: plain.foundFor(c) }
}

async function answerRun(c: Context<AppEnv>, run: QueryRun): Promise<QueryAnswer> {
  const { project } = c.var
  return {
    ...(await readRun(c, run).compute(scopeOf(c))),
    is_cached: false,
    last_refresh: toIso(c.var.now.getTime()),
    timezone: project.timezone,
    cache_key: sha256(canonical([project.id, run.question])),
    query_status: null,
    hogql: null,
    error: null,
    timings: []
  }
}

function statusOf(
  c: Context<AppEnv>,
  { id, askedAt }: QueryRun,
  results: QueryAnswer
): QueryStatus {
  const at = toIso(askedAt)
  return {
    id,
    query_async: true,
    team_id: c.var.project.id,
    insight_id: null,
    dashboard_id: null,
    complete: true,
    error: false,
    error_message: null,
    results,
    start_time: at,
    pickup_time: at,
    end_time: at,
    expiration_time: toIso(askedAt + RUN_AGE),
    task_id: null,
    labels: null,
    query_progress: null
  }
}
