import { MINUTE } from '../../calendar/units.ts'

/*
 * Sessions of visitors without cookies. Their browsers keep no session id, so the server groups a
 * visitor's events into sessions by their times.
 */

/** Idle time that ends a session, ms. posthog-js uses the same limit when it may keep an id. */
export const IDLE_MS = 30 * MINUTE

/** A session of a visitor; `start` and `end` are the times of its first and last event, ms UTC. */
export type VisitorSession = { sessionId: string; start: number; end: number }

/** A session that begins in a batch; `known` are its visitor's stored ones, as read. */
export type BegunSession = VisitorSession & { known: readonly VisitorSession[] }

/**
 * Returns the prefix of a visitor's session ids, which are version 8 UUIDs, given the 32
 * hexadecimal digits of the visitor's hash: `0f3a5b6c7d8e9f01…` gives `0f3a5b6c-7d8e-89f0-a1…-`.
 */
export const sessionPrefix = (visitor: string): string =>
  [
    visitor.slice(0, 8),
    visitor.slice(8, 12),
    `8${visitor.slice(12, 15)}`,
    `a${visitor.slice(15, 18)}`,
    ''
  ].join('-')

/** Returns the part of a session id that identifies the visitor. */
export const prefixOf = (sessionId: string): string => sessionId.slice(0, -TIME_DIGITS)

/** Hexadecimal digits at the end of a session id that hold its time. */
const TIME_DIGITS = 12

/** Appends the first event's time to a prefix: `0f3a…-a1c2-` → `0f3a…-a1c2-01a1fc87dc26`. */
const newSessionId = (prefix: string, start: number): string =>
  `${prefix}${Math.max(0, start).toString(16).padStart(TIME_DIGITS, '0')}`

/** Finds or begins the sessions of a batch of events, which must come in order of time. */
export class VisitorSessions {
  /** Sessions by visitor prefix. */
  readonly #sessions: Map<string, VisitorSession[]>
  /** Sessions as they were read, by visitor prefix. */
  readonly #stored: Map<string, VisitorSession[]>
  readonly #begun = new Set<VisitorSession>()

  constructor(stored: readonly VisitorSession[]) {
    this.#stored = Map.groupBy(stored, ({ sessionId }) => prefixOf(sessionId))
    const copies = stored.map((session) => ({ ...session }))
    this.#sessions = Map.groupBy(copies, ({ sessionId }) => prefixOf(sessionId))
  }

  /**
   * Returns the id of the visitor's session at a time, ms UTC: the nearest one within the idle
   * time, otherwise a new one. `visitor` is the visitor's hash.
   */
  sessionOf(visitor: string, time: number): string {
    const prefix = sessionPrefix(visitor)
    const distance = ({ start, end }: VisitorSession) => Math.max(start - time, time - end, 0)
    const known = this.#sessions.get(prefix) ?? []
    const [nearest] = known
      .filter((session) => distance(session) <= IDLE_MS)
      .sort((a, b) => distance(a) - distance(b) || a.start - b.start)
    const session = nearest ?? this.#begin(prefix, time)
    session.start = Math.min(session.start, time)
    session.end = Math.max(session.end, time)
    return session.sessionId
  }

  #begin(prefix: string, start: number): VisitorSession {
    const session = { sessionId: newSessionId(prefix, start), start, end: start }
    this.#sessions.set(prefix, [...(this.#sessions.get(prefix) ?? []), session])
    this.#begun.add(session)
    return session
  }

  get begun(): BegunSession[] {
    return [...this.#begun].map((session) => ({
      ...session,
      known: this.#stored.get(prefixOf(session.sessionId)) ?? []
    }))
  }
}
