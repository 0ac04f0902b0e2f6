import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'
import type { Json } from '../../../src/input/json.ts'
import { readTrend } from '../../../src/trends/request.ts'
import { computeTrend } from '../../../src/trends/trend.ts'
import { db, newProject } from '../../support/project.ts'
import { ask, asTrend, at, lines, newStory, RANGE, type Result } from '../../support/trends.ts'

describe('a breakdown', () => {
  it('sorts the values by their totals, and puts events without a value last', async () => {
    const { result } = (await ask(await newStory(), { ...asTrend({}), breakdown: '$browser' })).body

    expect(
      result.map((one: Result) => [one.label, one.breakdown_value, one.data, one.count])
    ).toEqual([
      ['Firefox', 'Firefox', [1, 0, 1], 2],
      ['Chrome', 'Chrome', [1, 0, 0], 1],
      ['None (i.e. no value)', '$$_posthog_breakdown_null_$$', [0, 0, 2], 2]
    ])
  })

  it('accepts the default type beside several breakdowns, as PostHog’s clients send it', async () => {
    const { body } = await ask(await newStory(), {
      ...asTrend({}),
      breakdowns: [{ property: 'plan', type: 'person' }],
      breakdown_type: 'event'
    })
    expect(body.result.map(({ label, count }: Result) => [label, count])).toEqual([
      ['free', 2],
      ['pro', 2],
      ['None (i.e. no value)', 1]
    ])
  })

  it('by several properties puts events with none of them last, whatever the limit', async () => {
    const project = await newProject()
    const seen = [{}, {}, {}, { a: 'x' }, { a: 'x' }, { b: 'y' }]
    await project.ingest(
      seen.map((properties) => ({ timestamp: at('01T10:00:00'), distinct_id: 'ada', properties }))
    )
    const body = {
      ...asTrend({}),
      breakdowns: [{ property: 'a' }, { property: 'b' }],
      breakdown_limit: 1
    }
    const none = '$$_posthog_breakdown_null_$$'
    const other = '$$_posthog_breakdown_other_$$'

    const { result, next } = (await ask(project, body)).body
    const behind = await project.send(
      'POST',
      `insights/trend/actors/?bucket=0&breakdown_value=${JSON.stringify([none, none])}`,
      body
    )

    expect(
      result.map(({ label, breakdown_value, count }: Result) => [label, breakdown_value, count])
    ).toEqual([
      ['x::None (i.e. no value)', ['x', none], 2],
      ['None (i.e. no value)::None (i.e. no value)', [none, none], 3],
      ['Other (i.e. all remaining values)', [other, other], 1]
    ])
    expect(new URL(next).searchParams.get('offset')).toBe('1')
    expect(behind.body.results[0].count).toBe(3)
  })

  it('counts PostHog’s marks of "Other" and "None" as no value if an event has them as text', async () => {
    const project = await newProject()
    const marks = ['$$_posthog_breakdown_other_$$', '$$_posthog_breakdown_null_$$']
    await project.ingest(
      ['a', 'b', ...marks, null].map((value) => ({
        distinct_id: 'ada',
        timestamp: at('01T10:00:00'),
        properties: { value }
      }))
    )
    const body = { ...asTrend({}), breakdown: 'value', breakdown_limit: 1 }

    const { result } = (await ask(project, body)).body
    const behind = await Promise.all(
      marks.map((mark) =>
        project.send('POST', `insights/trend/actors/?bucket=0&breakdown_value=${mark}`, body)
      )
    )

    expect(result.map((one: Result) => [one.breakdown_value, one.count])).toEqual([
      ['a', 1],
      ['$$_posthog_breakdown_null_$$', 3],
      ['$$_posthog_breakdown_other_$$', 1]
    ])
    expect(behind.map((answer) => answer.body.results[0].count)).toEqual([1, 3])
  })

  it('labels a value with itself, even if every object has a member of that name', async () => {
    const project = await newProject()
    const values = ['__proto__', 'constructor', 'toString']
    await project.ingest(
      values.map((value) => ({ timestamp: at('01T10:00:00'), properties: { value } }))
    )
    const { body } = await ask(project, { ...asTrend({}), breakdown: 'value' })
    expect(body.result.map(({ label }: Result) => label).sort()).toEqual(values)
  })

  it.each([
    ['total', {}],
    ['unique_session', {}],
    ['dau', {}],
    ['weekly_active', {}],
    ['p90_count_per_actor', {}],
    ['avg', { math_property: 'price' }],
    ['sum', { math_property: 'price' }],
    ['p90', { math_property: 'price' }]
  ])('has the same values with every math: %s', async (math, more) => {
    const project = await newProject()
    const kinds = ['a "quoted" word', '10', 10, 7.5, true, null, '', ['x', 1], { y: null }]
    await project.ingest(
      kinds.map((kind, i) => ({
        distinct_id: 'ada',
        timestamp: at('01T10:00:00') + i,
        properties: { kind, price: 5, $session_id: 's1' }
      }))
    )

    const answer = await ask(project, {
      ...asTrend({ math, ...more }),
      breakdown: 'kind'
    })

    const names = answer.body.result.map(({ breakdown_value }: Result) => breakdown_value)
    expect(names.slice(0, -1).sort()).toEqual([
      '10',
      '7.5',
      '["x",1]',
      'a "quoted" word',
      'true',
      '{"y":null}'
    ])
    expect(names.at(-1)).toBe('$$_posthog_breakdown_null_$$')
  })

  it('adds up the values beyond the limit in "Other", which can be hidden, and has further pages', async () => {
    const project = await newStory()
    const body = { ...asTrend({}), breakdown: '$browser', breakdown_limit: 1 }

    const first = await ask(project, body)
    const second = await ask(project, body, new URL(first.body.next).search)

    expect(lines(first)).toEqual([
      ['Firefox', [1, 0, 1]],
      ['None (i.e. no value)', [0, 0, 2]],
      ['Other (i.e. all remaining values)', [1, 0, 0]]
    ])
    expect(lines(second)[0]).toEqual(['Chrome', [1, 0, 0]])
    expect(second.body.next).toBeNull()
    expect(
      lines(await ask(project, { ...body, breakdown_hide_other_aggregation: true }))
    ).toHaveLength(2)
  })

  it('counts an actor once in "Other"', async () => {
    const body = {
      ...asTrend({ math: 'dau' }),
      breakdown: '$browser',
      breakdown_limit: 1,
      date_to: '2025-06-01'
    }

    expect(lines(await ask(await newStory(), body))).toEqual([
      ['Chrome', [1]],
      ['Other (i.e. all remaining values)', [1]]
    ])
  })

  it('uses the properties that the person had at the event', async () => {
    const body = { ...asTrend({}), breakdown: 'plan', breakdown_type: 'person' }

    expect(lines(await ask(await newStory(), body))).toEqual([
      ['free', [2, 0, 0]],
      ['pro', [0, 0, 2]],
      ['None (i.e. no value)', [0, 0, 1]]
    ])
  })

  it('combines several properties', async () => {
    const breakdowns = [
      { property: '$browser', type: 'event' },
      { property: 'plan', type: 'person' }
    ]
    const { result } = (await ask(await newStory(), { ...asTrend({}), breakdowns })).body

    expect(result.map((one: Result) => [one.label, one.breakdown_value, one.data])).toContainEqual([
      'None (i.e. no value)::pro',
      ['$$_posthog_breakdown_null_$$', 'pro'],
      [0, 0, 1]
    ])
    expect(result).toHaveLength(5)
  })

  it('divides numbers into bins that all series and periods share', async () => {
    const project = await newStory()
    const breakdownFields = { breakdown: 'price', breakdown_histogram_bin_count: 2 }
    const events = [
      { id: '$pageview' },
      { id: '$pageview', math: 'dau', properties: [{ key: 'price', value: 5 }] }
    ]

    const { result } = (await ask(project, { events, ...RANGE, ...breakdownFields })).body
    const compared = await ask(project, {
      ...asTrend({}),
      ...breakdownFields,
      date_from: '2025-06-03',
      compare_to: '-2d',
      compare: true
    })

    expect(result.map((one: Result) => [one.label, one.breakdown_value, one.data])).toEqual([
      ['$pageview - [4.25,7.51]', '[4.25,7.51]', [2, 0, 0]],
      ['$pageview - [1,4.25]', '[1,4.25]', [0, 0, 1]],
      ['$pageview - None (i.e. no value)', '$$_posthog_breakdown_null_$$', [0, 0, 2]],
      ['$pageview - [4.25,7.51]', '[4.25,7.51]', [1, 0, 0]]
    ])
    expect(lines(compared)).toEqual([
      ['[1,4.25]', [1]],
      ['[1,4.25]', [0]],
      ['[4.25,7.51]', [0]],
      ['[4.25,7.51]', [2]],
      ['None (i.e. no value)', [2]],
      ['None (i.e. no value)', [0]]
    ])
  })

  it('has one bin for a single number, none without numbers, and bins beside other values', async () => {
    const project = await newStory()
    const by = (property: string, histogram_bin_count?: number) => ({
      property,
      type: 'event',
      histogram_bin_count
    })
    const values = async (...breakdowns: object[]) =>
      (await ask(project, { ...asTrend({}), date_to: '2025-06-01', breakdowns })).body.result.map(
        (one: Result) => one.breakdown_value
      )

    expect(await values(by('price', 3))).toEqual([
      [`[5,${5 + 2.5 / 3}]`],
      [`[${5 + (2.5 / 3) * 2},7.51]`]
    ])
    expect(await values(by('$browser', 3))).toEqual([['$$_posthog_breakdown_null_$$']])
    expect(await values(by('$browser'))).toEqual([['Chrome'], ['Firefox']])
    expect(await values(by('$browser'), by('price', 1))).toEqual([
      ['Chrome', '[5,7.51]'],
      ['Firefox', '[5,7.51]']
    ])
    const [one] = (
      await ask(project, { ...asTrend({}), date_from: '2025-06-03', breakdowns: [by('price', 9)] })
    ).body.result
    expect(one.breakdown_value).toEqual(['[1,1.01]'])
  })

  it('names the series if there are several, and works with a formula', async () => {
    const project = await newStory()
    const events = [{ id: '$pageview' }, { id: 'bought' }]

    expect(
      lines(await ask(project, { events, ...RANGE, breakdown: '$browser' })).map(([label]) => label)
    ).toContain('$pageview - Firefox')
    expect(
      lines(await ask(project, { events, ...RANGE, breakdown: '$browser', formula: 'A + B' }))
    ).toEqual([
      ['Firefox', [1, 0, 1]],
      ['Chrome', [1, 0, 0]],
      ['None (i.e. no value)', [0, 1, 2]]
    ])
  })

  it('shows the same values in both periods, those of the current period first', async () => {
    const body = {
      ...asTrend({}),
      breakdown: '$browser',
      date_from: '2025-06-03',
      compare: true,
      compare_to: '-2d'
    }

    expect(lines(await ask(await newStory(), body))).toEqual([
      ['Firefox', [1]],
      ['Firefox', [1]],
      ['Chrome', [0]],
      ['Chrome', [1]],
      ['None (i.e. no value)', [2]],
      ['None (i.e. no value)', [0]]
    ])
    expect(lines(await ask(await newStory(), { ...body, breakdown_limit: 1 }))).toEqual([
      ['Firefox', [1]],
      ['Firefox', [1]],
      ['None (i.e. no value)', [2]],
      ['None (i.e. no value)', [0]],
      ['Other (i.e. all remaining values)', [0]],
      ['Other (i.e. all remaining values)', [1]]
    ])
  })
})

