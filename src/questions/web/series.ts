import { type Bucket, bucketsOf, daysOf, type Interval } from '../../calendar/buckets.ts'
import type { FilterGroup } from '../../properties/filter.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import { BucketGroups, type WebAllowance } from './groups.ts'
import { SessionRows, VisitorRows } from './rows.ts'
import type { SessionFacts } from './sessions.ts'
import type { ViewCount, ViewTally } from './views.ts'

/** The numbers of a `WebOverviewQuery` in each bucket, by their `key`. */
type WebPeriod = {
  /** Where each bucket begins, on the clock of the project. */
  days: string[]
  visitors: number[]
  views: number[]
  sessions: number[]
  'session duration': (number | null)[]
  'bounce rate': (number | null)[]
}

/** The numbers of a `WebOverviewQuery` over time. */
export type WebSeries = {
  interval: Interval
  /** The number of buckets that are over; those after them go on. */
  finished: number
  current: WebPeriod
  previous: WebPeriod | null
}

type CountedPeriod = { buckets: Bucket[]; rows: VisitorRows; sessions: SessionRows }

/**
 * Counts the numbers of each bucket, one period after the other. A session counts in each bucket in
 * which it has a view.
 */
export class SeriesCount implements ViewCount {
  readonly sessionGroups = []
  readonly #filters: FilterGroup
  readonly #interval: Interval
  readonly #calendar: ProjectCalendar
  readonly #counted: CountedPeriod[] = []

  constructor(filters: FilterGroup, interval: Interval, calendar: ProjectCalendar) {
    this.#filters = filters
    this.#interval = interval
    this.#calendar = calendar
  }

  /** @throws query_too_large, attr `interval`, for too many buckets */
  begin(facts: SessionFacts, period: Bucket, { pairs }: WebAllowance): ViewTally[] {
    const buckets = bucketsOf(period, this.#interval, this.#calendar).map((bucket) => ({
      ...bucket,
      from: Math.max(bucket.from, period.from)
    }))
    const [rows, sessions] = [new VisitorRows(pairs), new SessionRows(facts, pairs)]
    this.#counted.push({ buckets, rows, sessions })
    const by = new BucketGroups(buckets)
    return [rows, sessions].map((sink) => ({ filters: this.#filters, by, sink }))
  }

  answer(now: Date): WebSeries {
    const [current, previous] = this.#counted
    const buckets = current?.buckets ?? []
    return {
      interval: this.#interval,
      finished: buckets.filter(({ until }) => until <= now.getTime()).length,
      current: this.#toPeriod(current),
      previous: previous ? this.#toPeriod(previous) : null
    }
  }

  #toPeriod(counted: CountedPeriod | undefined): WebPeriod {
    const { buckets = [], rows, sessions } = counted ?? {}
    const [rates = [], lengths = []] = [sessions?.rates, sessions?.lengths]
    const percent = (rate: number | null | undefined) =>
      typeof rate === 'number' ? rate * 100 : null
    return {
      days: daysOf(buckets, this.#interval),
      visitors: buckets.map((_, i) => rows?.visitors[i] ?? 0),
      views: buckets.map((_, i) => rows?.views[i] ?? 0),
      sessions: buckets.map((_, i) => sessions?.sessions[i] ?? 0),
      'session duration': buckets.map((_, i) => lengths[i] ?? null),
      'bounce rate': buckets.map((_, i) => percent(rates[i]))
    }
  }
}
