import type { Context } from 'hono'
import * as z from 'zod'
import { AppError, UnavailableError } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { ErrorJson } from '../http/errors.ts'
import { describe, type Refusal } from '../http/openapi.ts'
import { isObject, type Json } from '../json.ts'
import { enqueueSnapshots, MAX_PARTS } from '../recordings/enqueue.ts'
import { readSnapshot } from '../recordings/snapshot.ts'
import {
  clockOf,
  invalidToken,
  MAX_BODY_BYTES,
  readExactly,
  readJson,
  readRequest,
  readToken
} from './body.ts'
import { answerDecide, answerFlags, configScript, remoteConfig } from './config.ts'
import { findSalt } from './cookieless/salts.ts'
import { addressOf, anonymizeAll } from './cookieless/visitor.ts'
import { enqueueEvents, readSpill } from './enqueue.ts'
import { asIdentify, type CapturedEvent, type Dropped, readEvent } from './event.ts'
import { warnOfInexact } from './exact.ts'
import {
  CapturedJson,
  CaptureJson,
  Drops,
  FlagsJson,
  FlagsRequestJson,
  RemoteConfigJson,
  SnapshotsJson,
  SurveysJson
} from './json.ts'
import { createProjectFinder } from './project.ts'

const CaptureError = ErrorJson.extend(Drops.shape).meta({ id: 'CaptureError' })

const BODY = `The body may be plain JSON, gzip, base64, or a form with one of these in \`data\`; its bytes tell which. At most ${MAX_BODY_BYTES} bytes.`

const UNKNOWN_TOKEN: Refusal[] = [
  ['authentication_failed', 'API key is not valid: unknown', 'api_key'],
  ['unavailable', 'The database cannot take the request now.']
]

const UNREADABLE: Refusal[] = [
  ['parse_error', 'failed to parse request: invalid JSON'],
  ['request_too_large', `maximum request size exceeded: ${MAX_BODY_BYTES} bytes`],
  ...UNKNOWN_TOKEN
]

/** Very old SDKs send with GET. */
const DOOR = ['POST', 'GET']

const describeDoor = (id: string, summary: string) =>
  describe({
    id,
    tag: 'Capture',
    summary,
    description: `Takes one event, an array of them, or a batch, as every door for events does. ${BODY} The answer comes when the events are safe. With GET the body is the query's \`data\`.`,
    body: CaptureJson,
    answers: {
      200: { text: 'At least one event was taken; `dropped` has the others.', schema: CapturedJson }
    },
    error: CaptureError,
    refusals: [...UNREADABLE, ['invalid_input', 'event submitted without a distinct_id']]
  })

const RECORD = describe({
  id: 's',
  tag: 'Capture',
  summary: 'Session recordings',
  description: `Takes the snapshots of one session or more, at most ${MAX_PARTS} events with them. ${BODY} The answer comes when they are safe. What there is of a deleted recording is answered as everything else, and not kept.`,
  body: SnapshotsJson,
  answers: {
    200: { text: 'At least one event was taken; `dropped` has the others.', schema: CapturedJson }
  },
  error: CaptureError,
  refusals: [
    ...UNREADABLE,
    ['invalid_input', 'event submitted without a valid $session_id'],
    ['request_too_large', `maximum number of snapshot events exceeded: ${MAX_PARTS}`]
  ]
})

const describeFlags = (id: string, summary: string) =>
  describe({
    id,
    tag: 'Capture',
    summary,
    description: `There are no feature flags: SDKs are told so in the shape of the version that they ask for. ${BODY}`,
    query: z.object({
      v: z.string().optional().meta({ description: 'The version of the answer.' }),
      config: z.string().optional().meta({ description: '`true`: with the configuration.' })
    }),
    body: FlagsRequestJson,
    answers: { 200: { text: 'No flags.', schema: FlagsJson } },
    refusals: UNREADABLE
  })

const Token = z.string().meta({ description: "The project's capture token." })

const CONFIG = describe({
  id: 'array_config',
  tag: 'Capture',
  summary: 'Configuration of a browser SDK',
  path: z.object({ token: Token }),
  answers: { 200: { text: 'The configuration.', schema: RemoteConfigJson } },
  refusals: UNKNOWN_TOKEN
})

const CONFIG_SCRIPT = describe({
  id: 'array_config_js',
  tag: 'Capture',
  summary: 'Configuration of a browser SDK, as a script',
  path: z.object({ token: Token }),
  answers: { 200: { text: 'The script.', type: 'text/javascript' } },
  refusals: UNKNOWN_TOKEN
})

const SURVEYS = describe({
  id: 'surveys',
  tag: 'Capture',
  summary: 'Surveys of a browser SDK',
  query: z.object({ token: Token }),
  answers: { 200: { text: 'There are none.', schema: SurveysJson } },
  refusals: UNKNOWN_TOKEN
})

/** Above this share of its database's largest size a project takes no more events. */
const FULL = 0.95

/** Browsers and proxies may keep a project's configuration for so long. */
const CONFIG_CACHE = 'public, max-age=300'

