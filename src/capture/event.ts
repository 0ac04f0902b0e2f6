import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import type { Dropped } from '../input/dropped.ts'
import {
  byteLength,
  depthOf,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  wellFormedOf
} from '../input/json.ts'
import { MAX_DEPTH } from '../input/scan.ts'
import { readUuid } from '../input/uuid.ts'
import { clean, isNoId, notAnId, readOwnId } from '../persons/distinct-id.ts'
import { MAX_PROPERTIES_BYTES } from '../persons/person.ts'
import { parseClientTime } from './client-time.ts'
import { hasPersonProfile } from './person-writes.ts'
import { eventTime, writeTime } from './timestamp.ts'

/** An accepted event in a queue message. Times are ms UTC. */
export const CapturedEvent = z.object({
  uuid: z.guid(),
  event: z.string().min(1),
  distinct_id: z.string().min(1),
  timestamp: z.number(),
  /** The time that orders the event's writes to a person, if it differs from the timestamp. */
  written_at: z.number().optional(),
  /**
   * The event's place in the request, which orders events of the same time and request; absent for
   * place 0.
   */
  position: z.int().positive().optional(),
  /**
   * The hash of a visitor without cookies. The visitor's session is determined when the event is
   * stored.
   */
  visitor: z.string().optional(),
  properties: z.custom<JsonObject>(isObject)
})
export type CapturedEvent = z.infer<typeof CapturedEvent>

/** Largest properties of an event, bytes of JSON. */
export const MAX_EVENT_BYTES = 1_000_000
/** Characters of a refused timestamp that are quoted in the reason for dropping its event. */
const MAX_QUOTED = 60

/**
 * The events that merge two persons, each with the property that names the person who is merged
 * into the person of the event.
 */
export const MERGED_ID: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias']
])

/**
 * Reads one event as an SDK sends it, or returns the reason why it is dropped, in PostHog's words
 * if PostHog has the same reason. `now` and `sentAt` are ms UTC; `position` is the event's place in
 * the request, from 0.
 */
export function readEvent(
  raw: Json,
  sentAt: number | undefined,
  now: number,
  position = 0
): CapturedEvent | Dropped {
  if (!isObject(raw)) {
    return { uuid: null, reason: 'event is not an object' }
  }
  const uuid = readUuid(raw.uuid)
  const drop = (reason: string): Dropped => ({ uuid, reason })

  if (uuid === null && (raw.uuid ?? '') !== '') {
    return drop('event submitted with an invalid uuid')
  }
  if (typeof raw.event !== 'string' || raw.event.trim() === '') {
    return drop('event submitted with an empty event name')
  }
  const sent = objectOf(raw.properties)
  if (!isObject(sent)) {
    return drop('event properties are not an object')
  }
  const clientTime = typeof raw.timestamp === 'string' ? parseClientTime(raw.timestamp) : undefined
  const timeFault = faultOfTime(raw, clientTime)
  if (timeFault !== undefined) {
    return drop(timeFault)
  }
  const own = readOwnId(raw, sent)
  if ('reason' in own) {
    return drop(own.reason)
  }

  const unchecked = readProperties(raw, sent)
  const eventFault = faultOfEvent(raw.event, unchecked)
  if (eventFault !== undefined) {
    return drop(eventFault)
  }
  const text = JSON.stringify(unchecked)
  const sizeFault = faultOfSize(unchecked, byteLength(text))
  if (sizeFault !== undefined) {
    return drop(sizeFault)
  }
  const properties = wellFormedOf(unchecked, text)

  const time = {
    timestamp: clientTime,
    offset: raw.offset,
    sentAt,
    ignoreSentAt: sent.$ignore_sent_at === true
  }
  const timestamp = eventTime(time, now)
  const writtenAt = writeTime(time, now)
  return {
    uuid: uuid ?? newUuid(now, position),
    event: clean(raw.event),
    distinct_id: own.id,
    timestamp,
    ...orderOf(timestamp, writtenAt, position),
    properties
  }
}

/**
 * Returns the members that order an event among others, besides its timestamp: without `written_at`
 * if it equals the timestamp, and without `position` if it is 0.
 */
