import type { SqlAnswer } from './statement.ts'

/** A column of an answer: how its values are shown. */
export type ShownColumn = {
  name: string
  /** The type of its values, as the service names it. */
  type: string
  kind: 'number' | 'time' | 'date' | 'uuid' | 'text' | 'other'
  /** Decimals of its numbers. */
  decimals: number
  /** Whether its numbers are divided into groups of three digits. */
  isGrouped: boolean
  /** Its width, in digits. */
  width: number
}

/** Most decimals that a column shows; a row by itself shows all. */
const MAX_DECIMALS = 6

/** The least and the largest width of a column, in digits. */
const WIDTH = { least: 6, most: 44 }

/** Rows from which the width of a column is taken, spread over all. */
const MEASURED_ROWS = 500

/** Decides how the columns of an answer are shown. */
export function columnsOf({ columns, types, results }: SqlAnswer): ShownColumn[] {
  const step = Math.max(1, Math.floor(results.length / MEASURED_ROWS))
  const measured = results.filter((_, row) => row % step === 0)
  return columns.map((name, place) => {
    const type = types[place]?.[1] ?? ''
    const plain = type.replace(/^Nullable\((.*)\)$/, '$1')
    const values = measured.map((row) => row[place])
    const column: ShownColumn = {
      name,
      type,
      kind: kindOf(plain),
      decimals: decimalsOf(values),
      // A year or a number of a month has fewer bits, and is written without a comma.
      isGrouped: !/Int(?:8|16|32)/.test(plain),
      width: 0
    }
    const longest = values.reduce<number>(
      (most, value) => Math.max(most, textOfCell(value, column).length),
      name.length
    )
    return { ...column, width: Math.min(WIDTH.most, Math.max(WIDTH.least, longest)) }
  })
}

const KINDS: readonly [RegExp, ShownColumn['kind']][] = [
  [/^(?:U?Int|Float|Decimal)/, 'number'],
  [/^DateTime/, 'time'],
  [/^Date/, 'date'],
  [/^UUID/, 'uuid'],
  [/^String/, 'text']
]

const kindOf = (type: string): ShownColumn['kind'] =>
  KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'other'

/** Returns the decimals of a column of numbers: two for most, more where all are small. */
function decimalsOf(values: readonly unknown[]): number {
  const broken = values.filter(
    (value): value is number => typeof value === 'number' && !Number.isInteger(value)
  )
  if (broken.length === 0) {
    return 0
  }
  const largest = Math.max(...broken.map(Math.abs))
  return largest >= 1 ? 2 : Math.min(MAX_DECIMALS, 2 - Math.floor(Math.log10(largest)))
}

/** Writes a value of an answer; null is `null`. */
export function textOfCell(
  value: unknown,
  { kind, decimals, isGrouped }: Pick<ShownColumn, 'kind' | 'decimals' | 'isGrouped'>
): string {
  if (value === null || value === undefined) {
    return 'null'
  }
  if (typeof value === 'number') {
    return numberOf(decimals, isGrouped).format(value).replace(/^-/, '−')
  }
  if (typeof value === 'string') {
    return kind === 'time' ? clockOf(value) : value
  }
  return JSON.stringify(value)
}

const FORMATS = new Map<string, Intl.NumberFormat>()

function numberOf(decimals: number, isGrouped: boolean): Intl.NumberFormat {
  const name = `${decimals} ${isGrouped}`
  const known = FORMATS.get(name)
  const format =
    known ??
    new Intl.NumberFormat(undefined, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      useGrouping: isGrouped
    })
  FORMATS.set(name, format)
  return format
}

/** `2026-03-04T12:59:00.250000+01:00` → `2026-03-04 12:59:00.250`: the clock of the project. */
const clockOf = (time: string): string =>
  time
    .replace('T', ' ')
    .replace(/(?:[+-]\d\d:\d\d|Z)$/, '')
    .replace(/(?<=\.\d{3})000$/, '')
    .replace(/\.000$/, '')

/** Writes a value so that nothing of it is left out. */
export const wholeText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/**
 * Returns the place of the column whose numbers are drawn beside it: the only numbers of a short
 * list, none of which is negative; undefined for other answers.
 */
export function rankedColumn(
  columns: readonly ShownColumn[],
  results: readonly (readonly unknown[])[]
): number | undefined {
  const place = columns.findIndex(({ kind }) => kind === 'number')
  const isList = columns[0]?.kind === 'text' || columns[0]?.kind === 'other'
  const isShort = results.length >= 2 && results.length <= MAX_RANKED && columns.length <= 4
  const areAmounts = results.every((row) => {
    const value = row[place]
    return value === null || (typeof value === 'number' && value >= 0)
  })
  return place > 0 && isList && isShort && areAmounts ? place : undefined
}

/** Rows of a list with bars. */
const MAX_RANKED = 200

/** The rows of a table that are in view, with some more around them. */
export function rowsInView(
  { top, height, rowHeight }: { top: number; height: number; rowHeight: number },
  count: number
): { from: number; until: number } {
  const first = Math.floor(top / rowHeight) - AROUND
  const fitting = Math.ceil(height / rowHeight) + 2 * AROUND
  const from = Math.max(0, Math.min(first, count - fitting))
  return { from, until: Math.min(count, from + fitting) }
}

/** Rows above and below those in view. */
const AROUND = 10
