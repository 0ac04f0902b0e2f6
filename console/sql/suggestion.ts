/** Something to write at the caret. */
export type Suggestion = {
  label: string
  /** What it is: `function`, `event`, or the type of a column. */
  hint: string
  /** Replaces the text between `from` and `until`. */
  insert: string
  /** Where the caret stands afterwards, from the beginning of `insert`; its end by default. */
  caret?: number
}

/** Most suggestions that are shown at once. */
const MAX_SUGGESTIONS = 50

/**
 * Orders suggestions by how they match: at the beginning, at the beginning of a word in them, then
 * anywhere. Nothing is offered for what is written already.
 */
export function ranked(offered: readonly Suggestion[], typed: string): Suggestion[] {
  const wanted = typed.toLowerCase()
  const matches = new Map<string, { one: Suggestion; rank: number }>()
  for (const one of offered) {
    const rank = rankOf(one.label.toLowerCase(), wanted)
    const known = matches.get(one.insert)
    if (rank !== undefined && (!known || rank < known.rank)) {
      matches.set(one.insert, { one, rank })
    }
  }
  const all = [...matches.values()]
  const isWritten = all.some(({ one }) => one.label.replace('()', '').toLowerCase() === wanted)
  return isWritten && wanted !== ''
    ? []
    : all
        .sort((a, b) => a.rank - b.rank)
        .slice(0, MAX_SUGGESTIONS)
        .map(({ one }) => one)
}

/** Letters from which on the middle of a word is searched, too. */
const MIDDLE = 3

function rankOf(label: string, wanted: string): number | undefined {
  if (label.startsWith(wanted) || label.startsWith(`$${wanted}`)) {
    return 0
  }
  const words = label.split(/[^\p{L}\p{N}]+/u)
  if (wanted.length > 1 && words.some((word) => word.startsWith(wanted))) {
    return 1
  }
  return wanted.length >= MIDDLE && label.includes(wanted) ? 2 : undefined
}
