import { AppError } from '../../errors.ts'
import { byteLength, isObject, type Json, type JsonObject, objectOf } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { expectFewEvents } from '../body.ts'
import { parseClientTime } from '../client-time.ts'
import { V1Envelope, V1Options } from './schemas.ts'

/** Longest name of an event, characters. */
const MAX_NAME = 200
/** Longest distinct id, bytes. */
const MAX_DISTINCT_ID_BYTES = 200

/** The SDK that sent the request. */
export type Sdk = { name: string; version: string }

/**
 * An event in the format of the other capture endpoints, or the tag that tells the SDK why the
 * event is dropped.
 */
export type V1Event = { uuid: string } & ({ raw: JsonObject } | { tag: string })

/** Splits an SDK's name from its version: `posthog-node/5.70.0`. */
export function readSdk(info: string): Sdk {
  const at = info.lastIndexOf('/')
  return { name: info.slice(0, at), version: info.slice(at + 1) }
}

/**
 * Reads a batch. An invalid event is dropped without affecting the others. The whole batch is
 * refused if a uuid is invalid or repeated, because the response lists results by uuid.
 * @throws invalid_input, required, null, request_too_large
 */
export function readAnalyticsBatch(body: Json, sdk: Sdk): V1Event[] {
  expectFewEvents(isObject(body) ? body.batch : undefined)
  const { batch } = parseInput(V1Envelope, body)
  const uuids = new Set(batch.map(({ uuid }) => uuid.toLowerCase()))
  if (uuids.size < batch.length) {
    throw new AppError(
      'invalid_input',
      '`batch` has two events with the same uuid; give each event its own.',
      'batch'
    )
  }
  return (batch as ({ uuid: string } & JsonObject)[]).map((event) => readV1Event(event, sdk))
}

function readV1Event(event: { uuid: string } & JsonObject, sdk: Sdk): V1Event {
  const { uuid } = event
  const properties = objectOf(event.properties)
  const tag = faultOf(event)
  if (tag !== undefined) {
    return { uuid, tag }
  }
  if (!isObject(properties)) {
    return { uuid, tag: 'malformed_event_properties' }
  }
  const known = V1Options.safeParse(objectOf(event.options))
  if (!known.success) {
    return { uuid, tag: 'invalid_options' }
  }
  // The defaults are for the types alone: `faultOf` has checked that all three are strings.
  const { event: name = null, distinct_id = null, timestamp = null, $set, $set_once } = event
  // This endpoint has these fields beside the properties; the other endpoints have them among the
  // properties.
  const lifted = defined({
    $session_id: event.session_id ?? undefined,
    $window_id: event.window_id ?? undefined,
    $process_person_profile: known.data.process_person_profile,
    $cookieless_mode: known.data.cookieless_mode,
    $ignore_sent_at: known.data.disable_skew_correction,
    $product_tour_id: known.data.product_tour_id
  })
  const all = { ...properties, $lib: sdk.name, $lib_version: sdk.version, ...lifted }
  const writes = defined({ $set, $set_once })
  return { uuid, raw: { uuid, event: name, distinct_id, timestamp, properties: all, ...writes } }
}

/** Returns PostHog's tag for an invalid name, distinct id or time of an event, or undefined. */
function faultOf({ event, distinct_id, timestamp }: JsonObject): string | undefined {
  if (typeof event !== 'string' || event.trim() === '') {
    return 'missing_event_name'
  }
  if (event.length > MAX_NAME) {
    return 'event_name_too_long'
  }
  if (typeof distinct_id !== 'string' || distinct_id.trim() === '') {
    return 'missing_distinct_id'
  }
  if (byteLength(distinct_id) > MAX_DISTINCT_ID_BYTES) {
    return 'distinct_id_too_large'
  }
  if (typeof timestamp !== 'string' || parseClientTime(timestamp) === undefined) {
    return 'invalid_event_timestamp'
  }
  return undefined
}

const defined = (members: { [name: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
