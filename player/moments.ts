import { plainName } from '../src/events/names.ts'
import { Elements } from './elements.ts'
import type { Snapshot } from './read.ts'

/** Something worth jumping to. `time` is in ms from the first page of its window. */
export type Moment = {
  time: number
  kind: 'page' | 'click' | 'rage' | 'event' | 'console' | 'error'
  text: string
  /** The name of an event as it was sent. */
  name?: string
}

/** A time without activity, ms from the first page. */
export type Pause = { from: number; until: number }

/** Largest number of moments listed: nobody scrolls further. */
const MAX = 1_000
/** Largest number of characters shown of a moment: a forged event may have a text of any length. */
const MAX_TEXT = 300
/** Shortest pause, ms: skipping inactivity skips nothing shorter. */
const MIN_PAUSE = 10_000

/** rrweb's numbers. */
const [FULL_SNAPSHOT, INCREMENTAL, META, CUSTOM, PLUGIN] = [2, 3, 4, 5, 6]
const MOUSE_INTERACTION = 2
/** The first and the last number of the changes that a visitor makes. */
const [FIRST_ACTION, LAST_ACTION] = [1, 7]
const [CLICK, TOUCH_START] = [2, 7]

/**
 * Lists the pages, clicks, custom events and console lines of a recording whose first page is at `start`, ms UTC. A page is
 * named by its path if it is on the first page's site, otherwise by its address.
 */
export function listMoments(events: Snapshot[], start: number): Moment[] {
  const site = siteOf(events.map(addressOf).find((address) => address !== undefined))
  // Browsers report a tap as a touch and as a click; apps only as a touch.
  const click = events.some((event) => isInteraction(event, CLICK)) ? CLICK : TOUCH_START
  const elements = new Elements()
  const moments: Moment[] = []
  let page: string | undefined
  for (const event of events) {
    elements.follow(event)
    const described = describe(event, { site, click, elements })
    const isSamePage = described?.kind === 'page' && described.text === page
    if (!described || isSamePage) {
      continue
    }
    page = described.kind === 'page' ? described.text : page
    const time = Math.max(0, event.timestamp - start)
    moments.push({ time, ...described, text: described.text.slice(0, MAX_TEXT) })
    if (moments.length === MAX) {
      break
    }
  }
  return moments
}

const isInteraction = ({ type, data }: Snapshot, kind: number): boolean =>
  type === INCREMENTAL && data.source === MOUSE_INTERACTION && data.type === kind

/** Lists the times without an action of the visitor or a new page, between which the visitor did something. */
export function listPauses(events: Snapshot[], start: number): Pause[] {
  const times = [
    ...events.filter(isActive).map(({ timestamp }) => timestamp - start),
    ...events.slice(-1).map(({ timestamp }) => timestamp - start)
  ].filter((time) => time >= 0)
  return times
    .map((until, i) => ({ from: times[i - 1] ?? 0, until }))
    .filter(({ from, until }) => until - from >= MIN_PAUSE)
}

const isActive = ({ type, data }: Snapshot): boolean =>
  type === FULL_SNAPSHOT ||
  (type === INCREMENTAL &&
    Number(data.source) >= FIRST_ACTION &&
    Number(data.source) <= LAST_ACTION)

const siteOf = (href: unknown): string => URL.parse(toText(href))?.origin ?? ''

/** Returns the address of the page that an event begins: a snapshot's, or that of a change of the address. */
export function addressOf({ type, data }: Snapshot): string | undefined {
  if (type === META) {
    return toText(data.href)
  }
  const payload = Object(data.payload)
  return type === CUSTOM && (data.tag === '$pageview' || data.tag === '$url_changed')
    ? toText(payload.href)
    : undefined
}

type Known = {
  /** The origin of the first page. */
  site: string
  /** The interaction that is a click or a tap. */
  click: number
  elements: Elements
}

function describe(
  event: Snapshot,
  { site, click, elements }: Known
): Omit<Moment, 'time'> | undefined {
  const { type, data } = event
  const address = addressOf(event)
  if (address) {
    const isOwn = site !== '' && address.startsWith(`${site}/`)
    return { kind: 'page', text: isOwn ? address.slice(site.length) : address }
  }
  if (isInteraction(event, click)) {
    const action = click === CLICK ? 'Click' : 'Tap'
    const name = elements.nameOf(data.id)
    return { kind: 'click', text: name ? `${action} “${name}”` : action }
  }
  if (type === CUSTOM) {
    const name = toText(data.tag).slice(0, MAX_TEXT)
    const text = plainName(name)
    // The SDK's notes on its own work.
    return text.startsWith('$') ? undefined : { kind: 'event', text, name }
  }
  if (type === PLUGIN && toText(data.plugin).startsWith('rrweb/console')) {
    return consoleLine(data.payload)
  }
  return undefined
}

function consoleLine(payload: unknown): Omit<Moment, 'time'> {
  const { level, payload: words } = (payload ?? {}) as { level?: unknown; payload?: unknown }
  const text = `${toText(level)}: ${[words].flat().map(toText).join(' ')}`
  return { kind: level === 'error' || level === 'assert' ? 'error' : 'console', text }
}

/** Converts any value to text: a forged event can have an object anywhere. */
const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
