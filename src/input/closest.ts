/** Names with at least this many characters may differ by two edits, shorter names by one edit. */
const MIN_LONG_NAME = 6
/** In names with at most this many characters, a typo cannot be told from another name. */
const MAX_SHORT_NAME = 2

/**
 * Returns the known name closest to an unknown name, or undefined if no known name is close. Names
 * are close when they differ only in case and separators (`dateFrom`, `date_from`), or by one or
 * two missing, additional, wrong or swapped letters.
 *
 * `emial` → `email`, `delete_event` → `delete_events`, `colour` → undefined
 */
export function findSimilarName(name: string, known: readonly string[]): string | undefined {
  const spelled = known.find((candidate) => lettersOf(candidate) === lettersOf(name))
  if (spelled !== undefined || name.length <= MAX_SHORT_NAME) {
    return spelled
  }
  const limit = name.length < MIN_LONG_NAME ? 1 : 2
  const near = known
    .filter(
      (candidate) =>
        candidate.length > MAX_SHORT_NAME && Math.abs(candidate.length - name.length) <= limit
    )
    .map((candidate) => ({ candidate, edits: editsBetween(name, candidate) }))
    .filter(({ edits }) => edits <= limit)
  return near.sort((a, b) => a.edits - b.edits)[0]?.candidate
}

/** Whether two names differ only in case and separators, as `dateFrom` and `date_from` do. */
export const isSameName = (a: string, b: string): boolean => lettersOf(a) === lettersOf(b)

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s[\]]/g, '')

/** Counts the letters to add, remove, replace or swap (Damerau–Levenshtein). */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : replaced
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
