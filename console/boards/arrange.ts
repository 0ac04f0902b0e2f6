/** Returns a list in which the entry at `from` stands at `to`. */
export function move<T>(list: readonly T[], from: number, to: number): T[] {
  const entry = list[from]
  const goal = Math.min(list.length - 1, Math.max(0, to))
  return entry === undefined ? [...list] : list.toSpliced(from, 1).toSpliced(goal, 0, entry)
}
