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
