import { HOUR, MINUTE } from '../calendar/units.ts'
import type { Db, Usage } from '../db/client.ts'
import { isSpent } from '../queues/invocation.ts'
import { buildCopy } from './copy.ts'
import { Pace } from './pace.ts'
import { type Placed, planSegments, type SegmentPlan } from './plan.ts'
import {
  FIRST_SLOT,
  findUnsealed,
  type Limits,
  listSegments,
  listSlots,
  type NamePage,
  type PlacedRow,
  type SlotRange
} from './seal.store.ts'
import { SEGMENTS } from './segments.ts'
import { type EventKind, SLOT } from './slots/store.ts'

/** Time after the end of a slot when it is sealed, ms. Later events are late. */
const SETTLED_MS = HOUR

/**
 * Time after which a segment that is not sealed counts as abandoned, ms; building takes seconds.
 */
const ABANDONED_MS = 10 * MINUTE

/** Number of late events at which a segment is sealed again; up to 256 are read as rows. */
export const MANY_LATE = 257

const FIRST_NAMES = 50

const MAX_NAMES = 10_000

/**
 * Rows that a query of a search should read, which takes about 50 ms. A name takes from 3 rows to
 * `MIN_EVENTS`; the rows of one query tell how many names the next should look at, up to four times
 * as many.
 */
const SEARCHED_ROWS = 100_000

/** Slots planned at a time; each has at least one event. */
const SLOTS_AT_ONCE = 20_000

/** Pause after a statement, as a multiple of its duration, so that others get the database. */
const REST = 8

/**
 * Queries after which an invocation begins no further segment: enough for ten usual segments, about
 * five seconds of CPU. The last one may take 250 queries more, and D1 allows 1,000 per invocation.
 */
export const MAX_SEALING_QUERIES = 600

/**
 * The result of sealing: the numbers of segments and of their events, and the names that are left
 * because the queries ran out. Ranges in which another run or a late event got in the way are left
 * for the next run.
 */
export type SealResult = { segments: number; events: number; left: readonly EventKind[] }

export type Sealing = {
  db: Db
  usage: Usage
  clock: () => Date
  /** Number of late events at which a segment is sealed again. */
  minLate: number
  /** Queries after which no further segment is begun. */
  maxQueries?: number
  /** Called after each segment. */
  onProgress?: (sealed: Omit<SealResult, 'left'>) => void
}

const limitsAt = (now: number, minLate: number): Limits => ({
  horizon: Math.floor((now - SETTLED_MS) / SLOT),
  minLate,
  abandonedBefore: now - ABANDONED_MS
})

/** Names that have events to seal, and the id of the last name searched so far; 0 once all are. */
type Searched = { found: EventKind[]; last: number }

/**
 * Searches the database's event names for those that have events to seal, in the order of ids,
 * after the id `after`. Yields after every other query.
 */
export async function* findSealable(
  db: Db,
  { after = 0, now, minLate }: { after?: number; now: number; minLate: number }
): AsyncGenerator<Searched> {
  let page: NamePage = { after, names: FIRST_NAMES }
  for (;;) {
    const { found, last, rows } = await findUnsealed(db, page, limitsAt(now, minLate))
    yield { found, last: last ?? 0 }
    if (last === undefined) {
      return
    }
    const affordable = Math.floor((page.names * SEARCHED_ROWS) / Math.max(1, rows))
    const names = Math.min(affordable, 4 * page.names, MAX_NAMES)
    page = { after: last, names: Math.max(FIRST_NAMES, names) }
  }
}

/** Seals until `maxQueries` are made. May be interrupted, and run several times at once. */
export async function sealEvents(
  kinds: readonly EventKind[],
  sealing: Sealing
): Promise<SealResult> {
  return new Sealer(sealing).seal(kinds)
}

class Sealer {
  readonly #sealing: Sealing
  #sealed = { segments: 0, events: 0 }

  constructor(sealing: Sealing) {
    this.#sealing = sealing
  }

  async seal(kinds: readonly EventKind[]): Promise<SealResult> {
    for (const [i, kind] of kinds.entries()) {
      if (this.#isSpent() || !(await this.#sealKind(kind))) {
        return { ...this.#sealed, left: kinds.slice(i) }
      }
    }
    return { ...this.#sealed, left: [] }
  }

  /** @returns whether every planned range was tried; false if the queries ran out first */
  async #sealKind(kind: EventKind): Promise<boolean> {
    let isMore: boolean
    do {
      isMore = false
      const { plans, isCut } = await this.#plan(kind)
      for (const plan of plans) {
        if (this.#isSpent()) {
          return false
        }
        const count = await this.#sealRange(kind, plan)
        // Unless a segment was sealed, the next plan would be the same again.
        isMore ||= isCut && count > 0
      }
    } while (isMore)
    return true
  }

  #isSpent(): boolean {
    return isSpent(this.#sealing.usage, this.#sealing.maxQueries ?? MAX_SEALING_QUERIES)
  }

  #limits(): Limits {
    return limitsAt(this.#now(), this.#sealing.minLate)
  }

  #now(): number {
    return this.#sealing.clock().getTime()
  }

  /** `isCut` says that there may be more slots than were planned. */
  async #plan(kind: EventKind): Promise<{ plans: SegmentPlan[]; isCut: boolean }> {
    const limits = this.#limits()
    const rows = await listSegments(this.#sealing.db, kind, limits)
    const segments = rows.map((row) => toPlaced(row, limits))
    const gaps = gapsBetween(segments, limits.horizon)
    const slots = await listSlots(this.#sealing.db, kind, gaps, SLOTS_AT_ONCE)
    return { plans: planSegments(segments, slots), isCut: slots.length === SLOTS_AT_ONCE }
  }

  async #sealRange(kind: EventKind, plan: SegmentPlan): Promise<number> {
    const { db, clock } = this.#sealing
    const { abandonedBefore } = this.#limits()
    const planned = { ...kind, ...plan, now: this.#now(), abandonedBefore }
    const content = await buildCopy(db, SEGMENTS, planned, new Pace(REST, clock))
    if (!content) {
      return 0
    }
    const { segments, events } = this.#sealed
    this.#sealed = { segments: segments + 1, events: events + content.count }
    this.#sealing.onProgress?.(this.#sealed)
    return content.count
  }
}

function toPlaced({ is_sealed, late, ...row }: PlacedRow, { minLate }: Limits): Placed {
  if (!is_sealed) {
    return { ...row, state: 'busy' }
  }
  return { ...row, state: late >= minLate ? 'stale' : 'sealed' }
}

/** Returns the ranges of slots before `horizon` that no sealed or busy segment covers. */
function gapsBetween(segments: readonly Placed[], horizon: number): SlotRange[] {
  const kept = segments.filter(({ state }) => state !== 'stale')
  const starts = [FIRST_SLOT, ...kept.map(({ until }) => until / SLOT)]
  const ends = [...kept.map(({ since }) => since / SLOT), horizon]
  return starts
    .map((since, i) => ({ since, until: ends[i] ?? since }))
    .filter(({ since, until }) => since < until)
}
