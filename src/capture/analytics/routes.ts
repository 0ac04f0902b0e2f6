import type { Context } from 'hono'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { answerError, ErrorJson } from '../../http/errors.ts'
import { describe } from '../../http/openapi.ts'
import type { Dropped } from '../../input/dropped.ts'
import { parseInput } from '../../input/parse.ts'
import {
  ID_PROPERTIES,
  isImport,
  MAX_BODY_BYTES,
  readExactly,
  readSentAt,
  readToken
} from '../body.ts'
import { type CapturedEvent, readEvent } from '../event.ts'
import { takeEvents } from '../take.ts'
import { type TokenReader, UNREADABLE } from '../token.ts'
import { readAnalyticsBatch, readSdk, type V1Event } from './event.ts'
import { V1BatchJson, V1Headers, type V1Result, V1ResultsJson } from './schemas.ts'

const V1ErrorJson = ErrorJson.extend({
  error: z.string().optional().meta({ description: 'The same as `code`.' }),
  error_description: z.string().optional().meta({ description: 'The same as `detail`.' }),
  error_uri: z.url().optional().meta({ description: 'The page that documents the error.' })
}).meta({ id: 'V1Error' })

const EVENTS = describe({
  id: 'i_v1_analytics_events',
  tag: 'Capture',
  takesAnyQuery: true,
  summary: 'Capture a batch of events, with a result for each',
  description: `Send the capture token as \`Authorization: Bearer phc_…\`. The response has a result for each event, by its uuid; an invalid event is dropped without affecting the others, but the whole batch is refused if a uuid is missing, invalid or repeated. The body is JSON, at most ${MAX_BODY_BYTES} bytes, optionally compressed with gzip, deflate, br or zstd, named in \`Content-Encoding\`. The response is sent once the events are stored durably, and repeats the request's \`PostHog-Request-Id\`.`,
  header: V1Headers,
  body: V1BatchJson,
  answers: { 200: { text: 'The result of each event.', schema: V1ResultsJson } },
  error: V1ErrorJson,
  refusals: [
    ...UNREADABLE,
    ['required', 'This field is required.', 'PostHog-Attempt'],
    ['null', 'This field may not be null.', 'batch'],
    ['blank', 'This field may not be blank.', 'PostHog-Request-Id'],
    ['max_length', 'Ensure this field has no more than 200 characters.', 'PostHog-Request-Id'],
    [
      'invalid_input',
      '`batch` has two events with the same uuid; give each event its own.',
      'batch'
    ],
    [
      'unsupported_media_type',
      'Unsupported media type "text/plain" in request: send Content-Type: application/json.'
    ]
  ]
})

/** Creates the newer capture endpoint, which returns a result for each event. */
export function createCaptureV1Routes({ openProject }: TokenReader) {
  const take = async (c: Context<AppEnv>): Promise<Response> => {
    c.header('PostHog-Request-Id', c.req.header('PostHog-Request-Id'))
    const headers = readHeaders(c)
    const project = await openProject(c, readBearerToken(c.req.header('Authorization')))
    requireJson(c.req.header('Content-Type') ?? '')
    // The distinct id of an event has to be a text.
    const { json, ...changed } = await readExactly(c.req.raw, ID_PROPERTIES)
    const events = readAnalyticsBatch(json, readSdk(headers['PostHog-Sdk-Info']))
    const now = c.get('now').getTime()
    const sentAt = readSentAt(headers['PostHog-Request-Timestamp'])
    const read = events.map((event, i) => readOne(event, sentAt, now, i))
    const arrival = { project, request: c.req.raw, now, changed, isImport: isImport(json) }
    const outcomes = await takeEvents(c.env, arrival, read)
    const results = outcomes.map((outcome, i) => [events[i]?.uuid, resultOf(outcome)])
    return c.json({ results: Object.fromEntries(results) })
  }

  return createRouter().post('/i/v1/analytics/events', EVENTS, async (c) => {
    try {
      return await take(c)
    } catch (error) {
      return answerV1Error(error, c)
    }
  })
}

/** @throws required, blank, invalid_input, max_length; `attr` is the header's name */
const readHeaders = (c: Context<AppEnv>) =>
  parseInput(
    V1Headers,
    Object.fromEntries(Object.keys(V1Headers.shape).map((name) => [name, c.req.header(name)]))
  )

/** @throws authentication_failed */
const readBearerToken = (header: string | undefined): string =>
  readToken({ token: /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1] ?? null })

/** @throws unsupported_media_type */
function requireJson(type: string): void {
  if (!/^\s*application\/json\s*(;|$)/i.test(type)) {
    throw new AppError(
      'unsupported_media_type',
      `Unsupported media type "${type}" in request: send Content-Type: application/json.`
    )
  }
}

const readOne = (event: V1Event, sentAt: number | undefined, now: number, position: number) =>
  'tag' in event
    ? { uuid: event.uuid, reason: event.tag }
    : readEvent(event.raw, sentAt, now, position)

const resultOf = (outcome: CapturedEvent | Dropped): V1Result =>
  'reason' in outcome ? { result: 'drop', details: outcome.reason } : { result: 'ok' }

/**
 * Answers an error with the usual body and, in addition, the members that PostHog's v1 endpoint
 * sends.
 */
async function answerV1Error(thrown: unknown, c: Context<AppEnv>): Promise<Response> {
  const answer = answerError(thrown, c)
  const body = ErrorJson.parse(await answer.json())
  const error_uri = new URL('/docs', c.req.url).href
  const more = { error: body.code, error_description: body.detail, error_uri }
  return new Response(JSON.stringify({ ...body, ...more }), answer)
}
