import * as z from 'zod'
import type { ProjectSettings } from '../access/settings.ts'
import { AppError } from '../errors.ts'
import type { Dropped } from '../input/dropped.ts'
import { isObject, type JsonObject, parseOr } from '../input/json.ts'
import { isCookieless } from '../persons/distinct-id.ts'
import { pause } from '../turns.ts'
import type { CapturedEvent } from './event.ts'
import type { UserAgentFacts } from './user-agent.ts'

/*
 * Where an event comes from: the place that Cloudflare knows of its request, and the device in its
 * user agent. Both become properties with PostHog's names when the request arrives, because the
 * queue knows neither. What an SDK says stays as it is.
 */

/**
 * The values of `$lib` of SDKs that run in a visitor's browser, and in an app on a visitor's
 * device.
 */
const BROWSER_SDKS = new Set(['web', 'js'])
const MOBILE_SDKS = new Set([
  'posthog-android',
  'posthog-flutter',
  'posthog-ios',
  'posthog-react-native'
])

/**
 * The place of a request from this machine, as JSON with the members of `Place`. On Cloudflare, the
 * header is ignored.
 */
export const PLACE_HEADER = 'X-Local-Place'

/**
 * Headers with which a proxy between the visitor and Cloudflare shows itself; `CF-Worker` is
 * another Worker's.
 */
const PROXY_HEADERS = ['CF-Worker', 'Forwarded', 'Via', 'X-Forwarded-Host']

const DEVICE_PROPERTIES = ['$browser', '$os', '$os_name', '$device_type']

/**
 * Longest user agent that is read, characters: reading takes quadratic time. Browsers send at most
 * 400.
 */
const MAX_USER_AGENT = 512

/**
 * Events handled before other requests get their turn; 500 with a user agent each take about 10 ms.
 */
const SLICE = 500

const Name = z.string().min(1).max(100).optional().catch(undefined)

/**
 * The members of `request.cf` that are read. `country` is an ISO 3166 code, `XX` if unknown, `T1`
 * for Tor.
 */
const Place = z.object({
  country: Name,
  region: Name,
  regionCode: Name,
  city: Name,
  timezone: Name
})
type Place = z.infer<typeof Place>

let countryNames: Intl.DisplayNames | undefined

/**
 * Adds to each event the place of its request, as far as the project's setting allows, and the
 * device in its user agent. Leaves out dropped events.
 * @throws parse_error for a request from this machine with an invalid `X-Local-Place`
 */
export async function addOrigins(
  events: readonly (CapturedEvent | Dropped)[],
  request: Request,
  setting: ProjectSettings['location']
): Promise<(CapturedEvent | Dropped)[]> {
  const place = setting === 'off' ? undefined : placeOf(request)
  const country = place && countryOf(place)
  const city = setting === 'city' && country ? { ...country, ...cityOf(place) } : country
  const readFacts = createReader()
  const outcomes: (CapturedEvent | Dropped)[] = []
  for (const [n, event] of events.entries()) {
    if (n % SLICE === SLICE - 1) {
      await pause(0)
    }
    if ('reason' in event) {
      outcomes.push(event)
      continue
    }
    const { properties } = event
    const userAgent = userAgentOf(properties, request.headers)
    const added = {
      ...(isLocated(properties, request.headers) && (isCookieless(properties) ? country : city)),
      ...(userAgent !== undefined && deviceOf(properties, await readFacts(userAgent)))
    }
    outcomes.push({ ...event, properties: { ...properties, ...added } })
  }
  return outcomes
}

/** Whether the place of the request is the place of the event's visitor. */
function isLocated(properties: JsonObject, headers: Headers): boolean {
  const { $lib, $ip } = properties
  const isOfDevice = typeof $lib === 'string' && (BROWSER_SDKS.has($lib) || MOBILE_SDKS.has($lib))
  const isOfAnother = typeof $ip === 'string' && $ip !== headers.get('CF-Connecting-IP')
  // `$geoip_disable` asks for no place, and an SDK that names one knows better.
  const saysPlace = Object.keys(properties).some(
    (name) => name.startsWith('$geoip_') && properties[name] !== false
  )
  return isOfDevice && !isOfAnother && !saysPlace && properties.$is_server !== true
}

