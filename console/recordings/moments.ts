import type { OutsideMoment } from '../../player/playback.ts'
import type { StoredEvent } from '../events/api.ts'
import { detailOf, nameOf } from '../words.ts'

/** Events of the SDK that say what a visitor did or met, and that recordings do not contain. */
const KINDS: Record<string, OutsideMoment['kind']> = {
  $rageclick: 'rage',
  $exception: 'error',
  $identify: 'event'
}

/** Longest text of a moment, characters. */
const MAX_TEXT = 300

/** Returns the events that a log shows beside what the recording contains. */
export const momentsOf = (events: readonly StoredEvent[]): OutsideMoment[] =>
  events.flatMap(({ event, timestamp, properties }) => {
    const kind = KINDS[event] ?? (event.startsWith('$') ? undefined : 'event')
    if (kind === undefined) {
      return []
    }
    const text = `${nameOf(event)}${wordsOf(event, properties)}`.slice(0, MAX_TEXT)
    return [{ at: Date.parse(timestamp), kind, text, name: event }]
  })

/** Returns what a moment says beside its name: the message of an error, the text that was clicked. */
function wordsOf(event: string, properties: Record<string, unknown>): string {
  if (event === '$exception') {
    const [first] = [properties.$exception_values ?? properties.$exception_message].flat()
    return typeof first === 'string' ? `: ${first}` : ''
  }
  const text = event === '$rageclick' ? detailOf(event, properties) : ''
  return text && ` “${text}”`
}

/** A page of a recording, and when it was shown, ms. */
export type Visited = { page: string; from: number; until: number }

/** Returns the pages that were shown one after the other. */
export function pagesOf(
  moments: readonly { time: number; kind: string; text: string }[],
  length: number
): Visited[] {
  const pages = moments.filter(({ kind }) => kind === 'page')
  return pages.map(({ text, time }, i) => ({
    page: text,
    from: time,
    until: pages[i + 1]?.time ?? length
  }))
}
