import { createHmac } from 'node:crypto'
import { getDomain } from 'tldts'
import { toClock } from '../../calendar/clock.ts'
import type { Dropped } from '../../input/dropped.ts'
import type { Json, JsonObject } from '../../input/json.ts'
import { log } from '../../log.ts'
import { pause } from '../../pause.ts'
import type { CapturedEvent } from '../event.ts'
import { dayOf } from './salts.ts'

/*
 * Visitors without cookies. posthog-js with `cookieless_mode` keeps no id in the browser and sends the same one for every
 * visitor. Here it becomes a hash of what each request shows anyway, good for one calendar day and one site, as PostHog's
 * server does in `cookieless-manager.ts`.
 */

/** The distinct id that posthog-js sends for every visitor in cookieless mode. */
export const SENTINEL = '$posthog_cookieless'

/** Hexadecimal digits of the hash that names a visitor. */
const VISITOR_DIGITS = 32

/** Events after which other requests get their turn: 500 visitors take about 10 ms. */
const SLICE = 500

/** What is known of a request that carries events of visitors without cookies. */
export type Request = {
  projectId: number
  /** The time zone of the visitors' calendar where an event names none. */
  timezone: string
  address: string
  userAgent: string
}

/** The salt of a calendar day such as `2026-11-22`; undefined for a day that has none. */
export type FindSalt = (day: string) => Promise<Uint8Array | undefined>

/** Whether an event was captured without cookies. */
export const isCookieless = (properties: JsonObject): boolean =>
  Boolean(properties.$cookieless_mode)

/** Whether an event without cookies would merge persons, which are good for one day. */
const isAlias = ({ event, properties }: CapturedEvent): boolean =>
  isCookieless(properties) && (event === '$create_alias' || event === '$merge_dangerously')

/**
 * Does for each event what `anonymize` does, and passes on what was dropped before.
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
    // One after the other: the first of a day reads its salt.
    outcomes.push('event' in event ? await anonymize(event, request, findSalt) : event)
  }
  return outcomes
}

/**
 * Names the visitor of an event by a hash and takes out what the hash was made of. An `$identify` names no other id any
 * more, so that it merges nobody. Returns the reason instead for an event that cannot be kept.
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
    return drop(`event in cookieless mode from ${day}: visitors of that day are not told apart`)
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

/** The name of the visited site's machine, perhaps with a port. */
function hostOf({ $host, $current_url }: JsonObject): string | undefined {
  const url = textOf($current_url)
  return textOf($host) ?? (url && URL.canParse(url) ? textOf(new URL(url).host) : undefined)
}

/** `www.shop.co.uk:3000` is `shop.co.uk`; a machine outside the public domains keeps its name. */
const rootDomainOf = (host: string): string =>
  getDomain(host) ?? host.replace(/:\d+$/, '').toLowerCase()

/** What the visitor's clock shows at an event; the project's where the event names no time zone that there is. */
function clockOf(time: number, zone: Json | undefined, fallback: string): number {
  const name = textOf(zone)?.toLowerCase()
  // Anything but a name with a letter first is an offset, of which there are thousands.
  if (name === undefined || !/^[a-z][a-z0-9_+/-]{1,40}$/.test(name)) {
    return toClock(time, fallback)
  }
  try {
    return toClock(time, name)
  } catch {
    return toClock(time, fallback)
  }
}

/** The address that a request comes from: the first of those that proxies have noted, or the one that has connected. */
export function addressOf(headers: Headers): string {
  const [first = ''] = (headers.get('X-Forwarded-For') ?? '').split(',')
  return first.trim() || headers.get('CF-Connecting-IP') || LOOPBACK
}

/** Locally nothing notes an address. */
const LOOPBACK = '127.0.0.1'
