import { type Deciders, decidersOf } from '../columns/filter.ts'
import { Grouping } from '../columns/grouping.ts'
import type { Overview } from '../columns/overview.ts'
import { findOverviews, keyOfStretch, type Overviews } from '../columns/sealed.ts'
import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { Work } from '../properties/work.ts'
import type { Period } from './answer.ts'
import { type Bins, binsOf } from './bins.ts'
import { type Cells, collect } from './cells.ts'
import { countPart, Knowledge } from './count.ts'
import { addTotals, rank } from './lines.ts'
import type { Accumulator, Counted } from './maths/accumulator.ts'
import { Extremes } from './maths/extremes.ts'
import { MAX_BREAKDOWN_VALUES } from './maths/limits.ts'
import { Sliding } from './maths/sliding.ts'
import { MATHS, onlyFirsts } from './maths/table.ts'
import { type Project, periodsOf } from './periods.ts'
import { expectFewPoints, type Part, type Sketch, sketchPart, toPart } from './plan.ts'
import { type Breakdown, STEP_EVENTS, type TrendQuery } from './query.ts'
import { sum } from './sum.ts'

/** Characters that all breakdown values of a part may have together. */
const MAX_TEXT = 8_000_000

/**
 * A query, and the moment `now` for which it is computed. `stepEvents` is the approximate number of events read at once;
 * it does not change the answer. `found` has the overviews that this request has already read.
 */
export type Asked = {
  query: TrendQuery
  now: Date
  stepEvents?: number
  found?: Overviews | undefined
}

