import type { FilterGroup } from '../../properties/filter.ts'
import { Seen } from '../../trends/maths/seen.ts'
import type { SessionFacts } from './sessions.ts'
import type { ViewCount, ViewSink, Views, ViewTally } from './views.ts'

/** The numbers of a `WebOverviewQuery` in a period. */
export type WebNumbers = {
  visitors: number
  views: number
  sessions: number
  /** Mean length of a session, seconds; null without sessions. */
  seconds: number | null
  /** Percentage of sessions that are bounces; null without sessions. */
  bounceRate: number | null
}

/** Counts the numbers of a `WebOverviewQuery`, one period after the other. */
export class TotalsCount implements ViewCount {
  readonly sessionGroups = []
  readonly #filters: FilterGroup
  readonly #totals: WebTotals[] = []

  constructor(filters: FilterGroup) {
    this.#filters = filters
  }

  begin(facts: SessionFacts): ViewTally[] {
    const sink = new WebTotals(facts)
    this.#totals.push(sink)
    return [{ filters: this.#filters, by: undefined, sink }]
  }

  /** The numbers of each period. */
  get numbers(): WebNumbers[] {
    return this.#totals.map(({ numbers }) => numbers)
  }
}

/** Counts the views of a period, their visitors and their sessions. */
export class WebTotals implements ViewSink {
  readonly #facts: SessionFacts
  readonly #visitors = new Seen()
  readonly #sessions = new Seen()
  #counts = { visitors: 0, views: 0, sessions: 0, seconds: 0, bounces: 0, rated: 0 }

  constructor(facts: SessionFacts) {
    this.#facts = facts
  }

  add({ groups, actors, sessions }: Views, from: number, until: number): void {
    for (let i = from; i < until; i += 1) {
      const session = sessions[i] ?? -1
      const group = groups ? (groups[i] ?? -1) : 0
      if (session >= 0 && group >= 0) {
        this.#counts.views += 1
        this.#counts.visitors += this.#visitors.add(actors[i] ?? 0) ? 1 : 0
        this.#addSession(session)
      }
    }
  }

  #addSession(session: number): void {
    if (!this.#sessions.add(session)) {
      return
    }
    const counts = this.#counts
    const isBounce = this.#facts.isBounce(session)
    counts.sessions += 1
    counts.seconds += this.#facts.secondsOf(session)
    counts.bounces += isBounce ? 1 : 0
    counts.rated += isBounce === undefined ? 0 : 1
  }

  get numbers(): WebNumbers {
    const { visitors, views, sessions, seconds, bounces, rated } = this.#counts
    return {
      visitors,
      views,
      sessions,
      seconds: sessions > 0 ? seconds / sessions : null,
      bounceRate: rated > 0 ? (100 * bounces) / rated : null
    }
  }
}
