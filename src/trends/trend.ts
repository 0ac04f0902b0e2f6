import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { type Decider, deciderOf, tooManyValues } from '../properties/decide.ts'
import { isOneOf, leavesOf, type PropertyFilter } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import { isAggregated, isCumulative, type Period, type TrendSeries } from './answer.ts'
import { binsOf } from './bins.ts'
import { type Cells, collect } from './cells.ts'
import { countPart, Knowledge, STEP_EVENTS } from './count.ts'
import { Grouping } from './grouping.ts'
import { addTotals, cumulate, folding, type Line, Lines, rank, smooth, sum } from './lines.ts'
import type { Accumulator, Counted } from './maths/accumulator.ts'
import { ActorCounter } from './maths/actor-counter.ts'
import { accumulatorOf } from './maths/choose.ts'
import { Extremes } from './maths/extremes.ts'
import { Firsts } from './maths/firsts.ts'
import { Sliding } from './maths/sliding.ts'
import { type Project, periodsOf } from './periods.ts'
import {
  expectFewPoints,
  expectFewRows,
  expectReadable,
  isCounted,
  type Part,
  planPart,
  rowsOf
} from './plan.ts'
import {
  type ActorCounts,
  type AskedPoint,
  byCount,
  findPoint,
  isOther,
  partBehind,
  rangeBehind,
  readValueNames,
  toValue
} from './point.ts'
import {
  type Breakdown,
  FIRSTS,
  isAdditive,
  MAX_BREAKDOWN_VALUES,
  type TrendQuery
} from './query.ts'
import { toAll, toFormulas } from './series.ts'

/** Characters of the breakdown values of a part, and of those that are shown. */
const MAX_TEXT = 8_000_000
const MAX_SHOWN_TEXT = 2_000_000

/**
 * Computes a trend. `offset` leaves out so many of the values of the breakdown, which are sorted by their totals. About
 * `stepEvents` events are read at once; whatever their number is, the answer is the same.
 * @throws query_too_large, attr the limit; only counts are read before the size of the query is known
 */
export async function computeTrend(
  db: Db,
  project: Project,
  query: TrendQuery,
  offset: number,
  now: Date,
  stepEvents = STEP_EVENTS
): Promise<{ result: TrendSeries[]; hasMore: boolean }> {
  const { periods, parts } = await planTrend(db, project, query, now)
  expectFewRows(query, parts.flat())
  return new Trend(db, project, { query, periods, parts, now, stepEvents }).compute(offset)
}

/**
 * Counts the events of each actor behind a point of a trend.
 * @throws invalid_input and required, attr a field of the point; query_too_large, attr the limit
 */
export async function countBehind(
  db: Db,
  project: Project,
  { query, point, now, stepEvents = STEP_EVENTS }: Behind
): Promise<ActorCounts> {
  const { periods, parts } = await planTrend(db, project, query, now)
  return new Trend(db, project, { query, periods, parts, now, stepEvents }).countBehind(point)
}

type Behind = { query: TrendQuery; point: AskedPoint; now: Date; stepEvents?: number }

/** Plans all parts of a trend: for each series, one for each period. @throws query_too_large, attr `points` */
async function planTrend(
  db: Db,
  project: Project,
  query: TrendQuery,
  now: Date
): Promise<Pick<Planned, 'periods' | 'parts'>> {
  const periods = await periodsOf(db, project, query, now)
  expectFewPoints(query, periods)
  const parts: Part[][] = []
  for (const series of query.series) {
    const ofSeries: Part[] = []
    for (const period of periods) {
      ofSeries.push(await planPart(db, project, query, series, period))
    }
    parts.push(ofSeries)
  }
  return { periods, parts }
}

/** What the numbers of a part are by the values of its breakdown, all of which have a group each. */
type Broken = Cells & { grouping: Grouping }

type Planned = {
  query: TrendQuery
  periods: Period[]
  parts: Part[][]
  now: Date
  stepEvents: number
}

/** A planned trend. */
class Trend {
  readonly #query: TrendQuery
  readonly #periods: Period[]
  /** Series by series, each with a part for each period. */
  readonly #parts: Part[][]
  readonly #knowledge: Knowledge
  readonly #work = new Work()
  readonly #stepEvents: number
  readonly #deciders: ReadonlyMap<PropertyFilter, Decider>
  /** With the bins of their numbers, once these are known. */
  #breakdowns: Breakdown[]

