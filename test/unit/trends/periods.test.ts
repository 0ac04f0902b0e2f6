import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { periodsOf } from '../../../src/trends/periods.ts'
import { readTrend } from '../../../src/trends/request.ts'

const iso = (time: number) => new Date(time).toISOString().slice(0, 16)

/**
 * Returns the buckets of the current and the previous period, as texts such as
 * `2025-05-30T10:00 – 2025-05-31T00:00`.
 */
async function compared(
  now: string,
  fields: Record<string, Json>,
  timezone = 'UTC'
): Promise<string[][]> {
  const settings = { id: 1, timezone, weekStart: 0, testAccountFilters: [] }
  const body = { events: [{ id: 'visited' }], compare: true, ...fields }
  const query = readTrend(body, settings, new Date(now))
  if (!query) {
    throw new Error('The request has no series.')
  }
  // The database is read only for a range that begins with the first event.
  const periods = await periodsOf(undefined as never, settings, query, new Date(now))
  return periods.map(({ buckets }) =>
    buckets.map(({ from, until }) => `${iso(from)} – ${iso(until)}`)
  )
}

describe('the earlier period of a range in hours', () => {
  it('is as long, even if the month before has fewer days', async () => {
    const body = { date_from: '-24h', compare_to: '-1m' }
    const now = '2025-05-31T10:00:00Z'

    const [, previous] = await compared(now, body)
    const [, whole] = await compared(now, { ...body, display: 'BoldNumber' })

    expect(previous).toEqual([
      '2025-04-30T10:00 – 2025-05-01T00:00',
      '2025-05-01T00:00 – 2025-05-01T10:00'
    ])
    expect(whole).toEqual(['2025-04-30T10:00 – 2025-05-01T10:00'])
  })

  it('is as long, even if the clock is set back meanwhile', async () => {
    const body = { date_from: '-30h', compare_to: '-1w' }
    const now = '2025-11-02T09:00:00Z'

    const [, previous] = await compared(now, body, 'Europe/Berlin')
    const [, whole] = await compared(now, { ...body, display: 'BoldNumber' }, 'Europe/Berlin')

    expect(previous).toEqual([
      '2025-10-25T02:00 – 2025-10-25T22:00',
      '2025-10-25T22:00 – 2025-10-26T08:00'
    ])
    expect(whole).toEqual(['2025-10-25T02:00 – 2025-10-26T08:00'])
  })

  it('has as many points, even if it touches more days: one point covers both', async () => {
    const body = { date_from: '-8h', compare_to: '-5h' }

    const [current, previous] = await compared('2025-06-17T10:00:00Z', body)

    expect(current).toHaveLength(1)
    expect(previous).toEqual(['2025-06-16T21:00 – 2025-06-17T05:00'])
  })

  it('has an empty last point if it touches fewer days', async () => {
    const body = { date_from: '-8h', compare_to: '-5h' }

    const [current, previous] = await compared('2025-06-17T05:00:00Z', body)

    expect(current).toHaveLength(2)
    expect(previous).toEqual([
      '2025-06-16T16:00 – 2025-06-17T00:00',
      '2025-06-17T00:00 – 2025-06-17T00:00'
    ])
  })
})

describe('the earlier period of a single number', () => {
  const now = '2025-06-17T10:20:30Z'

  it('may have as many minutes as the number itself: more than a series may have points', async () => {
    const body = { display: 'BoldNumber', interval: 'minute', date_from: '-30d' }

    expect(await compared(now, body)).toEqual([
      ['2025-05-18T00:00 – 2025-06-17T10:21'],
      ['2025-04-17T13:39 – 2025-05-18T00:00']
    ])
    expect((await compared(now, { ...body, compare_to: '-1y' }))[1]).toEqual([
      '2024-05-18T00:00 – 2024-06-17T10:21'
    ])
  })

  it('has as many whole hours, even across a change of the clock', async () => {
    const body = {
      display: 'BoldNumber',
      interval: 'hour',
      date_from: '2025-03-30',
      date_to: '2025-03-30T12:30'
    }

    expect(await compared(now, body, 'Europe/Berlin')).toEqual([
      ['2025-03-29T23:00 – 2025-03-30T10:30'],
      ['2025-03-29T11:00 – 2025-03-29T23:00']
    ])
  })

  it('ends where the range starts, also if the clock moved by half an hour', async () => {
    const body = {
      display: 'BoldNumber',
      interval: 'hour',
      date_from: '2025-10-05T03:00',
      date_to: '2025-10-05T05:30'
    }

    expect(await compared(now, body, 'Australia/Lord_Howe')).toEqual([
      ['2025-10-04T16:00 – 2025-10-04T18:30'],
      ['2025-10-04T13:00 – 2025-10-04T16:00']
    ])
  })
})
