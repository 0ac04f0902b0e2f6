import { parseTimestamp } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { fromBase64 } from '../input/base64.ts'
import { isGzip, readDecoded, unpack } from '../input/encoding.ts'
import { depthOf, isObject, type Json, type JsonObject, parseOr } from '../input/json.ts'
import { MAX_MEMORY, type Scanned, scan } from '../input/scan.ts'
import type { Changed } from './changed-values.ts'

/**
 * Largest request body, bytes, both as sent and after decompression. SDKs halve a batch that is
 * refused with 413.
 */
export const MAX_BODY_BYTES = 10_000_000
/** Maximum number of events in one request. */
export const MAX_EVENTS = 20_000

/**
 * Levels of nested arrays and objects allowed in a request. Recordings need the most: an element of
 * a page takes two, and the parser of Chrome nests elements at most 512 deep. `JSON.stringify`,
 * which is recursive, writes several thousand.
 */
export const MAX_LEVELS = 1_500

const LIMITS = { depth: MAX_LEVELS, memory: MAX_MEMORY, values: Number.POSITIVE_INFINITY }

/**
 * Properties that identify a person. Their numbers keep all digits: as doubles, 1152921504606846977
 * and 1152921504606846980 would be the same.
 */
export const ID_PROPERTIES: ReadonlySet<string> = new Set([
  'alias',
  '$anon_distinct_id',
  '$user_id'
])
/** The same, and the distinct id of an event. */
const IDS: ReadonlySet<string> = new Set([...ID_PROPERTIES, 'distinct_id', '$distinct_id'])

/**
 * Reads the JSON of a request as SDKs send it: plain, gzip, base64, or a form whose field `data`
 * holds one of these. Undoes a `Content-Encoding` first; then tells the encoding from the bytes,
 * because SDK headers are unreliable.
 *
 *     {"event":"signed up",…}
 *     data=eyJldmVudCI6InNpZ25lZCB1cCIs…
 * @throws request_too_large, parse_error, unsupported_media_type
 */
export const readJson = async (request: Request | Response): Promise<Json> =>
  parse(await readText(request), IDS).json

/**
 * Like `readJson`, but also returns two paths: `inexact` leads to the first number that
 * `JSON.parse` changes, such as 9007199254740993; `repeated` leads to the first member that repeats
 * a name within its object. Of members with the same name, `JSON.parse` keeps only the last. `form`
 * says where the body has its events.
 * @param ids the members that keep all digits of a number
 * @throws request_too_large, parse_error, unsupported_media_type
 */
export async function readExactly(
  request: Request | Response,
  ids = IDS
): Promise<{ json: Json } & Changed> {
  const { json, inexact, repeated } = parse(await readText(request), ids)
  return { json, form: formOf(json), inexact, repeated }
}

function formOf(json: Json): Changed['form'] {
  if (Array.isArray(json)) {
    return 'list'
  }
  return isObject(json) && json.batch !== undefined ? 'batch' : 'event'
}

/** Layers undone besides the `Content-Encoding`: base64 around gzip is two. */
const MAX_LAYERS = 2

/** Returns the text of a request's JSON, freed from its encodings and from a form around it. */
async function readText(request: Request | Response): Promise<string> {
  let bytes = await readDecoded(request, MAX_BODY_BYTES)
  // One round for each layer, and one for the text inside the last layer.
  for (let round = 0; round <= MAX_LAYERS; round += 1) {
    if (isGzip(bytes)) {
      bytes = unpack(bytes, 'gzip', MAX_BODY_BYTES)
      continue
    }
    const text = unwrapForm(decodeUtf8(bytes).trim())
    if (text === '') {
      throw new AppError('parse_error', 'request missing data payload')
    }
    if (isJson(text)) {
      return text
    }
    // Some clients send base64 with an unescaped `+`, which form decoding turns into a space.
    bytes = decodeBase64(text.replaceAll(' ', '+'))
  }
  throw new AppError('parse_error', 'failed to decode request: more than two nested encodings')
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new AppError('parse_error', 'failed to decode request: invalid UTF-8')
  }
}

const isJson = (text: string): boolean => text.startsWith('{') || text.startsWith('[')

/** Returns a form's `data` field; other text is returned unchanged. */
const unwrapForm = (text: string): string =>
  isJson(text) || !/(^|&)data=/.test(text)
    ? text
    : (new URLSearchParams(text).get('data')?.trim() ?? '')

function decodeBase64(text: string): Uint8Array {
  try {
    return fromBase64(text)
  } catch {
    throw new AppError('parse_error', 'failed to decode request: neither JSON, gzip nor base64')
  }
}

