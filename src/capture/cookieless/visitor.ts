import { createHmac } from 'node:crypto'
import { toClock } from '../../calendar/clock.ts'
import type { Dropped } from '../../input/dropped.ts'
import type { Json, JsonObject } from '../../input/json.ts'
import { log } from '../../log.ts'
import { isCookieless, SENTINEL } from '../../persons/distinct-id.ts'
import { pause } from '../../turns.ts'
import type { CapturedEvent } from '../event.ts'
import { dayOf } from './salts.ts'

/*
 * Visitors without cookies. posthog-js with `cookieless_mode` keeps no id in the browser and sends
 * the same distinct id for every visitor. The server replaces that id with a hash of IP address,
 * site and user agent, which every request carries anyway. The hash is valid for one calendar day
 * and one site, as in PostHog's `cookieless-manager.ts`.
 */

/** Hexadecimal digits kept of a visitor's SHA-256 hash: 128 bits, enough to rule out collisions. */
const VISITOR_DIGITS = 32

/** Events hashed before other requests get their turn; 500 take about 10 ms. */
const SLICE = 500

const ONLY_COOKIELESS = `\`distinct_id\` may be \`${SENTINEL}\` only in events with the property \`$cookieless_mode: true\``

/**
 * The facts about a capture request and its project from which `anonymize` determines a visitor's
 * calendar day and hash.
 */
export type RequestParts = {
  projectId: number
  /** Time zone of events without a valid `$timezone`. */
  timezone: string
  address: string
  userAgent: string
}

/**
 * Finds or makes the salt of a calendar day such as `2026-11-22`; undefined before the day begins
 * in the first time zone, and from 72 hours after it ends in the last.
 */
export type FindSalt = (day: string) => Promise<Uint8Array | undefined>

/**
 * Whether an event is a cookieless `$create_alias` or `$merge_dangerously`. Both are refused,
 * because a visitor's hash is valid for one day only. `$identify` is accepted without its merge:
 * see `anonymize`.
 */
const isAlias = ({ event, properties }: CapturedEvent): boolean =>
  isCookieless(properties) && (event === '$create_alias' || event === '$merge_dangerously')

/**
 * Anonymizes cookieless events, or drops them with a reason. Also drops other events whose distinct
 * id is `$posthog_cookieless`. All other events stay unchanged.
 * @throws unavailable when a salt cannot be read
 */
export async function anonymizeAll(
  events: readonly (CapturedEvent | Dropped)[],
  request: RequestParts,
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
    // One at a time: the first event of a day loads the salt into the cache for the others.
    outcomes.push('event' in event ? await anonymize(event, request, findSalt) : event)
  }
  return outcomes
}

/**
 * Sets `visitor` and `$device_id` from the visitor's hash, and `distinct_id` too if it is
 * `$posthog_cookieless`. Removes `$ip`, `$raw_user_agent`, `$cookieless_extra`, and
 * `$anon_distinct_id`, so that `$identify` merges no persons.
 * @returns the event (unchanged if it is not cookieless), or the reason why it is dropped
 * @throws unavailable when the salt cannot be read
 */
async function anonymize(
  event: CapturedEvent,
  request: RequestParts,
  findSalt: FindSalt
): Promise<CapturedEvent | Dropped> {
  const drop = (reason: string): Dropped => ({ uuid: event.uuid, reason })
  if (!isCookieless(event.properties)) {
    return event.distinct_id === SENTINEL ? drop(ONLY_COOKIELESS) : event
  }
  if (isAlias(event)) {
    return drop(
      `\`${event.event}\` is not allowed in cookieless mode: persons without cookies are never merged`
    )
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
  if (host === undefined) {
    return drop('a cookieless event needs `$host` or `$current_url`')
  }
  if (userAgent === '') {
    return drop('a cookieless event needs `$raw_user_agent` or a User-Agent header')
  }
  const day = dayOf(clockOf(event.timestamp, kept.$timezone, request.timezone))
  const salt = await findSalt(day)
  if (!salt) {
    return drop(
      `cookieless events of ${day} are accepted only from the day's start in the first time zone until 72 hours after its end in the last`
    )
  }

  const address = textOf($ip) ?? request.address
  const site = await rootDomainOf(host)
  const extra = $cookieless_extra ?? null
  const visitor = hashVisitor(salt, [request.projectId, address, site, userAgent, extra])
  return {
    ...event,
    distinct_id: event.distinct_id === SENTINEL ? `cookieless_${visitor}` : event.distinct_id,
    visitor,
    properties: { ...kept, $device_id: `cookielessd_${visitor}` }
  }
}

/** Hashes the facts that identify a visitor for a day, keyed by the day's salt. */
const hashVisitor = (salt: Uint8Array, parts: Json[]): string =>
  createHmac('sha256', salt).update(JSON.stringify(parts)).digest('hex').slice(0, VISITOR_DIGITS)

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Returns the host of the visited site, with its port if the event has one. */
function hostOf({ $host, $current_url }: JsonObject): string | undefined {
  const url = textOf($current_url)
  return textOf($host) ?? (url && URL.canParse(url) ? textOf(new URL(url).host) : undefined)
}

/** Returns the registrable domain: `www.shop.co.uk:3000` → `shop.co.uk`. */
async function rootDomainOf(host: string): Promise<string> {
  // Loaded on first use: the list of public suffixes is large, and few projects are cookieless.
  const { getDomain } = await import('tldts-icann')
  return getDomain(host) ?? host.replace(/:\d+$/, '').toLowerCase()
}

/**
 * Returns an event's wall-clock time in `zone`, or in `fallback` if `zone` is missing, unknown or
 * an offset.
 */
function clockOf(time: number, zone: Json | undefined, fallback: string): number {
  const name = textOf(zone)?.toLowerCase()
  // Offsets such as `+05:30` are refused: each would add an entry to the format cache of `toClock`,
  // which is never emptied.
  if (name === undefined || !/^[a-z][a-z0-9_+/-]{1,40}$/.test(name)) {
    return toClock(time, fallback)
  }
  try {
    return toClock(time, name)
  } catch {
    return toClock(time, fallback)
  }
}

/** Address of requests without a header that has it, such as local ones. */
const LOOPBACK = '127.0.0.1'

/**
 * Returns the client's address: the first address in `X-Forwarded-For`, otherwise the address that
 * connected to Cloudflare.
 */
export function addressOf(headers: Headers): string {
  const [first = ''] = (headers.get('X-Forwarded-For') ?? '').split(',')
  return first.trim() || headers.get('CF-Connecting-IP') || LOOPBACK
}
