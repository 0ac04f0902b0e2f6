/** Quotes a name for an error message, cut to 100 characters. */
export const showName = (name: string): string => JSON.stringify(name.slice(0, 100))

/** Returns a value as JSON for an error message, cut to 100 characters. */
export const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100)

/**
 * Control characters other than tabs and line breaks. Terminals run commands after them; HTML
 * forbids them, and they end or break files in some spreadsheets.
 */
const CONTROLS = /[\p{Cc}--[\t\n\r]]/gv

/**
 * Replaces control characters, except tabs and line breaks, by U+FFFD, which shows that there was
 * something.
 */
export const withoutControls = (text: string): string => text.replaceAll(CONTROLS, '\ufffd')

/** Returns a text on one line, for a name among other words: `"Sign\r\nups"` → `"Sign ups"` */
export const onOneLine = (text: string): string =>
  withoutControls(text.replaceAll(/\s+/g, ' ')).trim()

/** Characters that change the direction of text. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Characters of scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Isolates a text that is written from right to left, so that it does not move the words and
 * numbers beside it, and removes characters that would reach out of it. For text that is not HTML;
 * there, `<bdi>` does the same.
 */
export function isolate(text: string): string {
  const plain = text.replaceAll(DIRECTIONS, '')
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain
}

/** Shortens a text to `length` characters, ending in `…`; never splits a surrogate pair. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text
