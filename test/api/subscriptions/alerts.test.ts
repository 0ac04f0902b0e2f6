import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { type Desk, newDesk, passSeconds, setClock } from '../../support/deliveries.ts'
import { newProject } from '../../support/project.ts'

const NOON = '2026-11-23T12:00:00Z'

beforeEach(() => setClock(NOON))
afterEach(() => {
  vi.useRealTimers()
})

const TOO_FEW = {
  name: 'Too few sales',
  target_value: 'ada@example.com',
  condition: { type: 'absolute_value' },
  threshold: { configuration: { type: 'absolute', bounds: { lower: 2 } } },
  calculation_interval: 'daily'
}

/** The example of docs/alerts.md. */
const FELL = {
  condition: { type: 'relative_decrease' },
  threshold: { configuration: { type: 'percentage', bounds: { upper: 0.5 } } }
}

async function newInsight(desk: Desk, filters: object = {}): Promise<number> {
  const asked = { events: [{ id: 'sold' }], date_from: '-6d', ...filters }
  return (await desk.send('POST', 'insights/', { name: 'Sales', filters: asked })).body.id
}

async function newAlert(desk: Desk, fields: object = {}) {
  const insight = await newInsight(desk)
  const { status, body } = await desk.send('POST', 'alerts/', { insight, ...TOO_FEW, ...fields })
  expect([status, body.detail]).toEqual([201, undefined])
  return body
}

/** Captures events at noon, some days before the clock's date. */
const sell = (desk: Desk, daysAgo: number, count: number) =>
  desk.project.ingest(
    Array.from({ length: count }, (_, i) => ({
      event: 'sold',
      distinct_id: `p${i}`,
      timestamp: Date.parse(NOON) - daysAgo * DAY
    }))
  )

/** Moves the clock to just after the check of the next day, and runs it. */
async function nextDay(desk: Desk): Promise<void> {
  setClock(Math.ceil((Date.now() + 1) / DAY) * DAY + 2 * 60_000)
  await desk.cron()
  await desk.drain()
}

const find = async (desk: Desk, id: string, query = '') =>
  (await desk.send('GET', `alerts/${id}/${query}`)).body

