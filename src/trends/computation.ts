import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { type Decider, deciderOf, tooManyValues } from '../properties/decide.ts'
import { isOneOf, leavesOf, type PropertyFilter } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import type { Period } from './answer.ts'
import { binsOf } from './bins.ts'
import { type Cells, collect } from './cells.ts'
import { countPart, Knowledge, STEP_EVENTS } from './count.ts'
import { Grouping } from './grouping.ts'
import { addTotals, rank, sum } from './lines.ts'
import type { Accumulator, Counted } from './maths/accumulator.ts'
import { accumulatorOf } from './maths/choose.ts'
import { Extremes } from './maths/extremes.ts'
import { Firsts } from './maths/firsts.ts'
import { Sliding } from './maths/sliding.ts'
import { type Project, periodsOf } from './periods.ts'
import { expectFewPoints, type Part, planPart } from './plan.ts'
import { type Breakdown, FIRSTS, MAX_BREAKDOWN_VALUES, type TrendQuery } from './query.ts'

/** Characters of the breakdown values of a part. */
const MAX_TEXT = 8_000_000

/** A query, and the moment as of which it is computed. About `stepEvents` events are read at once; the answer does not depend on it. */
export type Asked = { query: TrendQuery; now: Date; stepEvents?: number }

/** The numbers of a part for each value of its breakdown: every value has a group. */
export type Broken = Cells & { grouping: Grouping }

type Planned = Asked & { periods: Period[]; parts: Part[][] }

/** A planned trend, whose parts can be counted. */
export class Computation {
  readonly query: TrendQuery
  readonly periods: Period[]
  /** The parts of each series: one for each period. */
  readonly parts: readonly Part[][]
  readonly #knowledge: Knowledge
  readonly #work = new Work()
  readonly #stepEvents: number
  readonly #deciders: ReadonlyMap<PropertyFilter, Decider>
  #breakdowns: Breakdown[]

  private constructor(
    db: Db,
    project: Project,
    { query, periods, parts, now, stepEvents = STEP_EVENTS }: Planned
  ) {
    this.query = query
    this.periods = periods
    this.parts = parts
    this.#knowledge = new Knowledge(db, project.id)
    this.#breakdowns = query.breakdowns
    this.#stepEvents = stepEvents
    const filters = parts.flatMap(([part]) => (part ? leavesOf(part.filters) : []))
    this.#deciders = new Map(
      filters.map((filter) => [filter, deciderOf(filter, project.timezone, now)])
    )
  }

  /** Plans all parts of a trend: for each series, one for each period. @throws query_too_large, attr `points` */
  static async plan(db: Db, project: Project, asked: Asked): Promise<Computation> {
    const { query, now } = asked
    const periods = await periodsOf(db, project, query, now)
    expectFewPoints(query, periods)
    const parts: Part[][] = []
    for (const series of query.series) {
      const ofSeries: Part[] = []
      for (const period of periods) {
        ofSeries.push(await planPart(db, project, query, { series, period }))
      }
      parts.push(ofSeries)
    }
    return new Computation(db, project, { ...asked, periods, parts })
  }

  /** The breakdowns, with the bins of their numbers once these are read. */
  get breakdowns(): Breakdown[] {
    return this.#breakdowns
  }

  /** The actors behind numbers of an accumulator: see `Actors`. */
  actorsOf(numbers: readonly number[]): number[] {
    return this.#knowledge.actors.actorsOf(numbers)
  }

  /** Counts a part as its math says. */
  count(part: Part, grouping: Grouping): AsyncIterable<Counted[]> {
    const { windows, isGrowing } = part
    const accumulator = windows ? new Sliding(windows, isGrowing) : accumulatorOf(part)
    return this.countWith(part, this.#breakdowns, grouping, accumulator)
  }

  /** Counts a part in another way. */
  countWith(
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
  async readBins(): Promise<void> {
    const binned: Breakdown[] = []
    for (const breakdown of this.query.breakdowns) {
      const { key, binCount } = breakdown
      if (binCount === undefined) {
        binned.push(breakdown)
        continue
      }
      const extremes = new Extremes()
      for (const part of this.parts.flat()) {
        const numbers = { ...part, property: breakdown }
        const accumulator = isOneOf(FIRSTS, part.math)
          ? new Firsts(part.math === 'first_matching_event_for_user', extremes)
          : extremes
        for await (const _ of this.countWith(numbers, [], new Grouping(), accumulator)) {
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
    this.#breakdowns = binned
  }

  /** Reads the numbers of all values of the breakdown, series by series. @throws query_too_large, attr `rows` */
  async readBroken(): Promise<Broken[][]> {
    const broken: Broken[][] = []
    for (const ofSeries of this.parts) {
      const ofPeriods: Broken[] = []
      for (const part of ofSeries) {
        const grouping = new Grouping()
        const collected = await collect(this.count(part, grouping))
        const length = sum(
          [...collected.totals.keys()].map((group) => String(grouping.valueOf(group)).length)
        )
        if (collected.totals.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT) {
          throw tooManyBreakdownValues(this.query)
        }
        ofPeriods.push({ ...collected, grouping })
      }
      broken.push(ofPeriods)
    }
    return broken
  }

  /** Ranks each series' values by their totals. A formula needs all series of a value: theirs are ranked together. */
  rank(broken: readonly Broken[][]): string[][] {
    const totals = broken.map((ofPeriods) => ofPeriods.map(totalsOf))
    if (this.query.formulas.length === 0) {
      return totals.map(rank)
    }
    const common = rank(
      this.periods.map((_, p) => addTotals(totals.flatMap((ofPeriods) => ofPeriods[p] ?? [])))
    )
    return broken.map(() => common)
  }
}

/** query_too_large: the breakdown has more values than can be ranked or shown. */
export const tooManyBreakdownValues = ({ breakdowns }: TrendQuery): AppError =>
  tooManyValues(breakdowns.map(({ key }) => key).join(', '))

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
