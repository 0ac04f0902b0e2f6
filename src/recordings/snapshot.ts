import { isCookieless, SENTINEL } from '../capture/cookieless/visitor.ts'
import { sha256 } from '../hash.ts'
import type { Dropped } from '../input/dropped.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import { readUuid } from '../input/uuid.ts'
import { readDistinctId } from '../persons/distinct-id.ts'
import { type RecordingPart, SessionId } from './part.ts'

const STEP = 5 * 60_000
const MAX_DISTANCE = 7 * 86_400_000
const MAX_WINDOW = 200

/** A part as it is to be stored: `lines` are the text of its object. */
export type Snapshots = { part: Omit<RecordingPart, 'project_id'>; lines: string }

/**
 * Reads one `$snapshot` event as an SDK sends it. What cannot be kept is answered with the reason; undefined for one
 * that holds nothing to keep. `sentAt` is the client's clock, `now` the server's; ms.
 */
export async function readSnapshot(
  raw: Json,
  sentAt: number | undefined,
  now: number
): Promise<Snapshots | Dropped | undefined> {
  if (!isObject(raw)) {
    return { uuid: null, reason: 'event is not an object' }
  }
  const uuid = readUuid(raw.uuid)
  const drop = (reason: string): Dropped => ({ uuid, reason })

  const properties = isObject(raw.properties) ? raw.properties : {}
  const data = properties.$snapshot_data
  if (typeof data !== 'object' || data === null) {
    return drop('event submitted without $snapshot_data')
  }
  const session = SessionId.safeParse(properties.$session_id)
  if (!session.success) {
    return drop('event submitted without a valid $session_id')
  }
  const distinctId = readDistinctId(raw.distinct_id ?? raw.$distinct_id ?? properties.distinct_id)
  if (distinctId === undefined) {
    return drop('event submitted without a distinct_id')
  }
  if (isOfSomebodyWithoutCookies(distinctId, properties)) {
    return drop('visitors in cookieless mode are not recorded')
  }
  const snapshots = (Array.isArray(data) ? data : [data]).filter(isSnapshot)
  if (snapshots.length === 0) {
    return undefined
  }
  const skew = Math.round(((sentAt ?? now) - now) / STEP) * STEP
  const times = snapshots.map(({ timestamp }) => timestamp - skew - now)
  if (times.some((distance) => Math.abs(distance) >= MAX_DISTANCE)) {
    return drop('snapshots of another week')
  }

  const lines = toLines(windowOf(properties) ?? session.data, snapshots)
  if (lines === undefined) {
    return drop('snapshots are nested too deeply')
  }
  return {
    part: {
      session_id: session.data,
      part_id: uuid ?? toUuid(await sha256(`${session.data}\n${lines}`)),
      distinct_id: distinctId,
      source: sourceOf(properties),
      skew,
      received_at: now
    },
    lines
  }
}

const isOfSomebodyWithoutCookies = (distinctId: string, properties: JsonObject): boolean =>
  distinctId === SENTINEL || isCookieless(properties)

const sourceOf = ({ $snapshot_source }: JsonObject) =>
  $snapshot_source === 'mobile' ? 'mobile' : 'web'

/** The id of the browser's window, if the SDK sends one. */
const windowOf = ({ $window_id }: JsonObject): string | undefined =>
  typeof $window_id === 'string' ? $window_id.slice(0, MAX_WINDOW) : undefined

export type Snapshot = JsonObject & { timestamp: number }

const isSnapshot = (value: Json): value is Snapshot =>
  isObject(value) && typeof value.timestamp === 'number' && value.timestamp > 0

/** Undefined when the snapshots are nested deeper than can be written. */
function toLines(window: string, snapshots: Snapshot[]): string | undefined {
  try {
    return snapshots.map((snapshot) => `${JSON.stringify([window, snapshot])}\n`).join('')
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined
    }
    throw error
  }
}

const toUuid = (hex: string): string =>
  hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
