import type { Context } from 'hono'
import { AppError } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { ErrorJson } from '../http/errors.ts'
import { describe } from '../http/openapi.ts'
import type { Dropped } from '../input/dropped.ts'
import { isObject, type Json } from '../input/json.ts'
import { log } from '../log.ts'
import { enqueueSnapshots, MAX_PARTS } from '../recordings/enqueue.ts'
import { Unpacking } from '../recordings/packed.ts'
import { readSnapshot } from '../recordings/snapshot.ts'
import { isImport, readExactly, readJson, readRequest, readSentAt } from './body.ts'
import { asIdentify, readEvent } from './event.ts'
import { CapturedJson, CaptureJson, Drops, SnapshotsJson } from './schemas.ts'
import { takeEvents } from './take.ts'
import { BODY_FORMS, payloadOf, type TokenReader, UNREADABLE } from './token.ts'

const CaptureError = ErrorJson.extend(Drops.shape).meta({ id: 'CaptureError' })

/** Methods of the endpoints for events. Very old SDKs send events with GET. */
const METHODS = ['POST', 'GET']

const describeCapture = (id: string, summary: string) =>
  describe({
    id,
    tag: 'Capture',
    takesAnyQuery: true,
    summary,
    description: `Takes one event, an array of events, or a batch, as do all endpoints for events except \`/i/v1/analytics/events\`. ${BODY_FORMS} The response is sent once the events are stored durably. A GET takes the body from the query parameter \`data\`.`,
    body: CaptureJson,
    answers: {
      200: {
        text: 'At least one event was accepted; `dropped` lists the others.',
        schema: CapturedJson
      }
    },
    error: CaptureError,
    refusals: [...UNREADABLE, ['invalid_input', 'event submitted without a distinct_id']]
  })

const RECORD = describe({
  id: 's',
  tag: 'Capture',
  takesAnyQuery: true,
  summary: 'Capture session recordings',
  description: `Takes the snapshots of one or more sessions, in at most ${MAX_PARTS} events. ${BODY_FORMS} The response is sent once the snapshots are stored durably. Some snapshots are discarded with the same response: those of a deleted recording or a suppressed person, those without a \`timestamp\`, and all snapshots while recording is off in the project.`,
  body: SnapshotsJson,
  answers: {
    200: {
      text: 'At least one event was not refused; `dropped` lists the refused events.',
      schema: CapturedJson
    }
  },
  error: CaptureError,
  refusals: [
    ...UNREADABLE,
    ['invalid_input', 'event submitted without a valid $session_id'],
    ['request_too_large', `maximum number of snapshot events exceeded: ${MAX_PARTS}`]
  ]
})

/** The endpoints that SDKs send events and recordings to. */
export function createCaptureRoutes({ projectOf, openProject }: TokenReader) {
  /** @param toEvent rewrites an element of the request as an event */
  const capture =
    (toEvent = (raw: Json) => raw) =>
    async (c: Context<AppEnv>) => {
      const { json, ...changed } = await readExactly(payloadOf(c))
      const { token, sentAt, events } = readRequest(json)
      const project = await openProject(c, token)
      const now = c.get('now').getTime()
      const requestSentAt = sentAt ?? readQueryTime(c)
      const read = events
        .map(toEvent)
        .map((raw, i) => readEvent(raw, sentAtOf(raw) ?? requestSentAt, now, i))
      const arrival = { project, request: c.req.raw, now, changed, isImport: isImport(json) }
      const outcomes = await takeEvents(c.env, arrival, read)
      const dropped = outcomes.filter((outcome): outcome is Dropped => 'reason' in outcome)
      if (dropped.length === outcomes.length) {
        throw refuseAll(dropped)
      }
      return c.json({ status: 'Ok', ...(dropped.length > 0 && { dropped }) })
    }

  const record = async (c: Context<AppEnv>) => {
    const { token, sentAt, events } = readRequest(await readJson(payloadOf(c)))
    const { settings, id } = await projectOf(c, token)
    if (!settings.recording) {
      const count = events.length
      log('warn', 'ingestion warning', { project: id, type: 'recording_is_off', count })
      return c.json({ status: 'Ok' })
    }
    if (events.length > MAX_PARTS) {
      throw new AppError(
        'request_too_large',
        `maximum number of snapshot events exceeded: ${MAX_PARTS}`
      )
    }
    // Only now, because snapshots that are discarded need no room in the database.
    const project = await openProject(c, token)
    const now = c.get('now').getTime()
    const requestSentAt = sentAt ?? readQueryTime(c)
    const unpacking = new Unpacking()
    const outcomes = await Promise.all(
      events.map((raw) => readSnapshot(raw, sentAtOf(raw) ?? requestSentAt, now, unpacking))
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

  return createRouter()
    .on(METHODS, '/batch', describeCapture('batch', 'Capture a batch of events'), capture())
    .on(METHODS, '/e', describeCapture('e', 'Capture events from a browser'), capture())
    .on(METHODS, '/i/v0/e', describeCapture('i_v0_e', 'Capture events'), capture())
    .on(
      METHODS,
      '/capture',
      describeCapture('capture', 'Capture events from older SDKs'),
      capture()
    )
    .on(
      METHODS,
      '/track',
      describeCapture('track', 'Capture events from the oldest SDKs'),
      capture()
    )
    .on(
      METHODS,
      '/engage',
      describeCapture('engage', 'Set person properties, for the oldest SDKs'),
      capture(asIdentify)
    )
    .on(
      METHODS,
      '/i/v0/ai/batch',
      describeCapture('i_v0_ai_batch', 'Capture events of AI models'),
      capture()
    )
    .post('/s', RECORD, record)
}

function refuseAll(dropped: Dropped[]): AppError {
  const reasons = [...new Set(dropped.map(({ reason }) => reason))].join('; ')
  return new AppError('invalid_input', reasons, null, { dropped })
}

/** Reads the client's send time from the query, where some SDKs put it. */
const readQueryTime = (c: Context<AppEnv>): number | undefined =>
  readSentAt(c.req.query('sent_at') ?? c.req.query('_'))

const sentAtOf = (event: Json): number | undefined =>
  isObject(event) ? readSentAt(event.sent_at) : undefined
