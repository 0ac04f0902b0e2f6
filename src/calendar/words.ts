/** Returns a range `[from, until)`, ms UTC, in words on a zone's clock: `1 – 7 Jun 2025`, or a single `7 Jun 2025`. */
export const describeRange = (from: number, until: number, timezone: string): string =>
  plain(formatOf(timezone).formatRange(from, until - 1))

/** Returns the day that a range ends with: `7 Jun 2025`. */
export const describeEnd = (until: number, timezone: string): string =>
  formatOf(timezone).format(until - 1)

const formatOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short', year: 'numeric' })

/** Versions of the runtime differ in which spaces they put into dates. */
const plain = (text: string): string => text.replaceAll(/\s/g, ' ')
