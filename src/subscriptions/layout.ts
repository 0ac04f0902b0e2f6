import { cut } from '../input/show.ts'
import type { FigureLine, InsightPart } from './content.ts'

/*
 * A message for people stays short, however many insights it is about: a number of each, one list,
 * and a link to the page that has everything.
 */

/** Maximum number of rows of the list. */
const MAX_ROWS = 5
/** With more insights, the list becomes a line like the others. */
const MAX_BESIDE_LIST = 6
/** Characters of a label in a line that has other words, too. */
const MAX_LABEL = 30

/** An insight that has numbers. */
export type Figured = Extract<InsightPart, { lines: FigureLine[] }>

/** The list of a message: the largest lines of one insight, and how many are left out. */
export type ShownList = { part: Figured; rows: FigureLine[]; left: number }

export type Layout = {
  /** The period of most insights; empty if none has numbers. */
  range: string
  list: ShownList | undefined
  /** All other insights, in their order. */
  others: InsightPart[]
}

const isFigured = (part: InsightPart): part is Figured => 'lines' in part

/** Decides which insight of a message is shown as a list. */
export function layOut(parts: InsightPart[]): Layout {
  const figured = parts.filter(isFigured)
  const listed =
    parts.length > MAX_BESIDE_LIST ? undefined : figured.find(({ lines }) => lines.length > 1)
  return {
    range: mostCommon(figured.map(({ range }) => range)),
    list: listed && { part: listed, ...largestOf(listed, MAX_ROWS) },
    others: parts.filter((part) => part !== listed)
  }
}

/** Returns the first of the texts that occur most often. */
function mostCommon(texts: string[]): string {
  const times = (text: string) => texts.filter((one) => one === text).length
  return texts.toSorted((a, b) => times(b) - times(a))[0] ?? ''
}

/** Returns the first lines of an insight, and how many are left out. */
function largestOf(part: Figured, most: number): Omit<ShownList, 'part'> {
  const rows = part.lines.slice(0, most)
  return { rows, left: part.lines.length - rows.length + part.more }
}

/** Returns the line that stands for an insight outside of the list. */
export const firstOf = (part: Figured): Omit<ShownList, 'part'> => largestOf(part, 1)

/** Returns the label of that line beside the insight's name; empty if it is the only one. */
export const labelBeside = (part: Figured): string => {
  const { rows, left } = firstOf(part)
  return left > 0 ? cut(rows[0]?.label ?? '', MAX_LABEL) : ''
}
