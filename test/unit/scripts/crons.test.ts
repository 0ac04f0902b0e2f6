import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { readCron, runCron, startCrons } from '../../../scripts/crons.ts'
import { OperatorError } from '../../../scripts/local.ts'

const MINUTE = 60_000
const minutesOf = (day: string) =>
  Array.from({ length: 1_440 }, (_, n) => Date.parse(day) + n * MINUTE)
const iso = (time: number) => new Date(time).toISOString().slice(0, 16)

describe('an expression', () => {
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
  ])('%s means on %s %j', (cron, day, expected) => {
    const means = readCron(cron)
    expect(
      minutesOf(day)
        .filter((time) => means(new Date(time)))
        .map(iso)
    ).toEqual(expected)
  })

  it.each([
    ['* * * * *', 1_440],
    ['*/15 * * * *', 96]
  ])('%s means %i minutes a day', (cron, count) => {
    const means = readCron(cron)
    expect(minutesOf('2026-11-22').filter((time) => means(new Date(time)))).toHaveLength(count)
  })

  it.each(['0 5 * * 0', '60 * * * *', '* * * *', '* * * * * *', '', 'soon'])(
    'is not %j',
    (cron) => {
      expect(() => readCron(cron)).toThrow()
    }
  )
})

describe('crons', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-22T04:58:20.500Z') }))
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('are fired at their minutes until they are stopped', async () => {
    const fired: string[] = []
    const crons = startCrons(['0 5 * * SUN', '*/2 * * * *', '30 3 * * *'], async (cron, minute) => {
      fired.push(`${iso(minute)} ${cron} ${new Date().toISOString().slice(17)}`)
    })

    await vi.advanceTimersByTimeAsync(4 * MINUTE)
    await crons.stop()
    await vi.advanceTimersByTimeAsync(4 * MINUTE)

    expect(fired).toEqual([
      '2026-11-22T05:00 0 5 * * SUN 00.000Z',
      '2026-11-22T05:00 */2 * * * * 00.000Z',
      '2026-11-22T05:02 */2 * * * * 00.000Z'
    ])
  })

  it('leave out the minutes in which the last run is not yet done, and those that the machine slept through', async () => {
    const fired: string[] = []
    const crons = startCrons(['* * * * *'], async (_, minute) => {
      fired.push(iso(minute))
      await new Promise((done) => setTimeout(done, 90_000))
    })

    await vi.advanceTimersByTimeAsync(4 * MINUTE)
    vi.setSystemTime('2026-11-22T09:00:30Z')
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    const stopped = crons.stop()
    await vi.advanceTimersByTimeAsync(90_000)
    await stopped

    expect(fired).toEqual(['2026-11-22T04:59', '2026-11-22T05:01', '2026-11-22T09:01'])
  })

  it('that fail say so, and come again', async () => {
    const said = vi.spyOn(console, 'error').mockReturnValue()
    const crons = startCrons(['* * * * *'], async (cron) => {
      throw new OperatorError(`The cron "${cron}" failed.`)
    })

    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    await crons.stop()

    expect(said.mock.calls).toEqual([
      ['The cron "* * * * *" failed.'],
      ['The cron "* * * * *" failed.']
    ])
  })

  it('under way are waited for when they are stopped, but not for ever', async () => {
    const quick = startCrons(['* * * * *'], () => new Promise((done) => setTimeout(done, 5_000)))
    const stuck = startCrons(['* * * * *'], () => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(MINUTE - 20_000)
    const ended: string[] = []
    void quick.stop().then(() => ended.push('quick'))
    void stuck.stop().then(() => ended.push('stuck'))

    await vi.advanceTimersByTimeAsync(4_000)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ended).toEqual(['quick'])
    await vi.advanceTimersByTimeAsync(20_000)
    expect(ended).toEqual(['quick', 'stuck'])
  })
})

describe('a run', () => {
  /** A service whose handler answers so; what it was asked for. */
  async function serve(status: number, body: string) {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(status).end(body)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    // A server that listens on a port has no other kind of address.
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server }
  }

  it('asks for its expression and its minute', async () => {
    const { url, asked } = await serve(200, '{"outcome":"ok","noRetry":false}')

    await runCron(url, '0 5 * * SUN', Date.parse('2026-11-22T05:00Z'))

    expect(asked).toEqual([
      '/cdn-cgi/handler/scheduled?cron=0+5+*+*+SUN&time=1795323600000&format=json'
    ])
  })

  it.each([
    [200, '{"outcome":"exception"}'],
    [500, 'Internal Server Error']
  ])('that is answered %i %s has failed', async (status, body) => {
    const { url } = await serve(status, body)

    await expect(runCron(url, '* * * * *', 0)).rejects.toThrow(
      new OperatorError(`The cron "* * * * *" failed: ${status} ${body}`)
    )
  })

  it('that reaches nobody has failed', async () => {
    const { url, server } = await serve(200, '')
    server.close()
    await once(server, 'close')

    await expect(runCron(url, '* * * * *', 0)).rejects.toThrow(
      /^The cron "\* \* \* \* \*" failed: Error: connect ECONNREFUSED/
    )
  })
})
