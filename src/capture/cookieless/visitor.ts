import { createHmac } from 'node:crypto'
import { getDomain } from 'tldts-icann'
import { toClock } from '../../calendar/clock.ts'
import type { Dropped } from '../../input/dropped.ts'
import type { Json, JsonObject } from '../../input/json.ts'
import { log } from '../../log.ts'
import { pause } from '../../pause.ts'
import type { CapturedEvent } from '../event.ts'
import { dayOf } from './salts.ts'

/*
 * Visitors without cookies. posthog-js with `cookieless_mode` keeps no id in the browser and sends the same distinct id
 * for every visitor. The server replaces it by a hash of address, site and user agent, which every request shows anyway.
 * The hash is valid for one calendar day and one site, as in PostHog's `cookieless-manager.ts`.
 */

/** The distinct id that posthog-js sends for every visitor in cookieless mode. */
export const SENTINEL = '$posthog_cookieless'

/** Hexadecimal digits of a visitor's hash. */
const VISITOR_DIGITS = 32

/** Events hashed before other requests get their turn; 500 take about 10 ms. */
const SLICE = 500

/** The facts about a request that its visitors are recognised by. */
export type Request = {
  projectId: number
  /** The time zone of events that name none. */
  timezone: string
  address: string
  userAgent: string
}

/** Finds the salt of a calendar day such as `2026-11-22`; undefined for a day that has none. */
export type FindSalt = (day: string) => Promise<Uint8Array | undefined>

/** Whether an event was captured without cookies. */
export const isCookieless = (properties: JsonObject): boolean =>
  Boolean(properties.$cookieless_mode)

/** Whether an event without cookies would merge persons. Such persons exist for one day and are never merged. */
const isAlias = ({ event, properties }: CapturedEvent): boolean =>
  isCookieless(properties) && (event === '$create_alias' || event === '$merge_dangerously')

/**
 * Anonymizes each event of visitors without cookies; other events and dropped ones pass unchanged.
 * @throws unavailable when a salt cannot be read
 */
export async function anonymizeAll(
  events: readonly (CapturedEvent | Dropped)[],
  request: Request,
  findSalt: FindSalt
): Promise<(CapturedEvent | Dropped)[]> {
  const [first, ...others] = events.filter((event) => 'event' in event && isAlias(event))
  if (first) {
    log('warn', 'ingestion warning', {
      project: request.projectId,
      type: 'alias_in_cookieless_mode',
      event: first.uuid,
      count: 1 + others.length
    })
  }
  const outcomes: (CapturedEvent | Dropped)[] = []
  for (const [n, event] of events.entries()) {
    if (n % SLICE === SLICE - 1) {
      await pause(0)
    }
    // Not in parallel: the first event of a day reads the salt for all others.
    outcomes.push('event' in event ? await anonymize(event, request, findSalt) : event)
  }
  return outcomes
}

/**
 * Replaces the distinct id of an event by the visitor's hash and removes the properties that the hash was made of. Also
 * removes `$anon_distinct_id`, so that an `$identify` merges no persons. Returns the reason if the event is dropped.
 * @throws unavailable when the salt cannot be read
 */
async function anonymize(
  event: CapturedEvent,
  request: Request,
  findSalt: FindSalt
): Promise<CapturedEvent | Dropped> {
  const drop = (reason: string): Dropped => ({ uuid: event.uuid, reason })
  if (!isCookieless(event.properties)) {
    return event.distinct_id === SENTINEL
      ? drop(`the distinct_id ${SENTINEL} needs $cookieless_mode`)
      : event
  }
  if (isAlias(event)) {
    return drop(`${event.event} is not possible in cookieless mode`)
  }
  const {
    $ip,
    $raw_user_agent,
    $cookieless_extra,
    $anon_distinct_id: _,
    ...kept
  } = event.properties
  const userAgent = textOf($raw_user_agent) ?? request.userAgent
  const host = hostOf(kept)
  if (userAgent === '' || host === undefined) {
    return drop(`event in cookieless mode without ${host ? '$raw_user_agent' : '$host'}`)
  }
  const day = dayOf(clockOf(event.timestamp, kept.$timezone, request.timezone))
  const salt = await findSalt(day)
  if (!salt) {
    return drop(
      `event in cookieless mode from ${day}: accepted from the beginning of its day until 72 hours after its end`
    )
  }

  const address = textOf($ip) ?? request.address
  const parts = [
    request.projectId,
    address,
    rootDomainOf(host),
    userAgent,
    $cookieless_extra ?? null
  ]
  const hash = createHmac('sha256', salt).update(JSON.stringify(parts)).digest('hex')
  const visitor = hash.slice(0, VISITOR_DIGITS)
  return {
    ...event,
    distinct_id: event.distinct_id === SENTINEL ? `cookieless_${visitor}` : event.distinct_id,
    visitor,
    properties: { ...kept, $device_id: `cookielessd_${visitor}` }
  }
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Returns the host of the visited site, with its port if the event has one. */
function hostOf({ $host, $current_url }: JsonObject): string | undefined {
  const url = textOf($current_url)
  return textOf($host) ?? (url && URL.canParse(url) ? textOf(new URL(url).host) : undefined)
}

/** Returns the registrable domain: `www.shop.co.uk:3000` gives `shop.co.uk`, `localhost:3000` gives `localhost`. */
const rootDomainOf = (host: string): string =>
  getDomain(host) ?? host.replace(/:\d+$/, '').toLowerCase()

/** Returns the visitor's local time at an event; in the fallback zone unless the event names an existing one. */
function clockOf(time: number, zone: Json | undefined, fallback: string): number {
  const name = textOf(zone)?.toLowerCase()
  // Offsets such as `+05:30` are not names of time zones, and there are thousands of them.
  if (name === undefined || !/^[a-z][a-z0-9_+/-]{1,40}$/.test(name)) {
    return toClock(time, fallback)
  }
  try {
    return toClock(time, name)
  } catch {
    return toClock(time, fallback)
  }
}

/** Returns the client's address: the first in `X-Forwarded-For`, otherwise the one that connected to Cloudflare. */
export function addressOf(headers: Headers): string {
  const [first = ''] = (headers.get('X-Forwarded-For') ?? '').split(',')
  return first.trim() || headers.get('CF-Connecting-IP') || LOOPBACK
}

/** The address of local requests, which have no header that names one. */
const LOOPBACK = '127.0.0.1'