describe('a breakdown with more cells than are read at once', () => {
  const HOURS = 960

  it.each([
    ['total', {}],
    ['dau', {}],
    ['avg', { math_property: 'price' }]
  ])('is complete: %s', async (math, more) => {
    const project = await newProject()
    const from = Date.UTC(2025, 4, 1)
    await project.ingest([{ timestamp: from, properties: { $browser: 'b00', price: 1 } }])
    const copied = `from events e, json_each(?2) where e.project_id = ?1 and value > 0`
    const numbers = JSON.stringify(Array.from({ length: HOURS * 30 }, (_, n) => n))
    await env.DB.batch([
      env.DB.prepare(`insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select e.project_id, event_id, timestamp + (value / 30) * 3600000, unhex(printf('%032x', value)), identity,
               jsonb(json_object('$browser', printf('b%02d', value % 30), 'price', 1)) ${copied}`).bind(
        project.id,
        numbers
      ),
      env.DB.prepare(`insert into event_counts (project_id, event_id, slot, count)
        select project_id, event_id, timestamp / 900000, count(*) from events where project_id = ? group by 1, 2, 3
        on conflict do update set count = excluded.count`).bind(project.id)
    ])

    const { result } = (
      await ask(project, {
        events: [{ id: '$pageview', math, ...more }],
        date_from: '2025-05-01',
        date_to: new Date(from + HOURS * HOUR - 1).toISOString(),
        interval: 'hour',
        breakdown: '$browser',
        breakdown_limit: 29
      })
    ).body

    expect(result.map(({ label, count }: Result) => [label, count])).toEqual([
      ...Array.from({ length: 29 }, (_, n) => [`b${String(n).padStart(2, '0')}`, HOURS]),
      ['Other (i.e. all remaining values)', HOURS]
    ])
  })
})

