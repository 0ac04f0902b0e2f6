import type { Column } from '../../columns/column.ts'
import { NumberMap } from '../../columns/number-map.ts'
import type { Db } from '../../db/client.ts'
import { inHalves } from '../../db/halves.ts'
import { AppError } from '../../errors.ts'
import type { Json } from '../../input/json.ts'
import { Sessions } from '../../trends/sessions.ts'
import { pause } from '../../turns.ts'
import type { SessionGroups } from './groups.ts'
import { readWebSessions, type WantedSessions } from './sessions.store.ts'

/** Sessions of a question; a million take some 40 MB, half of it their ids. */
const MAX_SESSIONS = 1_000_000

/** Sessions that a statement looks up; it takes about 20 ms. */
const AT_ONCE = 10_000

/** Pause after each statement, ms, so that other requests get the database. */
const REST_MS = 1

/** The bits of a session's facts: whether it was looked up, its bounce, and where it began. */
const KNOWN = 1
const BOUNCE_SHIFT = 1
const BOUNCE_MASK = 3
const BEGUN_SHIFT = 3

/** What is known of sessions as a whole, by their numbers. */
export type SessionFacts = {
  /** Returns the seconds from the first event of a session to its last. */
  secondsOf: (session: number) => number
  /** Returns whether a session is a bounce; undefined for one without a page or screen. */
  isBounce: (session: number) => boolean | undefined
}

/** Looks up sessions, and numbers them from 0 on. */
export class WebSessions implements SessionFacts {
  readonly #db: Db
  readonly #wanted: Omit<WantedSessions, 'ids' | 'keys'>
  readonly #groups: readonly SessionGroups[]
  readonly #numbers = new Sessions()
  readonly #facts = new NumberMap()
  readonly #seconds = new NumberMap()
  #count = 0

  /** @param groups get the values of all sessions that began in a period */
  constructor(
    db: Db,
    wanted: Omit<WantedSessions, 'ids' | 'keys'>,
    groups: readonly SessionGroups[]
  ) {
    this.#db = db
    this.#wanted = wanted
    this.#groups = groups
  }

  /** Looks up the sessions of some columns. @throws query_too_large, attr `sessions` */
  async learn(columns: readonly Column[]): Promise<void> {
    const unknown = new Map<number, string>()
    for (const { values } of columns) {
      for (const id of values) {
        const number = id === null ? -1 : this.#numbers.numberOf(id)
        if (number >= 0 && this.#facts.get(number) === 0) {
          unknown.set(number, String(id))
        }
      }
    }
    this.#count += unknown.size
    if (this.#count > MAX_SESSIONS) {
      throw new AppError(
        'query_too_large',
        `The range has more than ${MAX_SESSIONS} sessions: ask for a shorter one.`,
        'sessions'
      )
    }
    const asked = [...unknown]
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      await this.#lookUp(asked.slice(from, from + AT_ONCE))
      await pause(REST_MS)
    }
  }

  async #lookUp(some: readonly [number: number, id: string][]): Promise<void> {
    for (const [number] of some) {
      this.#facts.set(number, KNOWN)
    }
    const keys = this.#groups.map(({ key }) => key)
    await inHalves(some, async (asked) => {
      const ids = asked.map(([, id]) => id)
      const found = await readWebSessions(this.#db, { ...this.#wanted, ids, keys })
      for (const { place, seconds, bounce, begun, values } of found) {
        const number = asked[place]?.[0] ?? -1
        this.#facts.set(number, KNOWN | (bounce << BOUNCE_SHIFT) | (begun << BEGUN_SHIFT))
        this.#seconds.set(number, seconds)
        if (begun > 0) {
          for (const [i, groups] of this.#groups.entries()) {
            groups.note(number, values[i] ?? null)
          }
        }
      }
      return []
    })
  }

  /** Returns the number of each event's session; -1 unless it has one that began in a period. */
  of({ codes, values }: Column, period: number): Int32Array {
    const ofValues = Int32Array.from(values, (id: Json) => {
      const number = id === null ? -1 : this.#numbers.numberOf(id)
      return number >= 0 && this.#facts.get(number) & (1 << (BEGUN_SHIFT + period)) ? number : -1
    })
    const numbers = new Int32Array(codes.length)
    for (let i = 0; i < numbers.length; i += 1) {
      numbers[i] = ofValues[codes[i] ?? 0] ?? -1
    }
    return numbers
  }

  secondsOf(session: number): number {
    return this.#seconds.get(session)
  }

  isBounce(session: number): boolean | undefined {
    const bounce = (this.#facts.get(session) >> BOUNCE_SHIFT) & BOUNCE_MASK
    return bounce === 0 ? undefined : bounce === 2
  }
}