/** The doors that SDKs send to: no API key, only a project's public capture token. */
export function createCaptureRoutes() {
  const findProject = createProjectFinder()

  const projectOf = async (c: Context<AppEnv>, token: string) => {
    const project = await findProject(c.env, token, c.var.now, c.var.usage)
    if (!project) {
      throw invalidToken('API key is not valid: unknown')
    }
    c.set('projectId', project.id)
    return project
  }

  /** A project whose database takes more. */
  const openProject = async (c: Context<AppEnv>, token: string) => {
    const project = await projectOf(c, token)
    if (project.fill >= FULL) {
      throw new UnavailableError('The database of this project is full.')
    }
    return project
  }

  const tokenOf = async (c: Context<AppEnv>, given: string | undefined) => {
    const token = readToken({ token: given ?? null })
    await projectOf(c, token)
    return token
  }

  const capture = async (c: Context<AppEnv>) => {
    const { json, inexact } = await readExactly(payloadOf(c))
    const { token, sentAt, events } = readRequest(json)
    const project = await openProject(c, token)
    const now = c.var.now.getTime()
    const clock = sentAt ?? clockOf(c.req.query('sent_at') ?? c.req.query('_'))
    const raws = c.req.path.startsWith('/engage') ? events.map(asIdentify) : events
    const read = raws.map((raw, i) => readEvent(raw, sentAtOf(raw) ?? clock, now, i))
    warnOfInexact(project.id, read, inexact)
    const visit = {
      projectId: project.id,
      timezone: project.timezone,
      address: addressOf(c.req.raw.headers),
      userAgent: c.req.header('User-Agent') ?? ''
    }
    const outcomes = await anonymizeAll(read, visit, (day) => findSalt(c.env.BUCKET, day, now))
    const accepted = outcomes.filter((outcome): outcome is CapturedEvent => 'event' in outcome)
    const dropped = outcomes.filter((outcome): outcome is Dropped => 'reason' in outcome)
    if (accepted.length === 0) {
      throw refuseAll(dropped)
    }
    const { CAPTURE_QUEUE: queue, BUCKET: bucket, SPILL } = c.env
    await enqueueEvents(
      { queue, bucket, spillsAll: readSpill(SPILL) },
      { project_id: project.id, received_at: now },
      accepted
    )
    return c.json({ status: 'Ok', ...(dropped.length > 0 && { dropped }) })
  }

  const record = async (c: Context<AppEnv>) => {
    const { token, sentAt, events } = readRequest(await readPayload(c))
    if (events.length > MAX_PARTS) {
      throw new AppError(
        'request_too_large',
        `maximum number of snapshot events exceeded: ${MAX_PARTS}`
      )
    }
    const project = await openProject(c, token)
    const now = c.var.now.getTime()
    const clock = sentAt ?? clockOf(c.req.query('sent_at') ?? c.req.query('_'))
    const outcomes = await Promise.all(
      events.map((raw) => readSnapshot(raw, sentAtOf(raw) ?? clock, now))
    )
    const read = outcomes.filter((outcome) => outcome !== undefined)
    const dropped = read.filter((outcome) => 'reason' in outcome)
    if (dropped.length === outcomes.length) {
      throw refuseAll(dropped)
    }
    const snapshots = read.filter((outcome) => 'lines' in outcome)
    if (snapshots.length > 0) {
      await enqueueSnapshots(c.env.RECORDING_QUEUE, c.env.BUCKET, project.id, snapshots)
    }
    return c.json({ status: 'Ok', ...(dropped.length > 0 && { dropped }) })
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
    .on(DOOR, '/batch', describeDoor('batch', 'Capture a batch of events'), capture)
    .on(DOOR, '/e', describeDoor('e', 'Capture events of a browser'), capture)
    .on(DOOR, '/i/v0/e', describeDoor('i_v0_e', 'Capture events'), capture)
    .on(DOOR, '/capture', describeDoor('capture', 'Capture events of older SDKs'), capture)
    .on(DOOR, '/track', describeDoor('track', 'Capture events of the oldest SDKs'), capture)
    .on(
      DOOR,
      '/engage',
      describeDoor('engage', 'Set properties of a person, for the oldest SDKs'),
      capture
    )
    .post('/s', RECORD, record)
    .post('/flags', describeFlags('flags', 'Feature flags'), flags)
    .post(
      '/decide',
      describeFlags('decide', 'Feature flags and configuration, for older SDKs'),
      flags
    )
    .get('/array/:token/config', CONFIG, async (c) => {
      const token = await tokenOf(c, c.req.param('token'))
      return c.json(remoteConfig(token), 200, { 'Cache-Control': CONFIG_CACHE })
    })
    .get('/array/:token/config.js', CONFIG_SCRIPT, async (c) => {
      const token = await tokenOf(c, c.req.param('token'))
      const headers = {
        'Cache-Control': CONFIG_CACHE,
        'Content-Type': 'text/javascript; charset=utf-8'
      }
      return c.body(configScript(token), 200, headers)
    })
    .get('/api/surveys', SURVEYS, async (c) => {
      await tokenOf(c, c.req.query('token'))
      return c.json({ surveys: [] }, 200, { 'Cache-Control': CONFIG_CACHE })
    })
}

/** The body or, without one, the query's `data`, which very old SDKs send with GET. */
const payloadOf = (c: Context<AppEnv>): Request | Response => {
  const data = c.req.query('data')
  return c.req.raw.body || data === undefined ? c.req.raw : new Response(data)
}

const readPayload = (c: Context<AppEnv>): Promise<Json> => readJson(payloadOf(c))

function refuseAll(dropped: Dropped[]): AppError {
  const reasons = [...new Set(dropped.map(({ reason }) => reason))].join('; ')
  return new AppError('invalid_input', reasons, null, { dropped })
}

const sentAtOf = (event: Json): number | undefined =>
  isObject(event) ? clockOf(event.sent_at) : undefined