const orderOf = (timestamp: number, writtenAt: number, position: number) => ({
  ...(writtenAt !== timestamp && { written_at: writtenAt }),
  ...(position > 0 && { position })
})

/** Makes a version 7 UUID. The UUIDs of a request sort in the order of its events. */
function newUuid(now: number, position: number): string {
  const [random = 0] = crypto.getRandomValues(new Uint16Array(1))
  return uuidv7({ msecs: now, seq: ((position << 16) | random) >>> 0 })
}

/**
 * Returns why an event's time cannot be read, or undefined. A timestamp that is a number is always
 * refused. Any other timestamp is ignored beside a numeric offset, which wins. Without either, the
 * time is now.
 */
function faultOfTime(
  { timestamp, offset }: JsonObject,
  clientTime: number | undefined
): string | undefined {
  if (typeof timestamp === 'number') {
    return 'event timestamp must be an ISO 8601 string; got a number'
  }
  const isAbsent = timestamp === undefined || timestamp === null || timestamp === ''
  if (isAbsent || Number.isFinite(offset) || clientTime !== undefined) {
    return undefined
  }
  const quoted = JSON.stringify(timestamp).slice(0, MAX_QUOTED)
  return `event timestamp must be an ISO 8601 string; got ${quoted}`
}

/** Returns why an event with this name and these properties is not stored, or undefined. */
function faultOfEvent(event: string, properties: JsonObject): string | undefined {
  if (event === '$snapshot' || event === '$performance_event') {
    return `${event} is not stored as an event`
  }
  if (!hasPersonProfile(properties) && (MERGED_ID.has(event) || event === '$groupidentify')) {
    return `${event} needs a person profile: send it without $process_person_profile: false`
  }
  const merged = MERGED_ID.get(event)
  if (merged !== undefined && isNoId(properties[merged])) {
    return notAnId(merged)
  }
  if (depthOf(properties) > MAX_DEPTH) {
    return `event properties are nested deeper than ${MAX_DEPTH}`
  }
  return undefined
}

/** Returns which size limit the properties exceed, or undefined. `bytes` is their size as JSON. */
function faultOfSize(properties: JsonObject, bytes: number): string | undefined {
  if (bytes > MAX_EVENT_BYTES) {
    return `maximum event size exceeded: ${MAX_EVENT_BYTES} bytes`
  }
  if (bytes > MAX_PROPERTIES_BYTES && isTooMuchForAnyone(properties)) {
    return `maximum size of person properties exceeded: ${MAX_PROPERTIES_BYTES} bytes`
  }
  return undefined
}

/**
 * Gives an event of `/engage` the name `$identify`. The oldest SDKs send the properties of a person
 * there, without an event name.
 */
export const asIdentify = (raw: Json): Json =>
  isObject(raw) && raw.event === undefined ? { ...raw, event: '$identify' } : raw

/**
 * Returns the properties to store: without the token and the distinct id, which has its own column.
 * Merges the `$set` and `$set_once` beside the properties into those among the properties; in each
 * key that both have, the value beside the properties wins. Without a person profile, `$set`,
 * `$set_once` and `$unset` are removed.
 */
function readProperties(raw: JsonObject, sent: JsonObject): JsonObject {
  const { token: _, distinct_id: __, ...properties } = sent
  const personal = hasPersonProfile(sent)
  for (const key of ['$set', '$set_once'] as const) {
    const [outer, inner] = [raw[key], properties[key]]
    if (isObject(outer)) {
      properties[key] = { ...(isObject(inner) && inner), ...outer }
    }
    if (!personal) {
      delete properties[key]
    }
  }
  if (!personal) {
    delete properties.$unset
  }
  return properties
}

/**
 * Whether an event's `$set` and `$set_once` alone are larger than a person's properties may be, so
 * that not even a person without properties could take them.
 */
function isTooMuchForAnyone({ $set: set, $set_once: once }: JsonObject): boolean {
  const requested = { ...(isObject(once) && once), ...(isObject(set) && set) }
  return byteLength(JSON.stringify(requested)) > MAX_PROPERTIES_BYTES
}
