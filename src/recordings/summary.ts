import { isObject, type JsonObject } from '../input/json.ts'
import { type Activity, countActivity } from './activity.ts'
import type { Snapshot } from './snapshot.ts'

/*
 * Counts the activity in a recording by PostHog's rules:
 * `nodejs/src/session-recording/segmentation.ts` and the files next to it. The numbers of types and
 * sources are rrweb's. A browser may send members of any type: a member of another type than
 * rrweb's is like a missing member, so its snapshot counts as another kind of snapshot.
 */

const INCREMENTAL = 3
const META = 4
const CUSTOM = 5
const PLUGIN = 6

const SOURCES = { mouseMove: 1, mouseInteraction: 2, input: 5, touchMove: 6 }

/** Mouse moves, clicks, scrolls, resizes, inputs, touches, media and drags. */
const ACTIVE_SOURCES: unknown[] = [1, 2, 3, 4, 5, 6, 7, 12]

/** Click, context menu, double click and the end of a touch. */
const CLICKS: unknown[] = [2, 3, 4, 9]

/** Time without an active snapshot after which the visitor counts as inactive, ms. */
const IDLE_MS = 5_000

/** Maximum number of characters that are kept of a page's URL. */
const MAX_URL = 4_096
/** Maximum number of pages that a recording lists. */
export const MAX_URLS = 25

/** The aggregate of the snapshots of one part. Times are ms UTC. */
export type PartSummary = {
  startTime: number
  endTime: number
  activeMs: number
  clickCount: number
  keypressCount: number
  mouseActivityCount: number
  consoleLogCount: number
  consoleWarnCount: number
  consoleErrorCount: number
  /** The first pages, each with the time at which it was first seen, in order of time. */
  urls: [number, string][]
  activity: Activity
}

/** Summarizes the snapshots of a part, with times by the client's clock. */
export function summarize(snapshots: Snapshot[]): PartSummary {
  const times = snapshots.map(timeOf)
  const startTime = times.reduce((a, b) => Math.min(a, b))
  const endTime = times.reduce((a, b) => Math.max(a, b))
  const countFrom = (...sources: unknown[]) =>
    countOf(snapshots, ({ source }) => sources.includes(source))
  const logs = snapshots.map(consoleLevelOf)
  return {
    startTime,
    endTime,
    activeMs: activeMs(snapshots),
    clickCount: countOf(
      snapshots,
      ({ source, type }) => source === SOURCES.mouseInteraction && CLICKS.includes(type)
    ),
    keypressCount: countFrom(SOURCES.input),
    mouseActivityCount: countFrom(SOURCES.mouseInteraction, SOURCES.mouseMove, SOURCES.touchMove),
    consoleLogCount: logs.filter((level) => level === 'log').length,
    consoleWarnCount: logs.filter((level) => level === 'warn').length,
    consoleErrorCount: logs.filter((level) => level === 'error').length,
    urls: firstUrls(snapshots.flatMap(urlOf)),
    activity: countActivity(snapshots.filter(isActive).map(timeOf), startTime, endTime)
  }
}

const timeOf = ({ timestamp }: Snapshot): number => Math.floor(timestamp)

const dataOf = ({ data }: Snapshot): JsonObject => (isObject(data) ? data : {})

const countOf = (snapshots: Snapshot[], isCounted: (data: JsonObject) => boolean): number =>
  snapshots.filter((snapshot) => snapshot.type === INCREMENTAL && isCounted(dataOf(snapshot)))
    .length

const isActive = (snapshot: Snapshot): boolean =>
  snapshot.type === INCREMENTAL && ACTIVE_SOURCES.includes(dataOf(snapshot).source)

/**
 * Sums the time from the first to the last snapshot of each run of activity, at least 1 ms per run.
 * A run begins with an active snapshot and ends with the last snapshot within `IDLE_MS` of an
 * active one.
 */
function activeMs(snapshots: Snapshot[]): number {
  let total = 0
  let run: { start: number; end: number; lastActive: number } | undefined
  const close = () => {
    if (run) {
      total += Math.max(1, run.end - run.start)
    }
    run = undefined
  }
  for (const snapshot of snapshots.toSorted((a, b) => a.timestamp - b.timestamp)) {
    const at = snapshot.timestamp
    const isAction = isActive(snapshot)
    if (run && run.lastActive + IDLE_MS < at) {
      close()
    }
    if (run) {
      run.end = at
    } else if (isAction) {
      run = { start: at, end: at, lastActive: at }
    }
    if (run && isAction) {
      run.lastActive = at
    }
  }
  close()
  return Math.floor(total)
}

const LEVELS = new Map<unknown, 'warn' | 'error'>([
  ['warn', 'warn'],
  ['countReset', 'warn'],
  ['error', 'error'],
  ['assert', 'error']
])

function consoleLevelOf(snapshot: Snapshot): 'log' | 'warn' | 'error' | undefined {
  const { plugin, payload } = dataOf(snapshot)
  if (snapshot.type !== PLUGIN || plugin !== 'rrweb/console@1') {
    return undefined
  }
  return (isObject(payload) && LEVELS.get(payload.level)) || 'log'
}

/** Returns the page that a snapshot names, with the snapshot's time, or an empty list. */
function urlOf(snapshot: Snapshot): [number, string][] {
  if (snapshot.type !== META && snapshot.type !== CUSTOM) {
    return []
  }
  const { href, payload } = dataOf(snapshot)
  const inPayload = isObject(payload) ? payload.href : undefined
  const named = typeof href === 'string' ? href : inPayload
  if (typeof named !== 'string') {
    return []
  }
  const url = named.trim().slice(0, MAX_URL).replaceAll('\0', '').toWellFormed()
  return url === '' ? [] : [[timeOf(snapshot), url]]
}

/** Moves times, ms, but for those of the activity; a negative `by` moves them back. */
export const move = <Times extends Pick<PartSummary, 'startTime' | 'endTime' | 'urls'>>(
  times: Times,
  by: number
): Times => ({
  ...times,
  startTime: times.startTime + by,
  endTime: times.endTime + by,
  urls: times.urls.map(([at, url]): [number, string] => [at + by, url])
})

/** Returns the first visit of each page, in order of time, for at most `MAX_URLS` pages. */
export function firstUrls(visits: [number, string][]): [number, string][] {
  const first = new Map<string, number>()
  for (const [at, url] of visits) {
    first.set(url, Math.min(at, first.get(url) ?? at))
  }
  return [...first]
    .map(([url, at]): [number, string] => [at, url])
    .sort(([a, urlOfA], [b, urlOfB]) => a - b || (urlOfA < urlOfB ? -1 : 1))
    .slice(0, MAX_URLS)
}