describe('an alert', () => {
  it('tells once that a number has crossed a bound, and once that it is over', async () => {
    const desk = await newDesk()
    await sell(desk, 1, 3)
    const { id, ...made } = await newAlert(desk)
    await desk.cron()
    await desk.drain()

    expect(made).toMatchObject({ state: 'Not firing', next_check_at: NOON, enabled: true })
    expect(desk.mails).toEqual([])
    expect(await find(desk, id)).toMatchObject({
      state: 'Not firing',
      last_value: 3,
      next_check_at: '2026-11-24T00:02:00Z'
    })
    await nextDay(desk)
    await nextDay(desk)
    await sell(desk, -2, 5)
    await nextDay(desk)

    expect(desk.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['ada@example.com', 'Alert: Too few sales'],
      ['ada@example.com', 'Over: Too few sales']
    ])
    expect(desk.mails[0]?.text).toContain('sold: 0; below 2 (23 Nov 2026).')
    expect(desk.mails[0]?.attachments).toHaveLength(1)
    expect(desk.mails[1]?.attachments).toHaveLength(1)
    const { checks, checks_total } = await find(desk, id, '?checks_limit=2')
    expect(checks_total).toBe(4)
    expect(checks).toMatchObject([
      {
        state: 'Not firing',
        calculated_value: 5,
        targets_notified: true,
        interval: { from: '2026-11-25T00:00:00Z', until: '2026-11-26T00:00:00Z' },
        intervals: 1
      },
      { state: 'Firing', calculated_value: 0, targets_notified: false }
    ])
  })

  it('says once that it cannot be checked, and goes on where it stopped', async () => {
    const desk = await newDesk()
    const { id, insight } = await newAlert(desk)
    await desk.cron()
    await desk.drain()
    desk.mails.splice(0)
    await desk.send('DELETE', `insights/${insight.id}/`)

    await nextDay(desk)
    await nextDay(desk)

    expect(desk.mails.map(({ subject }) => subject)).toEqual(['Cannot be checked: Too few sales'])
    expect(desk.mails[0]?.text).toContain('The insight has been deleted.')
    expect((await find(desk, id)).state).toBe('Errored')
    await desk.send('PATCH', `insights/${insight.id}/`, { deleted: false })
    await sell(desk, -2, 5)
    await nextDay(desk)
    expect((await find(desk, id)).checks[0]).toMatchObject({ intervals: 3, state: 'Not firing' })
  })

  it('is silent while it is snoozed or not enabled', async () => {
    const desk = await newDesk()
    const { id } = await newAlert(desk, { snoozed_until: '2d' })
    expect(await find(desk, id)).toMatchObject({
      state: 'Snoozed',
      snoozed_until: '2026-11-25T12:00:00Z',
      next_check_at: '2026-11-26T00:02:00Z'
    })
    await nextDay(desk)
    expect(desk.mails).toEqual([])

    const awake = await desk.send('PATCH', `alerts/${id}/`, { snoozed_until: null })
    await desk.cron()
    await desk.drain()
    expect(awake.body.state).toBe('Not firing')
    expect(desk.mails).toHaveLength(1)
    const off = await desk.send('PATCH', `alerts/${id}/`, { enabled: false })
    expect(off.body).toMatchObject({ enabled: false, next_check_at: null })
    await nextDay(desk)
    expect(desk.mails).toHaveLength(1)
  })

  it('begins anew when its rule changes', async () => {
    const desk = await newDesk()
    await sell(desk, 1, 3)
    const made = await newAlert(desk)
    await desk.cron()
    await desk.drain()

    passSeconds(1)
    // A client may send the whole object back.
    const { insight, subscribed_users: _, ...rest } = made
    const changed = await desk.send('PATCH', `alerts/${made.id}/`, {
      ...rest,
      insight: insight.id,
      threshold: { configuration: { type: 'absolute', bounds: { lower: 4 } } }
    })
    await desk.cron()
    await desk.drain()

    expect([changed.status, changed.body.detail]).toEqual([200, undefined])
    expect(desk.mails.map(({ subject }) => subject)).toEqual(['Alert: Too few sales'])
  })

  it('fires without data', async () => {
    const desk = await newDesk()
    const { id } = await newAlert(desk, { condition: { type: 'no_data' }, threshold: undefined })
    await desk.cron()
    await desk.drain()

    expect((await find(desk, id)).state).toBe('Firing')
    expect(desk.mails[0]?.text).toContain('no data')
  })

  it('needs no bounds once it only fires without data', async () => {
    const desk = await newDesk()
    const [one, two] = [await newAlert(desk), await newAlert(desk)]
    const change = (id: string, fields: object) =>
      desk.send('PATCH', `alerts/${id}/`, { condition: { type: 'no_data' }, ...fields })
    const without = { configuration: { type: 'absolute', bounds: { lower: null, upper: null } } }

    expect((await change(one.id, {})).body.threshold).toMatchObject(without)
    expect((await change(two.id, { threshold: null })).body.threshold).toMatchObject(without)
  })

  it('does not take the average of nothing for 0', async () => {
    const desk = await newDesk()
    const insight = await newInsight(desk, {
      events: [{ id: 'sold', math: 'avg', math_property: 'price' }]
    })
    const { id } = await newAlert(desk, { insight })
    await desk.cron()
    await desk.drain()

    expect(await find(desk, id)).toMatchObject({ state: 'Not firing', last_value: null })
  })

  it('tells users of the project, and shows them', async () => {
    const [desk, other] = [await newDesk(), await newProject()]
    const { user } = desk.project

    const made = await newAlert(desk, { target_value: undefined, subscribed_users: [user.id] })
    const foreign = await desk.send('POST', 'alerts/', {
      ...TOO_FEW,
      insight: made.insight.id,
      subscribed_users: [other.user.id]
    })

    expect(made).toMatchObject({ target_value: user.email, subscribed_users: [{ id: user.id }] })
    expect([foreign.status, foreign.body.code, foreign.body.attr]).toEqual([
      400,
      'does_not_exist',
      'subscribed_users__0'
    ])
  })

  it('keeps other addresses when its users change, and users whose addresses stay', async () => {
    const desk = await newDesk()
    const { id: userId, email } = desk.project.user
    const { id } = await newAlert(desk, { subscribed_users: [userId] })
    const change = async (body: object) => {
      const { status, body: changed } = await desk.send('PATCH', `alerts/${id}/`, { ...body })
      expect([status, changed.detail]).toEqual([200, undefined])
      const { target_value, subscribed_users } = changed
      return [target_value, subscribed_users.map((user: { id: number }) => user.id)]
    }

    const both = `ada@example.com, ${email}`
    expect(await change({ name: 'Few' })).toEqual([both, [userId]])
    expect(await change({ subscribed_users: [] })).toEqual(['ada@example.com', []])
    expect(await change({ subscribed_users: [userId] })).toEqual([both, [userId]])
    expect(await change({ target_value: `bob@example.com, ${email}` })).toEqual([
      `bob@example.com, ${email}`,
      [userId]
    ])
    expect(await change({ target_value: 'bob@example.com' })).toEqual(['bob@example.com', []])
  })

  it('is listed by insight', async () => {
    const desk = await newDesk()
    const [{ id, insight }] = [await newAlert(desk), await newAlert(desk)]

    for (const name of ['insight', 'insight_id']) {
      const { body } = await desk.send('GET', `alerts/?${name}=${insight.id}`)
      expect([body.count, body.results[0].id]).toEqual([1, id])
    }
  })

  it.each([
    'FunnelsQuery',
    'RetentionQuery',
    'StickinessQuery',
    'LifecycleQuery',
    'WebOverviewQuery',
    'WebStatsTableQuery'
  ])('on a %s is refused', async (kind) => {
    const desk = await newDesk()
    const sold = { kind: 'EventsNode', event: 'sold' }
    const asks: Record<string, object> = {
      FunnelsQuery: { series: [sold, sold] },
      RetentionQuery: { retentionFilter: {} },
      StickinessQuery: { series: [sold] },
      LifecycleQuery: { series: [sold] },
      WebOverviewQuery: { properties: [] },
      WebStatsTableQuery: { properties: [], breakdownBy: 'Page' }
    }
    const query = { kind, ...asks[kind] }
    const made = await desk.send('POST', 'insights/', { query })
    const { status, body } = await desk.send('POST', 'alerts/', {
      ...TOO_FEW,
      insight: made.body.id
    })

    expect([made.status, status, body.attr, body.detail]).toEqual([
      201,
      400,
      'insight',
      'An alert compares the numbers of a trend, and this insight is of another kind.'
    ])
  })

  it('is no subscription, is of its project only, and is deleted for good', async () => {
    const [desk, other] = [await newDesk(), await newProject()]
    const { id } = await newAlert(desk)

    expect((await desk.send('GET', 'subscriptions/')).body.count).toBe(0)
    expect((await other.call('GET', `alerts/${id}/`)).status).toBe(404)
    expect((await other.send('PATCH', `alerts/${id}/`, { enabled: false })).status).toBe(404)
    expect((await other.call('DELETE', `alerts/${id}/`)).status).toBe(404)
    expect((await other.call('GET', 'alerts/')).body.count).toBe(0)
    expect((await desk.send('GET', 'alerts/')).body).toMatchObject({ count: 1, results: [{ id }] })
    expect((await desk.send('DELETE', `alerts/${id}/`)).status).toBe(204)
    expect((await desk.send('GET', `alerts/${id}/`)).status).toBe(404)
    await nextDay(desk)
    expect(desk.mails).toEqual([])
  })

  it.each<[object, object, string]>([
    [{}, { insight: 999_999_999 }, 'insight'],
    [{ display: 'BoldNumber' }, {}, 'insight'],
    [{ display: 'ActionsLineGraphCumulative' }, {}, 'insight'],
    [{ interval: 'minute' }, { calculation_interval: 'weekly' }, 'calculation_interval'],
    [{}, { config: { series_index: 1 } }, 'config__series_index'],
    [{}, { config: { check_ongoing_interval: true } }, 'config__check_ongoing_interval'],
    [{}, { threshold: undefined }, 'threshold__configuration__bounds'],
    [
      {},
      { threshold: { configuration: { type: 'absolute', bounds: { lower: 3, upper: 2 } } } },
      'threshold__configuration__bounds__lower'
    ],
    [
      {},
      { threshold: { configuration: { type: 'percentage', bounds: { lower: 1 } } } },
      'threshold__configuration__type'
    ],
    [
      {},
      {
        condition: { type: 'relative_increase' },
        threshold: { configuration: { type: 'percentage', bounds: { upper: 50 } } }
      },
      'threshold__configuration__bounds'
    ],
    [
      { interval: 'week' },
      { condition: { type: 'relative_increase', compare_to: 'same_weekday' } },
      'condition__compare_to'
    ],
    [{}, { target_value: '' }, 'subscribed_users'],
    [{}, { target_type: 'webhook', target_value: 'http://10.0.0.1/' }, 'target_value'],
    [{}, { detector_config: { type: 'zscore' } }, 'detector_config'],
    [{}, { threshold: { ...TOO_FEW.threshold, name: 'x' } }, 'threshold__name'],
    [{}, { series_index: 1 }, 'series_index'],
    [
      { interval: 'minute' },
      {
        ...FELL,
        condition: { type: 'relative_decrease', compare_to: 'same_weekday' }
      },
      'condition__compare_to'
    ],
    [{}, { snoozed_until: 'soon' }, 'snoozed_until']
  ])('on %j with %j is refused, and names %s', async (filters, fields, attr) => {
    const desk = await newDesk()
    const insight = await newInsight(desk, filters)

    for (const path of ['alerts/', 'alerts/preview/']) {
      const { status, body } = await desk.send('POST', path, { insight, ...TOO_FEW, ...fields })
      expect([path, status, body.attr]).toEqual([path, 400, attr])
    }
  })
})

