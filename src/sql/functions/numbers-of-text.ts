const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const INFINITE = /^([+-]?)inf(?:inity)?$/i

/** Returns the number that a text is as a whole: `1e3` → 1000; undefined for ` 42` and `4,2`. */
export function numberOfText(text: string): number | undefined {
  if (NUMBER.test(text)) {
    return Number(text)
  }
  const [infinite, sign] = INFINITE.exec(text) ?? []
  if (infinite !== undefined) {
    return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  return /^nan$/i.test(text) ? Number.NaN : undefined
}
