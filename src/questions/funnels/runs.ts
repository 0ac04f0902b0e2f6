import { NumberMap } from '../../columns/number-map.ts'
import { AppError } from '../../errors.ts'
import { PairMarks } from '../../trends/maths/marks.ts'
import type { Stretched, TimedEvents } from '../timed-events.ts'
import { OrderedAttempts } from './ordered.ts'
import { PlainAttempts } from './plain.ts'
import type { Attempts, FunnelRules } from './rules.ts'
import { UnorderedAttempts } from './unordered.ts'

/** Actors whose attempts are in one block of memory. */
const PAGE_BITS = 12
const PAGE = 2 ** PAGE_BITS

/** Memory for all attempts of a question, bytes: two million actors with three steps. */
const MAX_BYTES = 64 * 2 ** 20

/** The attempts of as many actors as there are, in pages. */
class PagedAttempts implements Attempts {
  readonly #rules: FunnelRules
  readonly #most: number
  readonly #pages: Attempts[] = []
  #size = 0

  constructor(rules: FunnelRules) {
    this.#rules = rules
    this.#most = Math.floor(MAX_BYTES / kindOf(rules).bytes(rules))
  }

  get size(): number {
    return this.#size
  }

  /** Returns a new place. @throws query_too_large, attr `actors` */
  open(): number {
    if (this.#size === this.#most) {
      throw new AppError(
        'query_too_large',
        `A funnel with these steps follows at most ${this.#most} actors who take the first one: choose a shorter range, or leave out steps or the breakdown.`,
        'actors'
      )
    }
    if ((this.#size & (PAGE - 1)) === 0) {
      const Kind = kindOf(this.#rules)
      this.#pages.push(new Kind(this.#rules, PAGE))
    }
    this.#size += 1
    return this.#size - 1
  }

  add(place: number, steps: number, exclusions: number, events: TimedEvents, i: number): void {
    this.#pageOf(place).add(place & (PAGE - 1), steps, exclusions, events, i)
  }

  /** Adds a stretch of events to the attempts at some places, -1 for none, if the rules are plain. */
  addPlain(places: Int32Array, stretch: Stretched): void {
    // The cast is safe: these are the attempts of plain rules.
    PlainAttempts.addEach(this.#pages as PlainAttempts[], PAGE_BITS, places, stretch)
  }

  reached(place: number): number {
    return this.#pageOf(place).reached(place & (PAGE - 1))
  }

  isExcluded(place: number): boolean {
    return this.#pageOf(place).isExcluded(place & (PAGE - 1))
  }

  timeTo(place: number, step: number): number {
    return this.#pageOf(place).timeTo(place & (PAGE - 1), step)
  }

  groupOf(place: number): number {
    return this.#pageOf(place).groupOf(place & (PAGE - 1))
  }

  #pageOf(place: number): Attempts {
    const page = this.#pages[place >>> PAGE_BITS]
    if (!page) {
      throw new Error('This place was not opened.')
    }
    return page
  }
}

function kindOf(rules: FunnelRules) {
  if (PlainAttempts.areRules(rules)) {
    return PlainAttempts
  }
  return rules.order === 'unordered' ? UnorderedAttempts : OrderedAttempts
}

export const ATTRIBUTIONS = ['first_touch', 'last_touch', 'all_events', 'step'] as const
/** Which event decides in which group of the breakdown an actor counts. */
export type Attribution = (typeof ATTRIBUTIONS)[number]

/** Reads the marks of events: a bit for each step, then one for each exclusion. */
class FunnelMarks {
  readonly #steps: number
  readonly #allSteps: number
  readonly #allExclusions: number
  /** The steps with which an attempt may begin. */
  readonly #opening: number

  constructor({ order, steps, exclusions }: FunnelRules) {
    this.#steps = steps
    this.#allSteps = 2 ** steps - 1
    this.#allExclusions = 2 ** exclusions.length - 1
    this.#opening = order === 'unordered' ? this.#allSteps : 1
  }

  stepsOf(marks: number): number {
    return marks & this.#allSteps
  }

  exclusionsOf(marks: number): number {
    return (marks >>> this.#steps) & this.#allExclusions
  }

  isOpening(marks: number): boolean {
    return (marks & this.#opening) !== 0
  }
}

/**
 * Follows each actor through a funnel: once for each period in which the actor takes the first
 * step, and with the attribution `all_events` also once for each group, by the events of that
 * group. Each time is a **run**, which has a place.
 */
export class FunnelRuns {
  readonly attempts: PagedAttempts
  readonly #rules: FunnelRules
  readonly #marks: FunnelMarks
  readonly #attribution: Attribution
  /** The end of each period, in order. */
  readonly #ends: readonly number[]
  /** Whether an actor has one run, whose events may be added all at once. */
  readonly #isPlain: boolean
  /** The period of the next event. */
  #period = 0
  /** The place of the latest run of each actor, in each group if followed by group, from 1 on. */
  readonly #latest = new PairMarks()
  /** The place of the run before each run of the same actor, from 1 on. */
  readonly #before = new NumberMap()
  readonly #periods = new NumberMap()
  readonly #actors: number[] = []
  /** The group in which each run counts. */
  readonly #groups = new NumberMap()
  /** Memory for the places of events that are added at once. */
  #places = new Int32Array()

  /**
   * Group 0 is that of events without a value.
   * @param ends the end of each period of the events, ms, in order
   */
  constructor(rules: FunnelRules, attribution: Attribution, ends: readonly number[]) {
    this.attempts = new PagedAttempts(rules)
    this.#rules = rules
    this.#marks = new FunnelMarks(rules)
    this.#attribution = attribution
    this.#ends = ends
    this.#isPlain =
      PlainAttempts.areRules(rules) && attribution !== 'all_events' && ends.length === 1
  }

  /** Adds events, which come in the order of time. @throws query_too_large, attr `actors` */
  add(events: TimedEvents, from: number, until: number): void {
    if (this.#isPlain) {
      this.#addPlain({ events, from, until })
      return
    }
    const { times } = events
    for (let i = from; i < until; i += 1) {
      while ((times[i] ?? 0) >= (this.#ends[this.#period] ?? Number.POSITIVE_INFINITY)) {
        this.#period += 1
      }
      this.#addEvent(events, i)
    }
  }

  get size(): number {
    return this.attempts.size
  }

  /** Returns how many steps each run has; 0 if an exclusion spoilt it. */
  listReached(): Uint8Array {
    const reached = new Uint8Array(this.size)
    for (let place = 0; place < reached.length; place += 1) {
      reached[place] = this.attempts.isExcluded(place) ? 0 : this.attempts.reached(place)
    }
    return reached
  }

  /** Returns the number of a run's actor. */
  actorOf(place: number): number {
    return this.#actors[place] ?? 0
  }

  /** Returns the period in which a run takes the first step. */
  periodOf(place: number): number {
    return this.#periods.get(place)
  }

  /** Returns the group in which a run counts. */
  groupOf(place: number): number {
    return this.#attribution === 'step'
      ? Math.max(0, this.attempts.groupOf(place))
      : this.#groups.get(place)
  }

  #addPlain(stretch: Stretched): void {
    const { events, from, until } = stretch
    const { marks, subjects, groups } = events
    const places = this.#placesFor(until - from)
    for (let i = from; i < until; i += 1) {
      const actor = subjects[i] ?? 0
      const latest = this.#latest.get(0, actor) - 1
      const isFirst = latest < 0 && ((marks[i] ?? 0) & 1) !== 0
      places[i - from] = isFirst ? this.#open(0, actor, -1) : latest
    }
    this.attempts.addPlain(places, stretch)
    for (let i = from; groups && i < until; i += 1) {
      const [place = -1, group = 0] = [places[i - from], groups[i]]
      if (place >= 0 && group !== 0) {
        this.#attribute(place, group)
      }
    }
  }

  #addEvent(events: TimedEvents, i: number): void {
    const mark = events.marks[i] ?? 0
    const group = events.groups?.[i] ?? 0
    const steps = this.#marks.stepsOf(mark)
    const exclusions = this.#marks.exclusionsOf(mark)
    let place = this.#latestOf(events.subjects[i] ?? 0, group, mark)
    while (place >= 0 && this.#isGoingOn(place, events, i)) {
      // Only first steps within its period belong to a run.
      const own = this.#periods.get(place) === this.#period ? steps : steps & ~1
      this.attempts.add(place, own, exclusions, events, i)
      if (own !== 0 && group !== 0) {
        this.#attribute(place, group)
      }
      place = this.#before.get(place) - 1
    }
  }

  #placesFor(events: number): Int32Array {
    if (events > this.#places.length) {
      this.#places = new Int32Array(Math.max(events, 2 * this.#places.length))
    }
    return this.#places
  }

  /** Whether a run can still have an event. */
  #isGoingOn(place: number, { times }: TimedEvents, i: number): boolean {
    const end = this.#ends[this.#periods.get(place)] ?? 0
    return (times[i] ?? 0) - end <= this.#rules.window
  }

  /** Returns the place of an actor's latest run, which an event may begin; -1 without any. */
  #latestOf(actor: number, group: number, mark: number): number {
    const key = this.#attribution === 'all_events' ? group : 0
    const latest = this.#latest.get(key, actor) - 1
    const isCurrent = latest >= 0 && this.#periods.get(latest) === this.#period
    if (isCurrent || !this.#marks.isOpening(mark)) {
      return latest
    }
    return this.#open(key, actor, latest)
  }

  /** Begins a run of an actor, whose run before has the place `latest`, -1 without any. */
  #open(key: number, actor: number, latest: number): number {
    const place = this.attempts.open()
    this.#latest.set(key, actor, place + 1)
    this.#actors.push(actor)
    if (this.#ends.length > 1) {
      this.#periods.set(place, this.#period)
      this.#before.set(place, latest + 1)
    }
    return place
  }

  #attribute(place: number, group: number): void {
    if (this.#attribution === 'last_touch' || this.#groups.get(place) === 0) {
      this.#groups.set(place, group)
    }
  }
}
