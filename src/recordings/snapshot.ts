import { DAY } from '../calendar/units.ts'
import { sha256 } from '../hash.ts'
import type { Dropped } from '../input/dropped.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import { readUuid, uuidFromHex } from '../input/uuid.ts'
import { isCookieless, readOwnId, SENTINEL } from '../persons/distinct-id.ts'
import type { Unpacking } from './packed.ts'
import { type RecordingPart, SessionId } from './part.ts'

/** A snapshot's time, corrected by the skew, must differ from now by less than this, ms. */
const MAX_DISTANCE = 7 * DAY
/** Maximum number of characters that are kept of a window id. */
const MAX_WINDOW = 200

/** A part to store; `lines` holds its snapshots as lines of JSON, `[window id, snapshot]` each. */
export type NewPart = { part: Omit<RecordingPart, 'project_id'>; lines: string }

/**
 * Reads one `$snapshot` event as an SDK sends it. Returns the part to store, the reason if the
 * event is dropped, or undefined if it has no snapshots. `sentAt` is the client's clock when it
 * sent the request, `now` the server's clock; ms UTC. `unpacking` is the request's.
 */
export async function readSnapshot(
  raw: Json,
  sentAt: number | undefined,
  now: number,
  unpacking: Unpacking
): Promise<NewPart | Dropped | undefined> {
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
  const own = readOwnId(raw, properties)
  if ('reason' in own) {
    return drop(own.reason)
  }
  if (isVisitorWithoutCookies(own.id, properties)) {
    return drop('visitors in cookieless mode are not recorded')
  }
  const snapshots = (Array.isArray(data) ? data : [data]).filter(isSnapshot)
  if (snapshots.length === 0) {
    return undefined
  }
  const skew = Math.round((sentAt ?? now) - now)
  const fault = faultOfSnapshots(snapshots, { skew, now, unpacking })
  if (fault !== undefined) {
    return drop(fault)
  }

  const window = windowOf(properties) ?? session.data
  const lines = snapshots.map((snapshot) => `${JSON.stringify([window, snapshot])}\n`).join('')
  return {
    part: {
      session_id: session.data,
      part_id: uuid ?? uuidFromHex(sha256(`${session.data}\n${lines}`).slice(0, 32)),
      distinct_id: own.id,
      source: sourceOf(properties),
      skew,
      received_at: now
    },
    lines
  }
}

/** Returns why a part with these snapshots is refused, or undefined. */
function faultOfSnapshots(
  snapshots: Snapshot[],
  { skew, now, unpacking }: { skew: number; now: number; unpacking: Unpacking }
): string | undefined {
  return snapshots.some(({ timestamp }) => Math.abs(timestamp - skew - now) >= MAX_DISTANCE)
    ? 'snapshots must be timed within 7 days of now'
    : unpacking.faultOf(snapshots)
}

const isVisitorWithoutCookies = (distinctId: string, properties: JsonObject): boolean =>
  distinctId === SENTINEL || isCookieless(properties)

const sourceOf = ({ $snapshot_source }: JsonObject) =>
  $snapshot_source === 'mobile' ? 'mobile' : 'web'

/** Returns the id of the browser window; undefined if the SDK sends no text, or an empty one. */
const windowOf = ({ $window_id }: JsonObject): string | undefined =>
  typeof $window_id === 'string' && $window_id !== '' ? $window_id.slice(0, MAX_WINDOW) : undefined

export type Snapshot = JsonObject & { timestamp: number }

/** Whether a value is a snapshot: an object with a time, whatever its other members are. */
export const isSnapshot = (value: Json): value is Snapshot =>
  isObject(value) && typeof value.timestamp === 'number' && value.timestamp > 0
