import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readCron, startCrons } from '../../../scripts/crons.ts'
import { OperatorError } from '../../../scripts/faults.ts'

const MINUTE = 60_000
const minutesOf = (day: string) =>
  Array.from({ length: 1_440 }, (_, n) => Date.parse(day) + n * MINUTE)
const iso = (time: number) => new Date(time).toISOString().slice(0, 16)

describe('a cron expression', () => {
  // 2026-11-22 is a Sunday.
  it.each([
    ['0 5 * * SUN', '2026-11-22', ['2026-11-22T05:00']],
    ['0 5 * * sun', '2026-11-22', ['2026-11-22T05:00']],
    ['0 5 * * 1', '2026-11-22', ['2026-11-22T05:00']],
    ['0 5 * * SUN', '2026-11-23', []],
    ['0 5 * * 2', '2026-11-23', ['2026-11-23T05:00']],
    ['0 5 * * 7', '2026-11-28', ['2026-11-28T05:00']],
    ['0 5 * * MON-FRI', '2026-11-28', []],
    ['30 3 * * *', '2026-11-22', ['2026-11-22T03:30']],
    ['0 */12 1 * *', '2026-12-01', ['2026-12-01T00:00', '2026-12-01T12:00']]
  ])('%s matches on %s: %j', (cron, day, expected) => {
    const matches = readCron(cron)
    expect(
      minutesOf(day)
        .filter((time) => matches(new Date(time)))
        .map(iso)
    ).toEqual(expected)
  })

  it.each([
    ['* * * * *', 1_440],
    ['*/15 * * * *', 96]
  ])('%s matches %i minutes per day', (cron, count) => {
    const matches = readCron(cron)
    expect(minutesOf('2026-11-22').filter((time) => matches(new Date(time)))).toHaveLength(count)
  })

  it.each([
    ['0 5 * * 0', 'Invalid value for dayOfWeek'],
    ['60 * * * *', 'Invalid value for minute'],
    ['* * * *', 'invalid configuration format'],
    ['* * * * * *', 'requires exactly 5 parts'],
    ['', 'invalid configuration format'],
    ['soon', 'invalid configuration format']
  ])('cannot be %j: %s', (cron, message) => {
    expect(() => readCron(cron)).toThrow(message)
  })
})

describe('crons', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-22T04:58:20.500Z') }))
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('fire at their minutes until they are stopped', async () => {
    const fired: string[] = []
    const crons = startCrons(['0 5 * * SUN', '*/2 * * * *', '30 3 * * *'], async (cron, minute) => {
      fired.push(`${iso(minute)} ${cron} ${new Date().toISOString().slice(17)}`)
    })

    await vi.advanceTimersByTimeAsync(4 * MINUTE)
    await crons.stop(20_000)
    await vi.advanceTimersByTimeAsync(4 * MINUTE)

    expect(fired).toEqual([
      '2026-11-22T05:00 0 5 * * SUN 00.000Z',
      '2026-11-22T05:00 */2 * * * * 00.000Z',
      '2026-11-22T05:02 */2 * * * * 00.000Z'
    ])
  })

  it('skip minutes during an unfinished run, and minutes that the machine slept through', async () => {
    const fired: string[] = []
    const crons = startCrons(['* * * * *'], async (_, minute) => {
      fired.push(iso(minute))
      await new Promise((done) => setTimeout(done, 90_000))
    })

    await vi.advanceTimersByTimeAsync(4 * MINUTE)
    vi.setSystemTime('2026-11-22T09:00:30Z')
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    const stopped = crons.stop(20_000)
    await vi.advanceTimersByTimeAsync(90_000)
    await stopped

    expect(fired).toEqual(['2026-11-22T04:59', '2026-11-22T05:01', '2026-11-22T09:01'])
  })

  // The expected minutes are written without the year and month, which are those of `back`.
  it.each([
    ['50 seconds', '2026-11-22T04:59:30Z', ['22T05:01', '22T05:02']],
    ['a day', '2026-11-21T05:00:10Z', ['21T05:00', '21T05:01', '21T05:02', '21T05:03']],
    ['a month', '2026-10-22T05:00:10Z', ['22T05:00', '22T05:01', '22T05:02', '22T05:03']]
  ])('continue when the clock is set back by %s', async (_, back, minutes) => {
    const fired: string[] = []
    const crons = startCrons(['* * * * *'], async (__, minute) => void fired.push(iso(minute)))

    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    vi.setSystemTime(back)
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    await crons.stop(20_000)

    const yearAndMonth = back.slice(0, '2026-11-'.length)
    const afterwards = minutes.map((minute) => yearAndMonth + minute)
    expect(fired).toEqual(['2026-11-22T04:59', '2026-11-22T05:00', ...afterwards])
  })

  it('report a failed run, and fire again', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue()
    const crons = startCrons(['* * * * *'], async (cron) => {
      throw new OperatorError(`The cron "${cron}" failed.`)
    })

    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    await crons.stop(20_000)

    expect(printed.mock.calls).toEqual([
      ['The cron "* * * * *" failed.'],
      ['The cron "* * * * *" failed.']
    ])
  })

  it('wait for runs in progress when stopped, but not forever', async () => {
    const quick = startCrons(['* * * * *'], () => new Promise((done) => setTimeout(done, 5_000)))
    const stuck = startCrons(['* * * * *'], () => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(MINUTE - 20_000)
    const ended: string[] = []
    void quick.stop(20_000).then(() => ended.push('quick'))
    void stuck.stop(20_000).then(() => ended.push('stuck'))

    await vi.advanceTimersByTimeAsync(4_000)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ended).toEqual(['quick'])
    await vi.advanceTimersByTimeAsync(20_000)
    expect(ended).toEqual(['quick', 'stuck'])
  })
})
