/** Names of at least so many characters may differ by two edits, shorter ones by one. */
const LONG = 6
/** Names of at most so many characters are too short to resemble another one. */
const SHORT = 2

/**
 * Returns the known name that was probably meant by another one, or undefined when none is close: they differ by how they
 * are spelled (`dateFrom`, `date_from`), or by one or two letters that are missing, too many, wrong or swapped.
 *
 * `emial` → `email`, `delete_event` → `delete_events`, `cohort` → undefined
 */
export function findMeant(name: string, known: readonly string[]): string | undefined {
  const spelled = known.find((one) => lettersOf(one) === lettersOf(name))
  if (spelled !== undefined || name.length <= SHORT) {
    return spelled
  }
  const limit = name.length < LONG ? 1 : 2
  const near = known
    .filter((one) => one.length > SHORT && Math.abs(one.length - name.length) <= limit)
    .map((one) => ({ one, edits: editsBetween(name, one) }))
    .filter(({ edits }) => edits <= limit)
  return near.sort((a, b) => a.edits - b.edits)[0]?.one
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s[\]]/g, '')

/** Counts the letters to add, remove, replace or swap with the next one to make `b` of `a`. */
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

/** A name as a refusal shows it: in quotes, and not endless. */
export const showName = (name: string): string => JSON.stringify(name.slice(0, 100))
