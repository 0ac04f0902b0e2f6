import { PairSet } from '../../trends/maths/marks.ts'
import type { SessionFacts } from './sessions.ts'
import type { ViewSink, Views } from './views.ts'

/** Pairs of a value and a visitor, or of a value and a session; two million take 32 MB. */
const MAX_PAIRS = 2_000_000

/** Counts the views of each group, and their visitors. */
export class VisitorRows implements ViewSink {
  readonly visitors: number[] = []
  readonly views: number[] = []
  readonly #pairs = new PairSet(MAX_PAIRS)

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

/** Finds the share of the sessions of each group that are bounces. */
export class BounceRows implements ViewSink {
  readonly #facts: SessionFacts
  readonly #bounces: number[] = []
  readonly #rated: number[] = []
  readonly #pairs = new PairSet(MAX_PAIRS)

  constructor(facts: SessionFacts) {
    this.#facts = facts
  }

  add({ groups, sessions }: Views, from: number, until: number): void {
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      const session = sessions[i] ?? -1
      if (group < 0 || session < 0 || !this.#pairs.add(group, session)) {
        continue
      }
      const isBounce = this.#facts.isBounce(session)
      if (isBounce !== undefined) {
        this.#rated[group] = (this.#rated[group] ?? 0) + 1
        this.#bounces[group] = (this.#bounces[group] ?? 0) + (isBounce ? 1 : 0)
      }
    }
  }

  /** Returns the share of each group, from 0 to 1; null if no session of it can be a bounce. */
  get rates(): (number | null)[] {
    return Array.from(this.#rated, (rated = 0, group) =>
      rated > 0 ? (this.#bounces[group] ?? 0) / rated : null
    )
  }
}