/** The numbers of a part by breakdown value. `grouping` knows the value of each group in `cells` and `totals`. */
export type BrokenDown = Cells & { grouping: Grouping }

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
  readonly #deciders: Deciders
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
    // All periods of a series have the same filters, so the part of the first period has them all.
    const filters = parts.flatMap(([part]) => (part ? [part.filters] : []))
    this.#deciders = decidersOf(filters, project.timezone, now)
  }

  /** Plans all parts of a trend: for each series, one for each period. @throws query_too_large, attr `points` */
  static async plan(db: Db, project: Project, asked: Asked): Promise<Computation> {
    const { query, now, found } = asked
    const periods = await periodsOf(db, project, query, now)
    expectFewPoints(query, periods)
    const sketches = query.series.map((series) =>
      periods.map((period) => sketchPart(project, query, { series, period }))
    )
    const stretches = sketches.flat().map(({ stretch }) => stretch)
    const overviews = await findOverviews(db, stretches, found)
    const parts = sketches.map((seriesSketches) =>
      seriesSketches.map((sketch) => toPart(sketch, overviewOf(overviews, sketch)))
    )
    return new Computation(db, project, { ...asked, periods, parts })
  }

  /** The breakdowns, with their bins once `readBins` has found them. */
  get breakdowns(): Breakdown[] {
    return this.#breakdowns
  }

  /** Counts a part as its math says. */
  count(part: Part, grouping: Grouping): AsyncIterable<Iterable<Counted>> {
    const { math, property, windows, isGrowing } = part
    const accumulator = windows
      ? new Sliding(windows, isGrowing)
      : MATHS[math].accumulator(property)
    return this.countWith(part, this.#breakdowns, grouping, accumulator)
  }

  /** Counts a part with the caller's accumulator. */
  countWith(
    part: Part,
    breakdowns: readonly Breakdown[],
    grouping: Grouping,
    accumulator: Accumulator
  ): AsyncIterable<Iterable<Counted>> {
    const split = {
      breakdowns,
      grouping,
      deciders: this.#deciders,
      work: this.#work,
      stepEvents: this.#stepEvents
    }
    return countPart(this.#knowledge, part, split, accumulator)
  }

  /** Gives the events of a part to an accumulator that yields no numbers. The caller reads the result from its fields. */
  async feed(
    part: Part,
    breakdowns: readonly Breakdown[],
    grouping: Grouping,
    accumulator: Accumulator
  ): Promise<void> {
    for await (const _ of this.countWith(part, breakdowns, grouping, accumulator)) {
      // The accumulator yields no numbers.
    }
  }

  /** Finds the bins of each breakdown. All series and both periods share them. */
  async readBins(): Promise<void> {
    const binned: Breakdown[] = []
    for (const breakdown of this.query.breakdowns) {
      binned.push({ ...breakdown, bins: await this.#findBins(breakdown) })
    }
    this.#breakdowns = binned
  }

  /** Returns the bins of a breakdown; undefined if the query asks for none, or if no event has a number. */
  async #findBins(breakdown: Breakdown): Promise<Bins | undefined> {
    const { key, binCount } = breakdown
    if (binCount === undefined) {
      return undefined
    }
    const extremes = new Extremes()
    for (const part of this.parts.flat()) {
      // The accumulator gets the breakdown's values in place of the numbers of the math's property.
      const breakdownPart = { ...part, property: breakdown }
      await this.feed(breakdownPart, [], new Grouping(), onlyFirsts(part, extremes))
    }
    // If there is no number, `low` is Infinity and `high` is -Infinity: their difference is -Infinity,
    // so this does not throw, and there are no bins.
    const { low, high } = extremes
    if (high - low === Number.POSITIVE_INFINITY) {
      throw new AppError(
        'invalid_input',
        `The numbers of ${JSON.stringify(key)} cover too wide a range for bins: filter out extreme numbers or leave out the bin count.`
      )
    }
    return low <= high ? binsOf(low, high, binCount) : undefined
  }

  /**
   * Reads the numbers of all values of the breakdown, by series, then by period.
   * @throws query_too_large, whose attr names the limit, such as `breakdown_values`
   */
  async readBrokenDown(): Promise<BrokenDown[][]> {
    const brokenDown: BrokenDown[][] = []
    for (const seriesParts of this.parts) {
      const seriesValues: BrokenDown[] = []
      for (const part of seriesParts) {
        const grouping = new Grouping()
        const collected = await collect(this.count(part, grouping))
        const length = sum(
          [...collected.totals.keys()].map((group) => String(grouping.valueOf(group)).length)
        )
        if (collected.totals.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT) {
          throw tooManyBreakdownValues(this.query)
        }
        seriesValues.push({ ...collected, grouping })
      }
      brokenDown.push(seriesValues)
    }
    return brokenDown
  }

  /**
   * Ranks each series' values by their totals. A formula needs the numbers of all series for a value, so with formulas all
   * series have one ranking.
   */
  rank(brokenDown: readonly BrokenDown[][]): string[][] {
    const totals = brokenDown.map((seriesValues) => seriesValues.map(totalsOf))
    if (this.query.formulas.length === 0) {
      return totals.map(rank)
    }
    const totalsOfAllSeries = this.periods.map((_, periodIndex) => {
      const bySeries = totals.map((seriesTotals) => seriesTotals[periodIndex])
      return addTotals(bySeries.filter((one) => one !== undefined))
    })
    const common = rank(totalsOfAllSeries)
    return brokenDown.map(() => common)
  }

  /** Returns those of a series' ranked values that the page at `offset` shows. On this page, all others are "Other". */
  shownOf(ranked: readonly string[], offset: number): string[] {
    return ranked.slice(offset, offset + this.query.breakdownLimit)
  }
}

function overviewOf(overviews: Overviews, { stretch }: Sketch): Overview {
  const overview = overviews.get(keyOfStretch(stretch))
  if (!overview) {
    throw new Error('The overview of a part was not read.')
  }
  return overview
}

/** Returns the query_too_large error for breakdowns whose values are too many or too long to be ranked or shown. */
export function tooManyBreakdownValues({ breakdowns }: TrendQuery): AppError {
  const names = breakdowns.map(({ key }) => JSON.stringify(key)).join(', ')
  return new AppError(
    'query_too_large',
    `The breakdown by ${names} has more than ${MAX_BREAKDOWN_VALUES} distinct values in this range, or values that are too long: choose a shorter range or another property.`,
    'breakdown_values'
  )
}

/** Returns the total of each value of a part, without the events that have no value. */
function totalsOf({ totals, grouping }: BrokenDown): Map<string, number> {
  const named = new Map<string, number>()
  for (const [group, total] of totals) {
    const value = grouping.valueOf(group)
    if (typeof value === 'string') {
      named.set(value, total)
    }
  }
  return named
}