describe('a preview', () => {
  it('of the example of the docs has its numbers', async () => {
    setClock('2026-11-25T12:00:00Z')
    const desk = await newDesk()
    for (const [daysAgo, count] of [20, 8, 7, 7].entries()) {
      await sell(desk, 2 - daysAgo, count)
    }
    const insight = await newInsight(desk)

    const { body } = await desk.send('POST', 'alerts/preview/', { insight, ...TOO_FEW, ...FELL })

    expect(body).toEqual({
      checks: 30,
      fired: [
        {
          at: '2026-11-23T00:02:00Z',
          over_at: '2026-11-24T00:02:00Z',
          calculated_value: 0.6,
          interval: { from: '2026-11-22T00:00:00Z', until: '2026-11-23T00:00:00Z' },
          description: 'sold: 8, 20 in the interval before; more than a decrease of 50%'
        }
      ]
    })
  })

  it('says when the alert would have fired, and when it would have been over', async () => {
    const desk = await newDesk()
    // Sales on each of the last 29 days, except ten and nine days ago.
    for (let day = 0; day <= 30; day += 1) {
      if (day !== 10 && day !== 9) {
        await sell(desk, day, 2)
      }
    }
    const insight = await newInsight(desk)

    const { status, body } = await desk.send('POST', 'alerts/preview/', { insight, ...TOO_FEW })

    expect([status, body]).toEqual([
      200,
      {
        checks: 30,
        fired: [
          {
            at: '2026-11-14T00:02:00Z',
            over_at: '2026-11-16T00:02:00Z',
            calculated_value: 0,
            interval: { from: '2026-11-13T00:00:00Z', until: '2026-11-14T00:00:00Z' },
            description: 'sold: 0; below 2'
          }
        ]
      }
    ])
    expect((await desk.send('GET', 'alerts/')).body.count).toBe(0)
  })
})