/** Longest text that is parsed before it is scanned: a `[` takes at most 64 bytes of memory. */
const MAX_UNSCANNED = MAX_MEMORY / 64
/** Matches an integer that a double may round, or a text with such digits. */
const LONG_INTEGER = /[:,[]-?\d{16}/

/**
 * Parses a text of which parsing loses nothing, because `JSON.stringify` returns the same text: so
 * most SDKs send it. This takes a fraction of the time of `scan`. Returns undefined for other texts.
 */
function parseLossless(text: string): Json | undefined {
  if (text.length > MAX_UNSCANNED || LONG_INTEGER.test(text)) {
    return undefined
  }
  try {
    const json: Json = JSON.parse(text)
    const isLossless = depthOf(json, MAX_LEVELS) <= MAX_LEVELS && JSON.stringify(json) === text
    return isLossless ? json : undefined
  } catch {
    // Invalid JSON. Its scan tells what else may be wrong with it.
    return undefined
  }
}

type Parsed = { json: Json } & Pick<Scanned, 'inexact' | 'repeated'>

function parse(text: string, ids: ReadonlySet<string>): Parsed {
  const json = parseLossless(text)
  if (json !== undefined) {
    return { json, inexact: undefined, repeated: undefined }
  }
  const scanned = scan(text, LIMITS, ids)
  if (scanned.isTooDeep) {
    throw malformed(`nested deeper than ${MAX_LEVELS}`)
  }
  return { json: parseOr(scanned.text, () => malformed('invalid JSON')), ...scanned }
}

const malformed = (why: string) => new AppError('parse_error', `failed to parse request: ${why}`)

/** `sentAt` is the client's clock when it sent the request, ms UTC. */
export type CaptureRequest = { token: string; sentAt: number | undefined; events: Json[] }

/**
 * Reads the token, send time and events from a body: an array of events, an envelope with `batch`,
 * or one event.
 * @throws invalid_input, request_too_large, authentication_failed
 */
export function readRequest(body: Json): CaptureRequest {
  const envelope = isObject(body) ? body : undefined
  const batch = envelope?.batch
  if (batch !== undefined && !Array.isArray(batch)) {
    throw new AppError('invalid_input', 'failed to parse request: batch is not an array', 'batch')
  }
  const events = Array.isArray(body) ? body : (batch ?? [body])
  if (events.length === 0) {
    // The text is PostHog's.
    throw new AppError('invalid_input', 'request holds no event', 'batch')
  }
  expectFewEvents(events)
  const token = checkToken((envelope && tokenOf(envelope)) ?? onlyToken(events))
  return { token, sentAt: readSentAt(envelope?.sent_at), events }
}

/** Whether a body says that its events are imported. */
export const isImport = (body: Json): boolean =>
  isObject(body) && body.historical_migration === true

/** @throws request_too_large for a list of more than `MAX_EVENTS` events */
export function expectFewEvents(events: Json | undefined): void {
  if (Array.isArray(events) && events.length > MAX_EVENTS) {
    throw new AppError('request_too_large', `maximum number of events exceeded: ${MAX_EVENTS}`)
  }
}

/** Returns the token of an envelope. @throws authentication_failed */
export const readToken = (envelope: JsonObject): string => checkToken(tokenOf(envelope))

const tokenOf = (object: JsonObject): Json | undefined =>
  object.api_key ?? object.token ?? object.$token

function onlyToken(events: Json[]): Json | undefined {
  const tokens = new Set(
    events
      .filter(isObject)
      .map(
        (event) =>
          tokenOf(event) ?? (isObject(event.properties) ? event.properties.token : undefined)
      )
  )
  tokens.delete(undefined)
  tokens.delete(null)
  if (tokens.size > 1) {
    throw invalidToken('batch submitted with inconsistent api_key values')
  }
  return [...tokens][0]
}

/** The codes in the error details, such as `too_long`, are PostHog's. */
function checkToken(token: Json | undefined): string {
  if (token === undefined || token === null) {
    throw invalidToken('event submitted without an api_key')
  }
  const text = typeof token === 'string' ? token.trim() : ''
  if (text === '') {
    throw invalidToken('API key is not valid: empty')
  }
  if (text.length > 64) {
    throw invalidToken('API key is not valid: too_long')
  }
  if (text.includes('\0')) {
    throw invalidToken('API key is not valid: null_byte')
  }
  if (!/^[\x20-\x7e]+$/.test(text)) {
    throw invalidToken('API key is not valid: not_ascii')
  }
  if (text.startsWith('phx_')) {
    throw invalidToken(
      'API key is not valid: personal_api_key. Send events with the project’s capture token (phc_…), not with a personal API key (phx_…).'
    )
  }
  return text
}

export const invalidToken = (detail: string): AppError =>
  new AppError('authentication_failed', detail, 'api_key')

/** The last ms of the year 9999, UTC. */
const LAST_TIME = 253_402_300_799_999

/**
 * Reads a client's send time as ms UTC: a number in ms from 1970 to 9999, or any text that
 * `parseTimestamp` reads, otherwise undefined. The text `"1700000000"` is seconds, the number
 * `1700000000` is ms.
 */
export function readSentAt(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    return value >= 0 && value <= LAST_TIME ? value : undefined
  }
  return typeof value === 'string' ? parseTimestamp(value) : undefined
}
