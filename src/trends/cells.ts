import { AppError } from '../errors.ts'
import { tooManyValues } from '../properties/decide.ts'
import { countsSessions, MAX_BREAKDOWN_VALUES, type Maths, type Series } from './query.ts'

/** The text of a breakdown's value or bin, several as JSON; null for none, and 0 for all others. */
export type Value = string | null | 0

/** What came out for a point and value: a number, of so many that went in. Several of the same point and value add up. */
export type Cell = { point: number; value: Value; result: number; size: number }

/**
 * The actors, sessions or numbers of a point and value, for a math that has to know them all; null for none. With
 * `numbers`, each session's number, in the same order.
 */
export type Found = {
  point: number
  value: Value
  subjects: readonly (number | string | null)[]
  numbers?: readonly number[]
}

/** How many different subjects are kept in mind at once. */
export const MAX_SUBJECTS = 300_000

/** So many cells are kept at once; of more the values are first ranked, and then read again. */
export const MAX_CELLS = 25_000
/** Characters of different values that are held at once. */
export const MAX_TEXT = 8_000_000

/** All cells; undefined when they are too many for the room that is left. */
export async function collectCells(
  read: AsyncIterable<Cell[]>,
  room: number
): Promise<Cell[] | undefined> {
  const cells: Cell[] = []
  for await (const some of read) {
    for (const cell of some) {
      cells.push(cell)
    }
    if (cells.length > room) {
      return undefined
    }
  }
  return cells
}

/** The sum of each value's points. */
export function totalsOf(cells: readonly Cell[]): Map<string, number> {
  const totals = new Map<string, number>()
  for (const { value, result } of cells) {
    if (typeof value === 'string') {
      totals.set(value, (totals.get(value) ?? 0) + result)
    }
  }
  return totals
}

/**
 * The same of cells that are too many to be kept.
 * @throws query_too_large, attr `breakdown_values`
 */
export async function totalCells(
  read: AsyncIterable<Cell[]>,
  key: string
): Promise<Map<string, number>> {
  const totals = new Map<string, number>()
  let length = 0
  for await (const cells of read) {
    for (const [value, total] of totalsOf(cells)) {
      if (!totals.has(value)) {
        length += value.length
      }
      totals.set(value, (totals.get(value) ?? 0) + total)
    }
    if (totals.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT) {
      throw tooManyValues(key)
    }
  }
  return totals
}

/** Of two parts of a point that came out with one number each. */
const JOINS: Partial<Record<Maths, (a: Cell, b: Cell) => number>> = {
  avg: (a, b) => (a.result * a.size + b.result * b.size) / (a.size + b.size),
  min: (a, b) => Math.min(a.result, b.result),
  max: (a, b) => Math.max(a.result, b.result)
}

/** Whether the numbers of two parts say that of the whole, although they do not add up. */
export const isJoined = (math: Maths): boolean => JOINS[math] !== undefined

/** Cells with one for each point and value. */
export function joinCells(cells: Iterable<Cell>, math: Maths): Cell[] {
  const joined = new Map<string, Cell>()
  for (const cell of cells) {
    const key = `${cell.point} ${JSON.stringify(cell.value)}`
    const before = joined.get(key)
    joined.set(key, before ? join(before, cell, math) : cell)
  }
  return [...joined.values()]
}

function join(a: Cell, b: Cell, math: Maths): Cell {
  if (a.size === 0 || b.size === 0) {
    return a.size === 0 ? b : a
  }
  return { ...a, result: JOINS[math]?.(a, b) ?? 0, size: a.size + b.size }
}

/** How often each subject is there or, of sessions, the number that each has. */
type Counts = Map<number | string, number>

/** Collects what is found, and then computes what needs all of it at once. */
export class Gathering {
  readonly #points = new Map<number, Map<Value, Counts>>()
  #size = 0

  /** @throws query_too_large, attr `actors` */
  add({ point, value, subjects, numbers }: Found): void {
    const counts = this.#countsOf(point, value)
    for (const [i, subject] of subjects.entries()) {
      if (subject === null) {
        continue
      }
      const before = counts.get(subject)
      if (before === undefined) {
        this.#size += 1
      }
      counts.set(subject, numbers?.[i] ?? (before ?? 0) + 1)
    }
    if (this.#size > MAX_SUBJECTS) {
      throw new AppError(
        'query_too_large',
        `A bucket has more than ${MAX_SUBJECTS} different actors, sessions or numbers: ask for a shorter interval.`,
        'actors'
      )
    }
  }

  cells(series: Pick<Series, 'math' | 'property'>): Cell[] {
    return [...this.#points].flatMap(([point, values]) =>
      [...values].map(([value, counts]) => ({
        point,
        value,
        result: resultOf(series, counts),
        size: counts.size
      }))
    )
  }

  #countsOf(point: number, value: Value): Counts {
    const values = this.#points.get(point) ?? new Map<Value, Counts>()
    if (values.size === 0) {
      this.#points.set(point, values)
    }
    const counts = values.get(value) ?? new Map<number | string, number>()
    if (counts.size === 0) {
      values.set(value, counts)
    }
    return counts
  }
}

/** The place of each percentile among numbers in order. */
const PERCENTILES: Record<string, number> = {
  median: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99
}

function resultOf(
  { math, property }: Pick<Series, 'math' | 'property'>,
  counts: ReadonlyMap<number | string, number>
): number {
  const base = math.replace('_count_per_actor', '')
  if (base !== math || countsSessions({ property })) {
    return summarize(base, [...counts.values()])
  }
  const place = PERCENTILES[base]
  return place === undefined
    ? counts.size
    : percentile(
        [...counts].map(([subject, count]) => ({ number: Number(subject), count })),
        place
      )
}

/** One number of the numbers that actors or sessions have; 0 without any. */
function summarize(math: string, numbers: readonly number[]): number {
  const place = PERCENTILES[math]
  if (place !== undefined) {
    return percentile(
      numbers.map((number) => ({ number, count: 1 })),
      place
    )
  }
  const total = numbers.reduce((sum, number) => sum + number, 0)
  if (math === 'sum') {
    return total
  }
  if (math === 'avg') {
    return numbers.length > 0 ? total / numbers.length : 0
  }
  return numbers.reduce(
    (a, b) => (math === 'min' ? Math.min(a, b) : Math.max(a, b)),
    numbers[0] ?? 0
  )
}

/** Of numbers that are there so many times each; between the two around its place, in proportion; 0 of none. */
function percentile(numbers: { number: number; count: number }[], p: number): number {
  numbers.sort((a, b) => a.number - b.number)
  const wanted = (numbers.reduce((sum, { count }) => sum + count, 0) - 1) * p
  const at = (place: number): number => {
    let seen = 0
    for (const { number, count } of numbers) {
      seen += count
      if (seen > place) {
        return number
      }
    }
    return 0
  }
  const low = Math.floor(wanted)
  const part = wanted - low
  return part === 0 ? at(low) : at(low) * (1 - part) + at(low + 1) * part
}
