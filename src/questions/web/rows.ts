import { type PairAllowance, PairSet } from '../../trends/maths/marks.ts'
import type { SessionFacts } from './sessions.ts'
import type { ViewSink, Views } from './views.ts'

/** Counts the views of each group, and their visitors. */
export class VisitorRows implements ViewSink {
  readonly visitors: number[] = []
  readonly views: number[] = []
  readonly #pairs: PairSet

  constructor(allowance?: PairAllowance) {
    this.#pairs = new PairSet(allowance)
  }

  add({ groups, actors, sessions }: Views, from: number, until: number): void {
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0 && (sessions[i] ?? -1) >= 0) {
        const isNew = this.#pairs.add(group, actors[i] ?? 0)
        this.views[group] = (this.views[group] ?? 0) + 1
        this.visitors[group] = (this.visitors[group] ?? 0) + (isNew ? 1 : 0)
      }
    }
  }
}

/** Counts the sessions of each group, with their lengths and bounces. */
export class SessionRows implements ViewSink {
  readonly sessions: number[] = []
  readonly #facts: SessionFacts
  readonly #seconds: number[] = []
  readonly #bounces: number[] = []
  readonly #rated: number[] = []
  readonly #pairs: PairSet

  constructor(facts: SessionFacts, allowance?: PairAllowance) {
    this.#facts = facts
    this.#pairs = new PairSet(allowance)
  }

  add({ groups, sessions }: Views, from: number, until: number): void {
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      const session = sessions[i] ?? -1
      if (group >= 0 && session >= 0 && this.#pairs.add(group, session)) {
        this.#addSession(group, session)
      }
    }
  }

  #addSession(group: number, session: number): void {
    const isBounce = this.#facts.isBounce(session)
    increase(this.sessions, group, 1)
    increase(this.#seconds, group, this.#facts.secondsOf(session))
    increase(this.#rated, group, isBounce === undefined ? 0 : 1)
    increase(this.#bounces, group, isBounce ? 1 : 0)
  }

  /** Returns the mean length of the sessions of each group, seconds; null without any. */
  get lengths(): (number | null)[] {
    return ratios(this.#seconds, this.sessions)
  }

  /** Returns the share of bounces in each group, from 0 to 1; null if no session can be one. */
  get rates(): (number | null)[] {
    return ratios(this.#bounces, this.#rated)
  }
}

function increase(numbers: number[], group: number, by: number): void {
  numbers[group] = (numbers[group] ?? 0) + by
}

const ratios = (parts: readonly number[], wholes: readonly number[]): (number | null)[] =>
  Array.from(wholes, (whole = 0, group) => (whole > 0 ? (parts[group] ?? 0) / whole : null))
