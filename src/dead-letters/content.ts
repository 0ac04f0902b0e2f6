import { AccessEntry } from '../access-log/entry.ts'
import { CaptureMessage } from '../capture/message.ts'
import { findQuote } from '../input/scan.ts'
import { RecordingPart } from '../recordings/part.ts'
import { PurgeMessage } from '../recordings/purge.ts'

/**
 * The content of a message: events, a part of a recording, recordings to purge, an entry of the
 * access log, or others.
 */
export type DeadContent =
  | { events: CaptureMessage }
  | { part: RecordingPart }
  | { purge: PurgeMessage }
  | { access: AccessEntry }
  | { isUnreadable: true }

/** Reads the content of a message from its JSON, or from the text of a message that is not JSON. */
export function readContent(message: unknown): DeadContent {
  const part = RecordingPart.safeParse(message).data
  if (part) {
    return { part }
  }
  const events = CaptureMessage.safeParse(message).data
  if (events) {
    return { events }
  }
  const purge = PurgeMessage.safeParse(message).data
  if (purge) {
    return { purge }
  }
  const access = AccessEntry.safeParse(message).data
  return access ? { access } : { isUnreadable: true }
}

/** What ends an id whose quotation mark was overwritten: bytes that are no text, or JSON's own. */
const JUNK = [/[\p{Cc}\ufffd]+/u, /[\p{Cc}\ufffd\\,:{}[\]]+/u]

/**
 * Returns everything between two quotation marks of a text, also within a text that is quoted
 * itself: all strings of JSON, and all that are left of damaged JSON. Also returns their parts
 * before, between and after characters that may stand in place of a quotation mark.
 *
 * `{"a":"b","c":"d…` → `{`, `a`, `:`, `b`, `,`, `c`, `d…`
 */
export function stringsIn(text: string): Set<string> {
  const found = new Set<string>()
  for (let from = 0; from <= text.length; ) {
    const end = findQuote(text, from)
    const written = text.slice(from, end)
    const string = unescaped(written)
    found.add(string)
    for (const part of JUNK.flatMap((junk) => [...written.split(junk), ...string.split(junk)])) {
      found.add(part)
    }
    if (string.includes('"')) {
      for (const inner of stringsIn(string)) {
        found.add(inner)
      }
    }
    from = end + 1
  }
  return found
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return text.replace(/\\(.?)/gs, '$1')
  }
}
