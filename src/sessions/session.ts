import type { JsonObject } from '../input/json.ts'
import { uuidToHex } from '../input/uuid.ts'
import { FROM_ENTRY } from '../properties/session.ts'
import { channelOf } from './channel.ts'

/** An event, with the facts that its session needs. Times are ms UTC. */
export type SessionEvent = {
  uuid: string
  name: string
  timestamp: number
  receivedAt: number
  identity: number
  sessionId: string | null
  properties: JsonObject
}

/** The value from the event with the lowest or the highest key. */
type Keyed<Value> = { key: string; value: Value }

/**
 * The aggregate of some of a session's events. `foldEvents` adds events to a part, `addToSessions`
 * adds a part to the stored session; how the events are spread over parts makes no difference.
 */
export type SessionPart = {
  sessionId: string
  identities: Set<number>
  startTime: number
  endTime: number
  receivedAt: number
  events: number
  pageviews: number
  autocaptures: number
  screens: number
  entry: Keyed<Record<string, string>> | undefined
  exit: Keyed<Record<string, string>> | undefined
  click: Keyed<string> | undefined
  vitals: Keyed<number> | undefined
}

/** The event properties that `foldEvents` reads. */
export const FOLDED_PROPERTIES = [
  '$current_url',
  '$host',
  '$pathname',
  ...FROM_ENTRY.values(),
  '$external_click_url',
  '$web_vitals_LCP_value'
]

/** Longest id of a session, characters. */
export const MAX_SESSION_ID = 200
/** Characters of a session property; longer values are cut. */
const MAX_VALUE = 1_000

/** Whether a text can be a session's id: the database keeps it, and a URL can contain it. */
export const isSessionId = (id: string | null): id is string =>
  id !== null && id !== '' && id.length <= MAX_SESSION_ID && !id.includes('\0') && id.isWellFormed()

/**
 * Adds events, in any order, to the parts of their sessions. Each event must be added only once.
 * Leaves out events without a valid session id.
 */
export function foldEvents(events: Iterable<SessionEvent>, parts = new Map<string, SessionPart>()) {
  for (const event of events) {
    if (!isSessionId(event.sessionId)) {
      continue
    }
    const part = parts.get(event.sessionId) ?? emptyPart(event.sessionId, event)
    parts.set(event.sessionId, part)
    addEvent(part, event)
  }
  return parts
}

const emptyPart = (sessionId: string, { timestamp, receivedAt }: SessionEvent): SessionPart => ({
  sessionId,
  identities: new Set(),
  startTime: timestamp,
  endTime: timestamp,
  receivedAt,
  events: 0,
  pageviews: 0,
  autocaptures: 0,
  screens: 0,
  entry: undefined,
  exit: undefined,
  click: undefined,
  vitals: undefined
})

function addEvent(part: SessionPart, event: SessionEvent): void {
  const { name, timestamp, properties } = event
  part.identities.add(event.identity)
  part.startTime = Math.min(part.startTime, timestamp)
  part.endTime = Math.max(part.endTime, timestamp)
  part.receivedAt = Math.max(part.receivedAt, event.receivedAt)
  part.events += 1
  if (name === '$pageview') {
    part.pageviews += 1
  }
  if (name === '$autocapture') {
    part.autocaptures += 1
  }
  if (name === '$screen') {
    part.screens += 1
  }

  // A session begins and ends with a page or screen; if it has none, with an event that has a URL.
  // So views get the rank that wins: 0 where the lower key wins, 1 where the higher key wins.
  const isView = name === '$pageview' || name === '$screen'
  if (isView || textOf(properties.$current_url)) {
    part.entry = lower(part.entry, keyOf(event, isView ? 0 : 1), () => entryOf(properties))
    part.exit = higher(part.exit, keyOf(event, isView ? 1 : 0), () => exitOf(properties))
  }
  const click = textOf(properties.$external_click_url)
  if (click) {
    part.click = higher(part.click, keyOf(event, 0), () => click)
  }
  const lcp = properties.$web_vitals_LCP_value
  if (name === '$web_vitals' && typeof lcp === 'number') {
    part.vitals = lower(part.vitals, keyOf(event, 0), () => lcp)
  }
}

/** Returns a text that sorts by rank, time and uuid. Times are within 10^15 ms of 1970. */
const keyOf = ({ timestamp, uuid }: SessionEvent, rank: 0 | 1): string =>
  `${rank}${String(timestamp + 1e15).padStart(16, '0')}${uuidToHex(uuid)}`

/** Returns the value with the lower key. Calls `value` only if the new value wins. */
const lower = <Value>(
  kept: Keyed<Value> | undefined,
  key: string,
  value: () => Value
): Keyed<Value> => (kept && kept.key <= key ? kept : { key, value: value() })

/** Returns the value with the higher key. Calls `value` only if the new value wins. */
const higher = <Value>(
  kept: Keyed<Value> | undefined,
  key: string,
  value: () => Value
): Keyed<Value> => (kept && kept.key >= key ? kept : { key, value: value() })

function entryOf(properties: JsonObject): Record<string, string> {
  const taken = [...FROM_ENTRY].map(([name, key]) => [name, textOf(properties[key])])
  const { url, host, path } = pageOf(properties)
  const found = {
    $entry_current_url: url,
    $entry_pathname: path,
    $entry_hostname: host,
    ...Object.fromEntries(taken)
  }
  return present({ ...found, $channel_type: channelOf(found) })
}

function exitOf(properties: JsonObject): Record<string, string> {
  const { url, host, path } = pageOf(properties)
  return present({ $end_current_url: url, $end_pathname: path, $end_hostname: host })
}

/** Reads the URL, host and path of a page, the last two also from `$host` and `$pathname`. */
function pageOf(properties: JsonObject) {
  const url = textOf(properties.$current_url)
  const parsed = url && URL.canParse(url) ? new URL(url) : undefined
  return {
    url,
    host: textOf(parsed?.hostname) ?? textOf(properties.$host),
    // Parsing escapes characters, so the path may be longer than the URL, and is cut to the URL's
    // length. Browsers send escaped URLs: their paths are never cut.
    path: textOf(parsed?.pathname.slice(0, url?.length)) ?? textOf(properties.$pathname)
  }
}

const present = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
  )

/** Returns a text, or a number as text; undefined for anything else and for `''`. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text === '') {
    return undefined
  }
  const whole = text.replaceAll('\0', '\uFFFD').toWellFormed()
  return whole.length <= MAX_VALUE ? whole : whole.slice(0, MAX_VALUE).toWellFormed()
}
