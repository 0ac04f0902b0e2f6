import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { noteRequest, Turns } from '../../src/turns.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

it('before another request begins, give() takes 0 ms and giveIfAwaited() gives no turn', async () => {
  noteRequest()
  const turns = new Turns()

  expect(await timeOf(turns.give())).toBe(0)
  await turns.giveIfAwaited()

  expect(vi.getTimerCount()).toBe(0)
})

it('after another request has begun, both give turns of 1 ms', async () => {
  const turns = new Turns()
  noteRequest()

  expect(await timeOf(turns.give())).toBe(1)
  expect(await timeOf(turns.giveIfAwaited())).toBe(1)
})

/** Returns the milliseconds after which a turn ends. */
async function timeOf(turn: Promise<void>): Promise<number> {
  const begin = Date.now()
  const ended = turn.then(() => Date.now())
  await vi.runAllTimersAsync()
  return (await ended) - begin
}
