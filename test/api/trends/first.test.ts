import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newProject } from '../../support/project.ts'
import { numberedUuid } from '../../support/text.ts'
import { ask, asTrend, at, lines, newStory } from '../../support/trends.ts'

describe('a trend of first events', () => {
  const FIRST = 'first_time_for_user'
  const MATCHING = 'first_matching_event_for_user'
  const firefox = { properties: [{ key: '$browser', value: 'Firefox' }] }
  const chrome = { properties: [{ key: '$browser', value: 'Chrome' }] }

  it.each([
    ['each actor once', FIRST, {}, {}, [1, 0, 2]],
    ['each actor once', MATCHING, {}, {}, [1, 0, 2]],
    ['no actor with an event before the range', FIRST, {}, { date_from: '2025-06-03' }, [2]],
    ['actors whose first event fulfils the filters', FIRST, firefox, {}, [1, 0, 0]],
    ['no actor whose first event fails the filters', FIRST, chrome, {}, [0, 0, 0]],
    ['the first event that fulfils the filters', MATCHING, chrome, {}, [1, 0, 0]],
    [
      'no actor who fulfilled the filters before the range',
      MATCHING,
      firefox,
      { date_from: '2025-06-03' },
      [0]
    ],
    [
      'the first event at which the person had a property',
      MATCHING,
      { properties: [{ key: 'plan', value: 'pro', type: 'person' }] },
      {},
      [0, 0, 2]
    ],
    [
      'the first event that matches a pattern',
      MATCHING,
      { properties: [{ key: '$browser', value: '^Ch', operator: 'regex' }] },
      {},
      [1, 0, 0]
    ],
    ['the first event of any name', FIRST, { id: null }, {}, [1, 1, 1]],
    ['each actor once in a single number', FIRST, {}, { display: 'BoldNumber' }, 3]
  ])('counts %s: %s %j', async (_, math, more, range, expected) => {
    expect(lines(await ask(await newStory(), { ...asTrend({ math, ...more }), ...range }))).toEqual(
      [[expect.any(String), expected]]
    )
  })

  it('is broken down by a property of the first event', async () => {
    const project = await newStory()
    const breakdownFields = { breakdown: '$browser', breakdown_limit: 1 }

    expect(lines(await ask(project, { ...asTrend({ math: FIRST }), ...breakdownFields }))).toEqual([
      ['Firefox', [1, 0, 0]],
      ['None (i.e. no value)', [0, 0, 2]]
    ])
    expect(
      lines(await ask(project, { ...asTrend({ math: MATCHING, ...chrome }), ...breakdownFields }))
    ).toEqual([['Chrome', [1, 0, 0]]])
    expect(
      lines(
        await ask(project, {
          ...asTrend({ math: FIRST }),
          breakdown: 'price',
          breakdown_histogram_bin_count: 5
        })
      )
    ).toEqual([
      ['[5,5.01]', [1, 0, 0]],
      ['None (i.e. no value)', [0, 0, 2]]
    ])
  })

  it('takes the event with the lowest uuid among several at the same moment', async () => {
    const project = await newProject()
    await project.ingest(
      [3, 1, 2].map((n) => ({
        uuid: numberedUuid(n),
        timestamp: at('01T10:00:00'),
        properties: { $browser: `B${n}` }
      }))
    )

    expect(
      lines(await ask(project, { ...asTrend({ math: FIRST }), breakdown: '$browser' }))
    ).toEqual([['B1', [1, 0, 0]]])
  })

  it('follows merges and splits', async () => {
    const project = await newStory()
    const body = asTrend({ math: FIRST })
    await project.ingest([
      {
        event: '$merge_dangerously',
        distinct_id: 'ada',
        timestamp: at('04T00:00:00'),
        properties: { alias: 'bob' }
      }
    ])

    expect(lines(await ask(project, body))).toEqual([['$pageview', [1, 0, 1]]])

    await env.DB.prepare(
      `update distinct_ids set person_id = 1000000 where project_id = ? and distinct_id = 'bob'`
    )
      .bind(project.id)
      .run()
    expect(lines(await ask(project, body))).toEqual([['$pageview', [1, 0, 2]]])
  })
})
