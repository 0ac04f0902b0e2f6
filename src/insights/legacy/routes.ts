import type { Context } from 'hono'
import { allow } from '../../access/auth.ts'
import { toIso } from '../../calendar/clock.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { validateBody, validateQuery } from '../../http/validation.ts'
import { isObject } from '../../input/json.ts'
import { FUNNEL, FunnelFields, RETENTION, RetentionFields } from '../../questions/legacy-forms.ts'
import { readLegacyQuestion } from '../../questions/question.ts'
import type { RetentionRow } from '../../questions/retention/retention.ts'
import type { LegacyForm } from '../../trends/legacy-form.ts'
import * as reference from './reference.ts'
import { FunnelParameters, RetentionParameters } from './schemas.ts'

type Fields = Record<string, unknown>

export const legacyRoutes = createRouter()
  .post(
    '/insights/funnel',
    reference.FUNNEL.byBody,
    allow('insight:read'),
    validateBody(FunnelFields),
    (c) => answerFunnel(c, c.req.valid('json'))
  )
  .get(
    '/insights/funnel',
    reference.FUNNEL.byUrl,
    allow('insight:read'),
    validateQuery(FunnelParameters),
    (c) => answerFunnel(c, c.req.valid('query'))
  )
  .post(
    '/insights/retention',
    reference.RETENTION.byBody,
    allow('insight:read'),
    validateBody(RetentionFields),
    (c) => answerRetention(c, c.req.valid('json'))
  )
  .get(
    '/insights/retention',
    reference.RETENTION.byUrl,
    allow('insight:read'),
    validateQuery(RetentionParameters),
    (c) => answerRetention(c, c.req.valid('query'))
  )

const answerFunnel = (c: Context<AppEnv>, fields: Fields) =>
  answer(c, FUNNEL, fields, typeof fields.breakdown === 'string' ? unbox : (result) => result)

const answerRetention = (c: Context<AppEnv>, fields: Fields) =>
  answer(c, RETENTION, fields, addPeople)

async function answer(
  c: Context<AppEnv>,
  form: LegacyForm,
  fields: Fields,
  shape: (results: unknown) => unknown
): Promise<Response> {
  const { db, project, usage, now } = c.var
  const question = readLegacyQuestion(form, fields, [], project, now)
  const { results, ...beside } = await question.compute({ db, project, usage })
  return c.json({
    ...beside,
    result: shape(results),
    timezone: project.timezone,
    last_refresh: toIso(now.getTime()),
    is_cached: false,
    timings: []
  })
}

/** Takes the value of a breakdown out of its list, at any depth of a result. */
function unbox(result: unknown): unknown {
  if (Array.isArray(result)) {
    return result.map(unbox)
  }
  if (!isObject(result)) {
    return result
  }
  const { breakdown, breakdown_value: value } = result
  return {
    ...result,
    ...(Array.isArray(breakdown) && { breakdown: breakdown[0] }),
    ...(Array.isArray(value) && { breakdown_value: value[0] })
  }
}

/**
 * Adds the empty lists that the values of a retention table have in this form. The cast is safe:
 * these are the results of a `RetentionQuery`.
 */
const addPeople = (rows: unknown): unknown =>
  (rows as RetentionRow[]).map(({ values, ...row }) => ({
    ...row,
    values: values.map((value) => ({ ...value, people: [] }))
  }))
