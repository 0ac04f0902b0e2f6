/**
 * Describes a range `[from, until)`, ms UTC, by its dates in a time zone: `1 – 7 Jun 2025`,
 * `7 Jun 2025` for a single day, or `until 7 Jun 2025` if `from` is `all`.
 */
export function describeRange(from: number | 'all', until: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric'
  })
  return from === 'all'
    ? `until ${format.format(until - 1)}`
    : withPlainSpaces(format.formatRange(from, until - 1))
}

/** Replaces the non-ASCII spaces that some runtimes put into dates with plain spaces. */
const withPlainSpaces = (text: string): string => text.replaceAll(/\s/g, ' ')