/**
 * Returns the place of the request's client; undefined if it is unknown, or a proxy stands between.
 */
function placeOf({ cf, headers }: Request): Place | undefined {
  const address = headers.get('CF-Connecting-IP')
  const chain = (headers.get('X-Forwarded-For') ?? '').split(',').map((part) => part.trim())
  const isProxied =
    PROXY_HEADERS.some((name) => headers.has(name)) ||
    chain.some((part) => part !== '' && part !== address)
  if (isProxied) {
    return undefined
  }
  // Cloudflare sets both headers, whatever the client sends. Locally, `cf` is a sample or the place
  // of the whole network.
  if (headers.has('CF-Ray')) {
    return address === null ? undefined : Place.parse(cf ?? {})
  }
  return address === null || /^(127\.|::1$)/.test(address) ? localPlaceOf(headers) : undefined
}

/** @throws parse_error */
function localPlaceOf(headers: Headers): Place | undefined {
  const text = headers.get(PLACE_HEADER)
  if (text === null) {
    return undefined
  }
  const invalid = () =>
    new AppError(
      'parse_error',
      `The header ${PLACE_HEADER} must be a JSON object such as {"country":"DE"}.`,
      PLACE_HEADER
    )
  const place = parseOr(text, invalid)
  if (!isObject(place)) {
    throw invalid()
  }
  return Place.parse(place)
}

function countryOf({ country = '' }: Place): JsonObject | undefined {
  if (!/^[A-Z]{2}$/.test(country)) {
    return undefined
  }
  countryNames ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const name = countryNames.of(country)
  return name === undefined
    ? undefined
    : { $geoip_country_code: country, $geoip_country_name: name }
}

const cityOf = ({ region, regionCode, city, timezone }: Place): JsonObject => ({
  ...(regionCode !== undefined && { $geoip_subdivision_1_code: regionCode }),
  ...(region !== undefined && { $geoip_subdivision_1_name: region }),
  ...(city !== undefined && { $geoip_city_name: city }),
  ...(timezone !== undefined && { $geoip_time_zone: timezone })
})

/**
 * Returns the user agent of an event's visitor: an app's requests carry that of its HTTP library, a
 * server's its own.
 */
function userAgentOf(properties: JsonObject, headers: Headers): string | undefined {
  const { $raw_user_agent: sent, $lib } = properties
  const isOfBrowser = typeof $lib === 'string' && BROWSER_SDKS.has($lib)
  const text = sent ?? (isOfBrowser ? headers.get('User-Agent') : null)
  return typeof text === 'string' && text !== '' && text.length <= MAX_USER_AGENT ? text : undefined
}

/**
 * Returns the properties that an event lacks: whether its visitor is a bot, and the visitor's
 * device unless the event names any part of it, or has a visitor without cookies, of whose user
 * agent nothing is stored.
 */
function deviceOf(properties: JsonObject, { isBot, device }: UserAgentFacts): JsonObject {
  const namesDevice = DEVICE_PROPERTIES.some((name) => Object.hasOwn(properties, name))
  const isRead = !namesDevice && !isCookieless(properties)
  const saysBot = properties.$browser_type === 'bot'
  return {
    ...(!Object.hasOwn(properties, '$virt_is_bot') && { $virt_is_bot: isBot || saysBot }),
    ...(isRead && device)
  }
}

/** Returns a function that reads user agents, each only once. */
function createReader() {
  const known = new Map<string, UserAgentFacts>()

  return async function readFacts(text: string): Promise<UserAgentFacts> {
    const found = known.get(text)
    if (found) {
      return found
    }
    // Loaded on first use: requests of servers do not need it.
    const { readUserAgent } = await import('./user-agent.ts')
    const facts = readUserAgent(text)
    known.set(text, facts)
    return facts
  }
}
