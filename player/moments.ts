import type { Snapshot } from './read.ts'

/** Something worth jumping to. `time` is in ms from the first snapshot of its window. */
export type Moment = { time: number; kind: 'page' | 'click' | 'event' | 'console'; text: string }

/** Largest number of moments listed: nobody scrolls further. */
const MAX = 1_000
/** Largest number of characters shown of a moment: a forged event may have a text of any length. */
const MAX_TEXT = 300

/** rrweb's numbers. */
const [INCREMENTAL, META, CUSTOM, PLUGIN] = [3, 4, 5, 6]
const MOUSE_INTERACTION = 2
const CLICK = 2

/**
 * Lists the pages, clicks, custom events and console lines of a recording. A page is named by its path if it is on the first
 * page's site, otherwise by its address.
 */
export function listMoments(events: Snapshot[]): Moment[] {
  const first = events[0]?.timestamp ?? 0
  const site = siteOf(events.find(({ type }) => type === META)?.data.href)
  return events
    .flatMap((event) => {
      const described = describe(event, site)
      if (!described) {
        return []
      }
      const { kind, text } = described
      return [{ time: event.timestamp - first, kind, text: text.slice(0, MAX_TEXT) }]
    })
    .slice(0, MAX)
}

const siteOf = (href: unknown): string => URL.parse(toText(href))?.origin ?? ''

function describe({ type, data }: Snapshot, site: string): Omit<Moment, 'time'> | undefined {
  if (type === META) {
    const href = toText(data.href)
    const isOwn = site !== '' && href.startsWith(`${site}/`)
    return { kind: 'page', text: isOwn ? href.slice(site.length) : href }
  }
  if (type === INCREMENTAL && data.source === MOUSE_INTERACTION && data.type === CLICK) {
    return { kind: 'click', text: 'Click' }
  }
  if (type === CUSTOM) {
    return { kind: 'event', text: toText(data.tag) }
  }
  if (type === PLUGIN && toText(data.plugin).startsWith('rrweb/console')) {
    return { kind: 'console', text: consoleLine(data.payload) }
  }
  return undefined
}

function consoleLine(payload: unknown): string {
  const { level, payload: words } = (payload ?? {}) as { level?: unknown; payload?: unknown }
  return `${toText(level)}: ${[words].flat().map(toText).join(' ')}`
}

/** Converts any value to text: a forged event can have an object anywhere. */
const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