  constructor(db: Db, project: Project, { query, periods, parts, now, stepEvents }: Planned) {
    this.#query = query
    this.#periods = periods
    this.#parts = parts
    this.#knowledge = new Knowledge(db, project.id)
    this.#breakdowns = query.breakdowns
    this.#stepEvents = stepEvents
    const filters = parts.flatMap(([part]) => (part ? leavesOf(part.filters) : []))
    this.#deciders = new Map(
      filters.map((filter) => [filter, deciderOf(filter, project.timezone, now)])
    )
  }

  async compute(offset: number): Promise<{ result: TrendSeries[]; hasMore: boolean }> {
    const query = this.#query
    this.#breakdowns = await this.#readBins()
    const broken = query.breakdowns.length > 0 ? await this.#readBroken() : undefined
    const ranked = broken && this.#rank(broken)
    const shown = ranked?.map((values) => values.slice(offset, offset + query.breakdownLimit))
    if (sum(shown?.flat().map(({ length }) => length) ?? []) > MAX_SHOWN_TEXT) {
      throw this.#tooManyValues()
    }
    const lines: Line[][][] = []
    for (const [i, ofSeries] of this.#parts.entries()) {
      const ofPeriods: Line[][] = []
      for (const [p, part] of ofSeries.entries()) {
        ofPeriods.push(await this.#readLines(part, shown?.[i], broken?.[i]?.[p]))
      }
      lines.push(ofPeriods)
    }
    const binned = { ...query, breakdowns: this.#breakdowns }
    return {
      result:
        query.formulas.length > 0
          ? toFormulas(binned, this.#periods, lines)
          : toAll(binned, this.#periods, lines),
      hasMore: ranked?.some(({ length }) => length > offset + query.breakdownLimit) ?? false
    }
  }

  /** Counts the events of each actor behind a point. */
  async countBehind(asked: AskedPoint): Promise<ActorCounts> {
    const query = this.#query
    const { series, period, bucket } = findPoint(query, this.#periods, asked)
    const names = readValueNames(query, asked)
    const whole = this.#parts[series]?.[period]
    if (!whole) {
      throw new Error('The trend has no such part.')
    }
    const part = partBehind(query, whole, bucket)
    if (isOther(names) || query.breakdowns.some(({ binCount }) => binCount !== undefined)) {
      expectFewRows(query, this.#parts.flat())
    }
    expectReadable(rowsOf(part))
    this.#breakdowns = await this.#readBins()
    const value = toValue({ ...query, breakdowns: this.#breakdowns }, names)
    const grouping = new Grouping(
      value === 0 ? await this.#readShown(series, asked.offset) : [value ?? []].flat()
    )
    const counter = new ActorCounter(part, (group) => grouping.valueOf(group) === value)
    const accumulator = isOneOf(FIRSTS, part.math)
      ? new Firsts(part.math === 'first_matching_event_for_user', counter)
      : counter
    for await (const _ of this.#countWith(part, this.#breakdowns, grouping, accumulator)) {
      // The counter keeps what it sees.
    }
    const counts = counter
      .counts()
      .map(({ number, count }) => ({ actor: this.#knowledge.actors.actorOf(number), count }))
    return { counts: counts.sort(byCount), ...rangeBehind(part) }
  }

  /** The values of the breakdown that a series shows after so many. */
  async #readShown(series: number, offset: number): Promise<string[]> {
    const ranked = this.#rank(await this.#readBroken())[series] ?? []
    return ranked.slice(offset, offset + this.#query.breakdownLimit)
  }

  /** Reads a part's numbers. */
  #count(part: Part, grouping: Grouping): AsyncIterable<Counted[]> {
    const { windows, isGrowing } = part
    const accumulator = windows ? new Sliding(windows, isGrowing) : accumulatorOf(part)
    return this.#countWith(part, this.#breakdowns, grouping, accumulator)
  }

  #countWith(
    part: Part,
    breakdowns: readonly Breakdown[],
    grouping: Grouping,
    accumulator: Accumulator
  ): AsyncIterable<Counted[]> {
    const split = {
      breakdowns,
      grouping,
      deciders: this.#deciders,
      work: this.#work,
      stepEvents: this.#stepEvents
    }
    return countPart(this.#knowledge, part, split, accumulator)
  }

  /** Finds the bins of the breakdowns' numbers, which all series and both periods share. */
  async #readBins(): Promise<Breakdown[]> {
    const binned: Breakdown[] = []
    for (const breakdown of this.#query.breakdowns) {
      const { key, binCount } = breakdown
      if (binCount === undefined) {
        binned.push(breakdown)
        continue
      }
      const extremes = new Extremes()
      for (const part of this.#parts.flat()) {
        const numbers = { ...part, property: breakdown }
        const accumulator = isOneOf(FIRSTS, part.math)
          ? new Firsts(part.math === 'first_matching_event_for_user', extremes)
          : extremes
        for await (const _ of this.#countWith(numbers, [], new Grouping(), accumulator)) {
          // The accumulator keeps what it sees.
        }
      }
      const { low, high } = extremes
      if (high - low === Number.POSITIVE_INFINITY) {
        throw new AppError(
          'invalid_input',
          `The numbers of ${JSON.stringify(key)} lie too far apart for bins.`
        )
      }
      binned.push(low <= high ? { ...breakdown, bins: binsOf(low, high, binCount) } : breakdown)
    }
    return binned
  }

  /** Reads the numbers of all values of the breakdown, series by series. */
  async #readBroken(): Promise<Broken[][]> {
    const broken: Broken[][] = []
    for (const ofSeries of this.#parts) {
      const ofPeriods: Broken[] = []
      for (const part of ofSeries) {
        const grouping = new Grouping()
        const collected = await collect(this.#count(part, grouping))
        const length = sum(
          [...collected.totals.keys()].map((group) => String(grouping.valueOf(group)).length)
        )
        if (collected.totals.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT) {
          throw this.#tooManyValues()
        }
        ofPeriods.push({ ...collected, grouping })
      }
      broken.push(ofPeriods)
    }
    return broken
  }

  /** Ranks each series' values by their totals. A formula needs all series of a value: theirs are ranked together. */
  #rank(broken: readonly Broken[][]): string[][] {
    const totals = broken.map((ofPeriods) => ofPeriods.map(totalsOf))
    if (this.#query.formulas.length === 0) {
      return totals.map(rank)
    }
    const common = rank(
      this.#periods.map((_, p) => addTotals(totals.flatMap((ofPeriods) => ofPeriods[p] ?? [])))
    )
    return broken.map(() => common)
  }

  /** Reads the lines of a part: with a breakdown those of the shown values, of no value, and of all others together. */
  async #readLines(
    part: Part,
    shown: string[] | undefined,
    broken: Broken | undefined
  ): Promise<Line[]> {
    const query = this.#query
    const lines = new Lines(shown ?? [null], part.period.buckets.length)
    if (!shown && isCounted(part, query)) {
      const { overview, pieces } = part
      lines.add(
        pieces.map(({ since, until, point }) => ({
          point,
          group: 0,
          result: overview.count(since, until)
        })),
        () => null
      )
    } else if (shown && broken?.cells && isFoldable(part, broken, shown)) {
      lines.add(broken.cells, folding(broken.grouping, shown))
    } else {
      const grouping = new Grouping(shown)
      for await (const cells of this.#count(part, grouping)) {
        lines.add(cells, shown ? (group) => grouping.valueOf(group) : () => null)
      }
    }
    const smoothing = isAggregated(query) ? 1 : query.smoothing
    return lines
      .all()
      .filter(({ value }) => value !== 0 || !query.hidesOther)
      .map(({ value, data }) => ({
        value,
        data: smooth(isCumulative(query) ? cumulate(data) : data, smoothing)
      }))
  }

  #tooManyValues(): AppError {
    return tooManyValues(this.#query.breakdowns.map(({ key }) => key).join(', '))
  }
}

/** The total of each value of a part. */
function totalsOf({ totals, grouping }: Broken): Map<string, number> {
  const named = new Map<string, number>()
  for (const [group, total] of totals) {
    const value = grouping.valueOf(group)
    if (typeof value === 'string') {
      named.set(value, total)
    }
  }
  return named
}

/** Whether the numbers of single values say what all values that are not shown have together. */
function isFoldable(part: Part, { totals, grouping }: Broken, shown: readonly string[]): boolean {
  const fold = folding(grouping, shown)
  return isAdditive(part) || [...totals.keys()].every((group) => fold(group) !== 0)
}
