import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MINUTE } from '../../../src/calendar/units.ts'
import {
  IDLE_MS,
  sessionPrefix,
  type VisitorSession,
  VisitorSessions
} from '../../../src/capture/cookieless/sessions.ts'
import { deep } from '../../support/depth.ts'

const ADA = '0123456789abcdef0123456789abcdef'
const BOB = 'f123456789abcdef0123456789abcdef'
const NINE = Date.parse('2026-11-22T09:00:00Z')

/**
 * Returns the session id of each event of a visitor; times are minutes after nine o'clock. Each batch
 * is stored before the next one is planned.
 */
function visit(...batches: number[][]): string[] {
  let stored: VisitorSession[] = []
  const ids: string[] = []
  for (const batch of batches) {
    const sessions = new VisitorSessions(stored)
    for (const minutes of batch) {
      const time = NINE + minutes * MINUTE
      const id = sessions.sessionOf(ADA, time)
      ids.push(id)
      const old = stored.find(({ sessionId }) => sessionId === id)
      const own = { sessionId: id, start: old?.start ?? time, end: old?.end ?? time }
      stored = [
        ...stored.filter((one) => one !== old),
        { ...own, start: Math.min(own.start, time), end: Math.max(own.end, time) }
      ]
    }
  }
  return ids
}

const count = (ids: string[]) => new Set(ids).size

describe('the sessions of a visitor without cookies', () => {
  it('continue until half an hour passes without an event', () => {
    expect(count(visit([0, 29, 58, 88]))).toBe(1)
    expect(count(visit([0], [29], [58], [88]))).toBe(1)
    expect(count(visit([0, 31]))).toBe(2)
    expect(count(visit([0], [31]))).toBe(2)
  })

  it('include events that arrive late', () => {
    expect(count(visit([40], [60], [20]))).toBe(1)
    const [morning, noon, late] = visit([0], [120], [95])
    expect(late).toBe(noon)
    expect(late).not.toBe(morning)
  })

  it('have ids that are version 8 UUIDs and belong to one visitor', () => {
    const sessions = new VisitorSessions([])
    const [ada, bob] = [sessions.sessionOf(ADA, NINE), sessions.sessionOf(BOB, NINE)]

    expect(ada).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ada.startsWith(sessionPrefix(ADA))).toBe(true)
    expect(bob).not.toBe(ada)
    expect(sessions.begun.map(({ sessionId }) => sessionId)).toEqual([ada, bob])
  })

  it('list the stored sessions of their visitor when they begin', () => {
    const stored = ['ada', 'bob'].map((name) => ({
      sessionId: `${sessionPrefix(name === 'ada' ? ADA : BOB)}01a1fc87dc26`,
      start: NINE + 40 * MINUTE,
      end: NINE + 40 * MINUTE
    }))
    const sessions = new VisitorSessions(stored)
    sessions.sessionOf(ADA, NINE)
    sessions.sessionOf(ADA, NINE + 15 * MINUTE)
    sessions.sessionOf(ADA, NINE + 41 * MINUTE)

    expect(sessions.begun).toMatchObject([
      { start: NINE, end: NINE + 15 * MINUTE, known: [stored[0]] }
    ])
  })

  it('are the same however a visit is divided into batches', () => {
    const minutes = fc.array(fc.nat(600), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(minutes, fc.nat(30), (times, cut) => {
        const ordered = times.toSorted((a, b) => a - b)
        const [head, tail] = [ordered.slice(0, cut), ordered.slice(cut)]
        expect(visit(head, tail)).toEqual(visit(ordered))
      }),
      deep(1_000)
    )
  })

  it('never have a gap of more than half an hour', () => {
    const minutes = fc.array(fc.nat(600), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(minutes, (times) => {
        const ids = visit(...times.map((time) => [time]))
        for (const [, own] of Map.groupBy(times.entries(), ([n]) => ids[n])) {
          const sorted = own.map(([, time]) => time).sort((a, b) => a - b)
          for (const [n, time] of sorted.slice(1).entries()) {
            expect((time - (sorted[n] ?? 0)) * MINUTE).toBeLessThanOrEqual(IDLE_MS)
          }
        }
      }),
      deep(1_000)
    )
  })
})