describe('the values of a breakdown', () => {
  const DAYS = [
    ['a', 'a', 'b', undefined, ...Array.from({ length: 20 }, (_, i) => `one of many ${i}`)],
    ['b\nc', 5, '5', null, undefined, true, 'true', { x: [1, 2] }, '', 'a', '🙂', '!'],
    ['a', 'x'.repeat(100), '"', '\\n']
  ]
  const countByDay = (text: unknown) =>
    DAYS.map((day) => day.filter((value) => spell(value) === text).length)
  const spell = (value: unknown) => {
    if (value === undefined || value === null || value === '') {
      return '$$_posthog_breakdown_null_$$'
    }
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  it.each([1, 3, 5, 30, 40_000])(
    'do not depend on the number of events that a statement reads: %i',
    async (statementEvents) => {
      const story = await newProject()
      await story.ingest(
        DAYS.flatMap((day, d) =>
          day.map((value, i) => ({
            timestamp: at(`0${d + 1}T00:00:00`) + i * SLOT,
            properties: value === undefined ? {} : { value: value as Json }
          }))
        )
      )
      const project = {
        id: story.id,
        timezone: 'UTC',
        weekStart: 1 as const,
        testAccountFilters: []
      }
      const query = readTrend(
        { ...asTrend({}), breakdown: 'value', breakdown_limit: 100 },
        project,
        new Date()
      )
      if (!query) {
        throw new Error('The request was not understood.')
      }

      const { result } = await computeTrend(db, project, {
        query,
        now: new Date(),
        stepEvents: statementEvents
      })

      const texts = [...new Set(DAYS.flat().map(spell))]
      const found = new Map(result.map(({ breakdown_value, data }) => [breakdown_value, data]))
      expect(found).toEqual(new Map(texts.map((text) => [text, countByDay(text)])))
    }
  )

  it('are complete if one moment has more events than one statement reads', async () => {
    const project = await newProject()
    await project.ingest([{ timestamp: at('02T00:00:00'), properties: { $browser: 'b' } }])
    await env.DB.batch([
      env.DB.prepare(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 40500)
        insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select e.project_id, event_id, timestamp, unhex(printf('%032x', n)), identity, jsonb(json_object('$browser', 'b' || (n % 2)))
        from events e, numbers where e.project_id = ?`).bind(project.id),
      env.DB.prepare('update event_counts set count = 40501 where project_id = ?').bind(project.id)
    ])

    const { result } = (await ask(project, { ...asTrend({}), breakdown: '$browser' })).body

    expect(result.map(({ label, data }: Result) => [label, data])).toEqual([
      ['b0', [0, 20_250, 0]],
      ['b1', [0, 20_250, 0]],
      ['b', [0, 1, 0]]
    ])
  })

  it('are complete if together they are longer than the longest text of the database', async () => {
    const project = await newProject()
    await project.ingest([{ timestamp: at('02T00:00:00'), properties: { $browser: 'b' } }])
    await env.DB.batch([
      env.DB.prepare(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 180000)
        insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select e.project_id, event_id, timestamp, unhex(printf('%032x', n)), identity, jsonb(json_object('$browser', printf('%044d', n % 2)))
        from events e, numbers where e.project_id = ?`).bind(project.id),
      env.DB.prepare('update event_counts set count = 180001 where project_id = ?').bind(project.id)
    ])

    const { result } = (await ask(project, { ...asTrend({}), breakdown: '$browser' })).body

    expect(result.map(({ count }: Result) => count)).toEqual([90_000, 90_000, 1])
  })
})
