import { describe, expect, it } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { nextSize, PacedWork, ROWS } from '../../../src/erasures/engine/paced-work.ts'
import { MAX_QUERIES } from '../../../src/queues/invocation.ts'

describe('the next piece', () => {
  it.each([
    ['has as many rows as take 8 ms', 200, 16, 100],
    ['is as large as the last if that took 8 ms', 177, 8, 177],
    ['is at most twice as large', 100, 1, 200],
    ['grows after a piece that was too short for a coarse clock', 100, 0, 200],
    ['is not small only because a row was slow', 10, 500, 10],
    ['is not too large either', 900, 5, 1_000],
    ['does not grow for ever if the clock of the database stands still', 1_000, 0, 1_000]
  ])('%s', (_, rows, databaseMs, size) => {
    expect(nextSize({ rows, databaseMs, elapsedMs: databaseMs }, ROWS)).toBe(size)
  })

  it.each([
    [0, 160],
    [32, 160],
    [60, 300],
    [96, 480],
    [10_000, 480]
  ])('is larger if the database is farther away: %s ms', (awayMs, size) => {
    const spent = { rows: 400, databaseMs: 20, elapsedMs: 20 + awayMs }
    expect(nextSize(spent, ROWS)).toBe(size)
  })
})

describe('pieces', () => {
  /** Removes this many rows of 0.05 ms each, from a database this far away. @returns the sizes of the pieces */
  async function remove(rows: number, distanceMs: number, queriesPerPiece = 1) {
    const usage = newUsage()
    let now = 0
    const sizes: number[] = []
    let left = rows
    const isDone = await new PacedWork({ usage, clock: () => new Date(now) }).run(async (limit) => {
      sizes.push(limit)
      const removed = Math.min(left, limit)
      left -= removed
      const ms = removed * 0.05
      usage.databaseMs += ms
      usage.queries += queriesPerPiece
      now += ms + distanceMs
      return { rows: removed, isLast: removed < limit }
    })
    return { sizes, left, isDone }
  }

  it('are larger if the database is far away, but still short', async () => {
    const near = { sizes: [100, 160, 160, 160, 160, 160, 160], left: 0, isDone: true }
    expect(await remove(1_000, 0)).toEqual(near)
    const far = { sizes: [100, 200, 400, 480], left: 0, isDone: true }
    expect(await remove(1_000, 500)).toEqual(far)
  })

  it('end with the queries of the invocation, even if no clock moves', async () => {
    const usage = newUsage()
    let pieces = 0
    const isDone = await new PacedWork({ usage, clock: () => new Date(0) }).run(async (limit) => {
      usage.queries += MAX_QUERIES / 2
      pieces += 1
      return { rows: limit, isLast: false }
    })

    expect({ isDone, pieces }).toEqual({ isDone: false, pieces: 2 })
  })
})
