import * as z from 'zod'
import { reading } from '../access/auth.ts'
import { expectScope } from '../access/credentials.ts'
import { toIso } from '../calendar/clock.ts'
import { canonical, sha256 } from '../hash.ts'
import { createRouter } from '../http/env.ts'
import { validateBody } from '../http/validation.ts'
import { isObject, type JsonObject } from '../input/json.ts'
import { NUMBERS } from '../questions/kinds.ts'
import { readQuestion } from '../questions/question.ts'
import { planAhead, rememberCalendar } from '../trends/overviews-ahead.ts'
import { QUERY } from './reference.ts'
import { type QueryAnswer, QueryRequest } from './schemas.ts'

/** Reads the overviews of a trend together with the key check, as `insights/trend/` does. */
const asked = reading({
  scopes: NUMBERS,
  path: z.object({}),
  query: z.object({}),
  async plan({ projectId, now, readBody }) {
    const body = await readBody().catch(() => undefined)
    return isObject(body)
      ? planAhead(projectId, () => ({ query: body.query ?? null }), now)
      : undefined
  }
})

type QueryBody = z.output<typeof QueryRequest> & { query: JsonObject }

export const queryRoutes = createRouter().post(
  '/query',
  QUERY,
  asked.allowReading,
  validateBody(QueryRequest),
  async (c) => {
    const { db, project, usage, key, now } = c.var
    // The cast is safe: the body was parsed from JSON, but the schema's type is wider.
    const { query, filters_override } = c.req.valid('json') as QueryBody
    const question = { query, filters_override }
    rememberCalendar(project)
    const { needs, compute } = readQuestion(question, project, now)
    for (const scopes of needs) {
      expectScope(key, scopes)
    }
    const answer = await compute({ db, project, usage, found: asked.foundFor(c) })
    return c.json({
      ...answer,
      is_cached: false,
      last_refresh: toIso(now.getTime()),
      timezone: project.timezone,
      cache_key: sha256(canonical([project.id, question])),
      query_status: null,
      hogql: null,
      error: null,
      timings: []
    } satisfies QueryAnswer)
  }
)
