import type { Context } from 'hono'
import { AppError, UnavailableError } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { isObject, type Json } from '../json.ts'
import { clockOf, invalidToken, readBody, readRequest, readToken } from './body.ts'
import { enqueueEvents } from './enqueue.ts'
import { type CapturedEvent, type Dropped, readEvent } from './event.ts'
import { createProjectFinder } from './project.ts'

/** Above this share of its database's largest size a project takes no more events. */
const FULL = 0.95

/** The doors that SDKs send to: no API key, only a project's public capture token. */
export function createCaptureRoutes() {
  const findProject = createProjectFinder()

  const projectOf = async (c: Context<AppEnv>, token: string) => {
    const project = await findProject(c.env, token, c.var.now, c.var.usage)
    if (!project) throw invalidToken('API key is not valid: unknown')
    c.set('projectId', project.id)
    return project
  }

  const capture = async (c: Context<AppEnv>) => {
    const { token, sentAt, events } = readRequest(await readBody(c.req.raw.body))
    const project = await projectOf(c, token)
    if (project.fill >= FULL) throw new UnavailableError('The database of this project is full.')

    const now = c.var.now.getTime()
    const clock = sentAt ?? clockOf(c.req.query('sent_at') ?? c.req.query('_'))
    const outcomes = events.map((raw) => readEvent(raw, sentAtOf(raw) ?? clock, now))
    const accepted = outcomes.filter((outcome): outcome is CapturedEvent => 'event' in outcome)
    const dropped = outcomes.filter((outcome): outcome is Dropped => 'reason' in outcome)
    if (accepted.length === 0) {
      const reasons = [...new Set(dropped.map(({ reason }) => reason))].join('; ')
      throw new AppError('invalid_input', reasons, null, { dropped })
    }
    await enqueueEvents(c.env.CAPTURE_QUEUE, c.env.BUCKET, { project_id: project.id, received_at: now }, accepted)
    return c.json({ status: 'Ok', ...(dropped.length > 0 && { dropped }) })
  }

  /** There are no feature flags here: SDKs are told so in the shape of the version that they ask for. */
  const flags = async (c: Context<AppEnv>) => {
    const body = await readBody(c.req.raw.body)
    await projectOf(c, readToken(isObject(body) ? body : {}))
    return c.json(noFlags(c.req.path.startsWith('/decide'), c.req.query('v'), c.var.requestId))
  }

  return createRouter()
    .post('/batch', capture)
    .post('/e', capture)
    .post('/i/v0/e', capture)
    .post('/capture', capture)
    .post('/flags', flags)
    .post('/decide', flags)
}

const sentAtOf = (event: Json): number | undefined => (isObject(event) ? clockOf(event.sent_at) : undefined)

function noFlags(isDecide: boolean, version: string | undefined, requestId: string) {
  const rest = { errorsWhileComputingFlags: false, requestId }
  if (isDecide ? version === '4' : version !== undefined && version !== '1') return { flags: {}, ...rest }
  if (isDecide && version !== '2' && version !== '3') return { featureFlags: [], ...rest }
  return { featureFlags: {}, ...(version !== '2' && { featureFlagPayloads: {} }), ...rest }
}
