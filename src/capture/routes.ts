import type { Context } from 'hono'
import { AppError, UnavailableError } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { isObject, type Json } from '../json.ts'
import { clockOf, invalidToken, readBody, readRequest, readToken } from './body.ts'
import { answerDecide, answerFlags, configScript, remoteConfig } from './config.ts'
import { enqueueEvents } from './enqueue.ts'
import { asIdentify, type CapturedEvent, type Dropped, readEvent } from './event.ts'
import { createProjectFinder } from './project.ts'

/** Above this share of its database's largest size a project takes no more events. */
const FULL = 0.95

/** Browsers and proxies may keep a project's configuration for so long. */
const CONFIG_CACHE = 'public, max-age=300'

/** The doors that SDKs send to: no API key, only a project's public capture token. */
export function createCaptureRoutes() {
  const findProject = createProjectFinder()

  const projectOf = async (c: Context<AppEnv>, token: string) => {
    const project = await findProject(c.env, token, c.var.now, c.var.usage)
    if (!project) throw invalidToken('API key is not valid: unknown')
    c.set('projectId', project.id)
    return project
  }

  const tokenOf = async (c: Context<AppEnv>, given: string | undefined) => {
    const token = readToken({ token: given ?? null })
    await projectOf(c, token)
    return token
  }

  const capture = async (c: Context<AppEnv>) => {
    const { token, sentAt, events } = readRequest(await readPayload(c))
    const project = await projectOf(c, token)
    if (project.fill >= FULL) throw new UnavailableError('The database of this project is full.')

    const now = c.var.now.getTime()
    const clock = sentAt ?? clockOf(c.req.query('sent_at') ?? c.req.query('_'))
    const raws = c.req.path.startsWith('/engage') ? events.map(asIdentify) : events
    const outcomes = raws.map((raw) => readEvent(raw, sentAtOf(raw) ?? clock, now))
    const accepted = outcomes.filter((outcome): outcome is CapturedEvent => 'event' in outcome)
    const dropped = outcomes.filter((outcome): outcome is Dropped => 'reason' in outcome)
    if (accepted.length === 0) {
      const reasons = [...new Set(dropped.map(({ reason }) => reason))].join('; ')
      throw new AppError('invalid_input', reasons, null, { dropped })
    }
    await enqueueEvents(c.env.CAPTURE_QUEUE, c.env.BUCKET, { project_id: project.id, received_at: now }, accepted)
    return c.json({ status: 'Ok', ...(dropped.length > 0 && { dropped }) })
  }

  /** Recordings are not kept: SDKs that still send them are told to pause. */
  const record = async (c: Context<AppEnv>) => {
    const { token } = readRequest(await readPayload(c))
    await projectOf(c, token)
    return c.json({ status: 'Ok', quota_limited: ['recordings'] })
  }

  /** There are no feature flags here: SDKs are told so in the shape of the version that they ask for. */
  const flags = async (c: Context<AppEnv>) => {
    const body = await readPayload(c)
    const token = readToken(isObject(body) ? body : {})
    await projectOf(c, token)
    const version = c.req.query('v')
    return c.json(
      c.req.path.startsWith('/decide')
        ? answerDecide(version, token, c.var.requestId)
        : answerFlags(version, token, c.req.query('config') === 'true', c.var.requestId)
    )
  }

  return createRouter()
    .on(['GET', 'POST'], ['/batch', '/e', '/i/v0/e', '/capture', '/track', '/engage'], capture)
    .post('/s', record)
    .post('/flags', flags)
    .post('/decide', flags)
    .get('/array/:token/config', async (c) => {
      const token = await tokenOf(c, c.req.param('token'))
      return c.json(remoteConfig(token), 200, { 'Cache-Control': CONFIG_CACHE })
    })
    .get('/array/:token/config.js', async (c) => {
      const token = await tokenOf(c, c.req.param('token'))
      const headers = { 'Cache-Control': CONFIG_CACHE, 'Content-Type': 'text/javascript; charset=utf-8' }
      return c.body(configScript(token), 200, headers)
    })
    .get('/api/surveys', async (c) => {
      await tokenOf(c, c.req.query('token'))
      return c.json({ surveys: [] }, 200, { 'Cache-Control': CONFIG_CACHE })
    })
}

/** The body or, without one, the query's `data`, which very old SDKs send with GET. */
const readPayload = (c: Context<AppEnv>): Promise<Json> => {
  const data = c.req.query('data')
  return readBody(c.req.raw.body ?? (data === undefined ? null : new Response(data).body))
}

const sentAtOf = (event: Json): number | undefined => (isObject(event) ? clockOf(event.sent_at) : undefined)
