import { AppError } from './errors.ts'
import { readBytes } from './input/stream.ts'

/**
 * A request to another service got no usable response. With `refused`, this service did not send
 * the request, or did not follow a redirect; with `too_large`, the response was too long;
 * otherwise, it is unknown whether the request has arrived.
 */
export class OutboundError extends Error {
  readonly kind: 'refused' | 'unreachable' | 'timeout' | 'too_large'

  constructor(kind: OutboundError['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/**
 * The outcome of sending to one recipient. `uncertain`: the message may have arrived. `transient`:
 * it has not arrived, and another attempt may succeed; `retryAfter` is in seconds. `permanent`:
 * another attempt would fail as well.
 */
export type Sent =
  | { kind: 'sent' }
  | { kind: 'uncertain' | 'permanent'; error: string }
  | { kind: 'transient'; error: string; retryAfter?: number | undefined }

export type OutboundRequest = {
  url: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

export type OutboundLimits = {
  /** The setting `OUTBOUND_ALLOW`: hosts that are always allowed, separated by commas. */
  allow: string
  /** Time limit for the whole exchange, with redirects and body, ms. */
  timeoutMs: number
  /** Largest body of a response, decompressed, bytes. */
  maxBytes: number
  /**
   * Whether to read the body of a response with this status and these headers; otherwise it is
   * returned empty. By default, all bodies are read.
   */
  reads?: (status: number, headers: Headers) => boolean
}

export type OutboundAnswer = { status: number; headers: Headers; body: Uint8Array }

/** Maximum number of redirects that are followed. */
const MAX_REDIRECTS = 3
/** Longest URL, characters. */
const MAX_URL = 2_048

/** Headers that are not sent on to another origin. */
const CREDENTIALS = ['authorization', 'cookie', 'x-api-key', 'api-key']

/**
 * Sends a request to an external service and returns the response, whatever its status. Follows at
 * most three redirects and checks each URL like the first. Sends no credentials to another origin.
 * Follows a 303 with GET; every other redirect repeats the request.
 * @throws OutboundError
 */
export async function sendOutbound(
  request: OutboundRequest,
  limits: OutboundLimits
): Promise<OutboundAnswer> {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  let url = checkUrl(request.url, limits.allow)
  let { method, body } = request
  const headers = new Headers(request.headers)
  try {
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, {
        method,
        headers,
        body: body ?? null,
        redirect: 'manual',
        signal
      })
      const location = REDIRECTS.has(response.status) ? response.headers.get('Location') : null
      if (location === null) {
        return { status: response.status, headers: response.headers, body: await read(response) }
      }
      await response.body?.cancel()
      if (redirects === MAX_REDIRECTS) {
        throw refused(`The server redirects more than ${MAX_REDIRECTS} times.`)
      }
      const next = checkUrl(location, limits.allow, url.href)
      if (next.origin !== url.origin) {
        deleteCredentials(headers)
      }
      if (response.status === 303) {
        method = 'GET'
        body = undefined
      }
      url = next
    }
  } catch (error) {
    throw translate(error, signal, limits)
  }

  async function read({ status, headers, body }: Response): Promise<Uint8Array> {
    if (body && (limits.reads?.(status, headers) ?? true)) {
      return readBytes(body, limits.maxBytes)
    }
    await body?.cancel()
    return new Uint8Array()
  }
}

function deleteCredentials(headers: Headers): void {
  for (const name of CREDENTIALS) {
    headers.delete(name)
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function translate(
  error: unknown,
  signal: AbortSignal,
  { timeoutMs, maxBytes }: OutboundLimits
): OutboundError {
  if (error instanceof OutboundError) {
    return error
  }
  if (signal.aborted) {
    return new OutboundError(
      'timeout',
      `The server did not respond within ${timeoutMs / 1000} s.`,
      error
    )
  }
  // `readBytes` throws an AppError for a body of more than `maxBytes`.
  if (error instanceof AppError) {
    return new OutboundError('too_large', `The response is larger than ${maxBytes} bytes.`)
  }
  return new OutboundError(
    'unreachable',
    'The server cannot be reached, or closed the connection.',
    error
  )
}

/**
 * Parses a URL and checks that requests may be sent to it: https, without user and password, and
 * not in a private network, neither by IP address (in any notation) nor by name. Host names are not
 * resolved. Hosts in `allow` may be private and use http. A relative URL is resolved against
 * `base`.
 * @throws OutboundError of kind `refused`
 */
export function checkUrl(text: string, allow: string, base?: string): URL {
  if (text.length > MAX_URL) {
    throw refused(`A URL may have at most ${MAX_URL} characters.`)
  }
  if (!URL.canParse(text, base)) {
    throw refused('This is not a valid URL.')
  }
  const url = new URL(text, base)
  if (url.username || url.password) {
    throw refused('A URL must not contain a user name or password.')
  }
  const isOpen = allow
    .split(',')
    .some((host) => [url.host, url.hostname].includes(host.trim().toLowerCase()))
  if (isOpen && url.protocol === 'http:') {
    return url
  }
  if (url.protocol !== 'https:') {
    throw refused('The URL must begin with https://.')
  }
  if (!isOpen && isPrivate(url.hostname)) {
    throw refused('This address is in a private network.')
  }
  return url
}

const refused = (why: string) => new OutboundError('refused', why)

/**
 * Whether a host is in a private network. `hostname` must come from the URL parser, which turns any
 * notation of an IPv4 address into dotted decimal (`0x7f.1` → `127.0.0.1`) and puts IPv6 in
 * brackets.
 */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '')
  if (host.startsWith('[')) {
    return isPrivateV6(host.slice(1, -1))
  }
  if (/^\d+(\.\d+){3}$/.test(host)) {
    return isPrivateV4(host)
  }
  return !host.includes('.') || PRIVATE_NAMES.test(host)
}

/**
 * Names that exist only in private networks: reserved names (RFC 6761, 6762, 8375) and the names
 * that routers and clusters use.
 */
const PRIVATE_NAMES =
  /\.(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)$/

/**
 * IPv4 blocks that IANA registers as not globally reachable; also multicast and reserved addresses
 * (224.0.0.0/3), and Azure's metadata service (168.63.129.16).
 */
const PRIVATE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3'
].map((block) => {
  const [address = '', bits] = block.split('/')
  const size = 2 ** (32 - Number(bits))
  return { from: toNumber(address), size }
})

function isPrivateV4(address: string): boolean {
  const number = toNumber(address)
  return PRIVATE_V4.some(({ from, size }) => number >= from && number < from + size)
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0)
}

/**
 * Whether an IPv6 address is private. Only global unicast (2000::/3) is public, except the
 * addresses for documentation (3fff::/16, 2001:db8::/32) and the addresses that may embed IPv4
 * addresses: 2001::/23, which includes Teredo, and 6to4 (2002::/16).
 */
function isPrivateV6(address: string): boolean {
  const [first = '', second = ''] = address.split(':')
  const [high, low] = [Number.parseInt(first || '0', 16), Number.parseInt(second || '0', 16)]
  if (high < 0x2000 || high > 0x3fff) {
    return true
  }
  return high === 0x2002 || high === 0x3fff || (high === 0x2001 && (low < 0x200 || low === 0xdb8))
}
