/*
 * Sessions of visitors without cookies. Their browser keeps no session id, so that the server finds out from the times of
 * a visitor's events which of them belong together.
 */

/** A session ends when nothing happens for so long, ms; posthog-js does the same where it may keep an id. */
export const IDLE_MS = 30 * 60_000

/** A stored session of a visitor. Times are ms UTC, of its first and last event. */
export type VisitorSession = { sessionId: string; start: number; end: number }

/** What all session ids of a visitor begin with, given the 32 digits of its hash; with the rest they are version 8 UUIDs. */
export const sessionPrefix = (visitor: string): string =>
  [
    visitor.slice(0, 8),
    visitor.slice(8, 12),
    `8${visitor.slice(12, 15)}`,
    `a${visitor.slice(15, 18)}`,
    ''
  ].join('-')

/** The prefix of a session id. */
export const prefixOf = (sessionId: string): string => sessionId.slice(0, -TIME_DIGITS)

/** Hexadecimal digits of the time in a session id. */
const TIME_DIGITS = 12

/** `0f3a…-a1c2-` and the time of its first event: `0f3a…-a1c2-01a1fc87dc26`. */
const newSessionId = (prefix: string, start: number): string =>
  `${prefix}${Math.max(0, start).toString(16).padStart(TIME_DIGITS, '0')}`

/** Finds or begins the session of each event of a batch, taken in order of time. */
export class VisitorSessions {
  /** By the prefix of their visitor. */
  readonly #sessions: Map<string, VisitorSession[]>
  readonly #begun = new Set<VisitorSession>()

  constructor(stored: readonly VisitorSession[]) {
    const copies = stored.map((session) => ({ ...session }))
    this.#sessions = Map.groupBy(copies, ({ sessionId }) => prefixOf(sessionId))
  }

  /** The id of the visitor's session at a time, ms UTC. */
  sessionOf(visitor: string, time: number): string {
    const prefix = sessionPrefix(visitor)
    const distance = ({ start, end }: VisitorSession) => Math.max(start - time, time - end, 0)
    const own = this.#sessions.get(prefix) ?? []
    const [nearest] = own
      .filter((one) => distance(one) <= IDLE_MS)
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

  /** The sessions that no stored event belongs to yet. */
  get begun(): VisitorSession[] {
    return [...this.#begun]
  }
}
