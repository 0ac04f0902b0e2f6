import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { updateProject } from '../../../src/access/store.ts'
import { DAY, MINUTE } from '../../../src/calendar/units.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { compileFilters } from '../../../src/recordings/list/filters.store.ts'
import { readRecordingFilters } from '../../../src/recordings/list/query.ts'
import { FiltersQuery } from '../../../src/recordings/list/schemas.ts'
import { aroundCalls } from '../../support/faults.ts'
import { db } from '../../support/project.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'

const NOON = Math.floor(Date.now() / DAY) * DAY - DAY / 2

type Stage = Awaited<ReturnType<typeof newStage>>

const click = (timestamp: number): JsonObject => ({
  type: 3,
  timestamp,
  data: { source: 2, type: 2, id: 1 }
})
const key = (timestamp: number): JsonObject => ({ type: 3, timestamp, data: { source: 5, id: 1 } })
const page = (timestamp: number, href: string): JsonObject => ({
  type: 4,
  timestamp,
  data: { href }
})
const error = (timestamp: number): JsonObject => ({
  type: 6,
  timestamp,
  data: { plugin: 'rrweb/console@1', payload: { level: 'error', payload: [] } }
})

/** Creates recordings: `long` of Ada, `busy` of Bob, and `short`, the newest, of a visitor without a person. */
async function newGallery() {
  const stage = await newStage()
  const { project, record } = stage
  await updateProject(db, project.id, {
    test_account_filters: [{ key: 'plan', operator: 'is_not', value: 'pro', type: 'person' }]
  })
  const event = (
    name: string,
    distinct_id: string,
    session: string,
    at: number,
    properties: JsonObject = {}
  ) => ({
    event: name,
    distinct_id,
    timestamp: at,
    properties: { ...properties, $session_id: session }
  })
  await project.ingest([
    {
      event: '$identify',
      distinct_id: 'ada',
      properties: { $anon_distinct_id: 'anon', $set: { plan: 'pro' } }
    },
    { event: '$set', distinct_id: 'bob', properties: { $set: { plan: 'free' } } },
    event('$pageview', 'anon', 'long', NOON, { $browser: 'Firefox', $pathname: '/' }),
    event('bought', 'ada', 'long', NOON + MINUTE, { price: 30, $browser: 'Firefox' }),
    event('$pageview', 'bob', 'busy', NOON + DAY / 4, { $browser: 'Chrome', $pathname: '/' }),
    event('bought', 'bob', 'busy', NOON + DAY / 4, { price: 5, $browser: 'Chrome' }),
    event('$pageview', 'bob', 'other', NOON + DAY / 3, { $browser: 'Safari' })
  ])
  await record(
    snapshotEvent(project, {
      session: 'long',
      distinct_id: 'anon',
      snapshots: [
        page(NOON, 'https://shop.test/Start'),
        click(NOON + 1),
        key(NOON + 2),
        page(NOON + 10 * MINUTE, 'https://shop.test/cart')
      ]
    }),
    snapshotEvent(project, {
      session: 'busy',
      distinct_id: 'bob',
      snapshots: [
        page(NOON + DAY / 4, 'https://shop.test/'),
        ...[1, 2, 3].map((n) => click(NOON + DAY / 4 + n)),
        error(NOON + DAY / 4 + MINUTE)
      ]
    }),
    snapshotEvent(project, {
      session: 'short',
      distinct_id: 'nobody',
      snapshots: [click(NOON + DAY / 2), click(NOON + DAY / 2 + 2_000)],
      properties: { $snapshot_source: 'mobile' }
    })
  )
  return stage
}

let gallery: Stage
beforeAll(async () => {
  gallery = await newGallery()
})

const idsOf = async (query: string): Promise<string[]> => {
  const { count, results } = await gallery.get(`?${query}`)
  expect(count).toBe(results.length)
  return results.map(({ id }: { id: string }) => id)
}
const json = (name: string, value: Json) => `${name}=${encodeURIComponent(JSON.stringify(value))}`
const properties = (value: Json) => json('properties', value)
const CHEAP = { key: 'price', operator: 'lt', value: 10 }
const CLICKED_TWICE = { type: 'recording', key: 'click_count', operator: 'gte', value: 2 }
const recording = (name: string, operator: string, value?: Json) =>
  properties([{ type: 'recording', key: name, operator, ...(value !== undefined && { value }) }])
const iso = (time: number) => new Date(time).toISOString()

describe('GET session_recordings', () => {
  it.each<[string, string[]]>([
    ['', ['short', 'busy', 'long']],
    ['distinct_id=bob', ['busy']],
    ['distinct_id=ada', []],
    ['distinct_id=anon', ['long']],
    [json('distinct_ids', ['bob', 'nobody', 'eve']), ['short', 'busy']],
    [json('session_ids', ['long', 'unknown']), ['long']],
    [`date_from=${iso(NOON + 1)}`, ['short', 'busy']],
    [`date_to=${iso(NOON)}`, ['long']],
    [`date_from=${iso(NOON)}&date_to=${iso(NOON + DAY / 4)}`, ['busy', 'long']],
    [`date_to=${iso(NOON).slice(0, 10)}`, ['busy', 'long']],
    ['date_from=-30d', ['short', 'busy', 'long']],
    ['date_from=all', ['short', 'busy', 'long']],
    [json('events', ['bought']), ['busy', 'long']],
    [json('events', ['bought', '$pageview']), ['busy', 'long']],
    [json('events', ['unheard of']), []],
    [
      json('events', [
        {
          id: 'bought',
          name: 'bought',
          type: 'events',
          properties: [{ key: 'price', operator: 'gt', value: 10 }]
        }
      ]),
      ['long']
    ],
    [json('events', [{ id: '$pageview', properties: [{ key: 'price', operator: 'is_set' }] }]), []],
    [
      json('events', [{ id: null, properties: [{ key: 'price', operator: 'lt', value: 10 }] }]),
      ['busy']
    ],
    [
      json('events', [
        { id: 'bought', properties: [{ key: 'plan', value: 'pro', type: 'person' }] }
      ]),
      ['long']
    ],
    [
      json('events', [
        { id: 'bought', properties: [{ key: '$session_duration', value: 0, type: 'session' }] }
      ]),
      ['busy']
    ],
    [json('events', []), ['short', 'busy', 'long']],
    [
      properties([{ key: '$session_duration', operator: 'gte', value: 60, type: 'session' }]),
      ['long']
    ],
    [properties([{ key: '$entry_pathname', value: '/', type: 'session' }]), ['busy', 'long']],
    [
      properties([{ key: '$entry_pathname', operator: 'is_not', value: '/', type: 'session' }]),
      ['short']
    ],
    [
      properties([{ key: '$entry_pathname', operator: 'regex', value: '^.$', type: 'session' }]),
      ['busy', 'long']
    ],
    [properties([{ key: '$pageview_count', operator: 'is_not_set', type: 'session' }]), ['short']],
    [
      `operand=OR&${properties([{ key: '$browser', value: ['Chrome', 'Firefox'] }, CLICKED_TWICE])}`,
      ['short', 'busy', 'long']
    ],
    [
      `operand=AND&${properties([{ key: '$browser', value: ['Chrome', 'Firefox'] }, CLICKED_TWICE])}`,
      ['busy']
    ],
    [`operand=OR&${json('events', ['unheard of', 'bought'])}`, ['busy', 'long']],
    [
      `operand=OR&${json('events', ['bought'])}&${properties([CLICKED_TWICE])}`,
      ['short', 'busy', 'long']
    ],
    [`operand=OR&${json('events', ['bought'])}&${properties([])}&distinct_id=bob`, ['busy']],
    [
      `operand=OR&${json('events', ['bought'])}&${json('having_predicates', [CLICKED_TWICE])}`,
      ['busy']
    ],
    ['filter_test_accounts=true', ['short', 'busy']],
    [`distinct_id=bob&${json('distinct_ids', ['nobody'])}`, []],
    ['actions=[]&console_log_filters=&comment_text=', ['short', 'busy', 'long']],
    [properties(Array(40).fill(CLICKED_TWICE)), ['short', 'busy']],
    [
      properties(
        Array(20).fill({
          key: 'visited_page',
          operator: 'not_regex',
          value: 'x',
          type: 'recording'
        })
      ),
      ['short', 'busy', 'long']
    ],
    [properties([{ key: '$browser', value: 'Chrome' }]), ['busy']],
    [properties([{ key: '$browser', value: 'Safari' }]), []],
    [properties([{ key: '$browser', operator: 'regex', value: '^F' }]), ['long']],
    [
      properties([{ key: '$browser', operator: 'is_not', value: 'Chrome', type: 'event' }]),
      ['short', 'long']
    ],
    [
      properties([{ key: 'event', type: 'event_metadata', value: ['bought', 'sold'] }]),
      ['busy', 'long']
    ],
    [
      properties([{ key: 'event', type: 'event_metadata', operator: 'is_not', value: 'bought' }]),
      ['short']
    ],
    [
      properties([{ key: 'event', type: 'event_metadata', operator: 'regex', value: '^bou' }]),
      ['busy', 'long']
    ],
    [properties([{ key: 'price', operator: 'is_set', type: 'event' }]), ['busy', 'long']],
    [properties([{ key: 'price', operator: 'is_not_set', type: 'event' }]), ['short']],
    [properties([{ key: 'plan', value: 'pro', type: 'person' }]), ['long']],
    [
      properties([{ key: 'plan', operator: 'is_not', value: 'pro', type: 'person' }]),
      ['short', 'busy']
    ],
    [properties([{ key: 'plan', operator: 'regex', value: 'o$', type: 'person' }]), ['long']],
    [recording('duration', 'gt', 59), ['busy', 'long']],
    [recording('recording_duration', 'exact', 600), ['long']],
    [recording('active_seconds', 'exact', 2), ['short']],
    [recording('inactive_seconds', 'lt', 1), ['short']],
    [recording('click_count', 'gte', 2), ['short', 'busy']],
    [recording('keypress_count', 'between', [1, 3]), ['long']],
    [recording('mouse_activity_count', 'lt', 3), ['short', 'long']],
    [recording('console_error_count', 'gt', 0), ['busy']],
    [recording('snapshot_source', 'exact', 'mobile'), ['short']],
    [recording('start_url', 'icontains', 'START'), ['long']],
    [recording('start_url', 'is_not_set'), ['short']],
    [recording('start_url', 'regex', '/$'), ['busy']],
    [recording('visited_page', 'exact', 'https://shop.test/cart'), ['long']],
    [recording('visited_page', 'icontains', 'shop.test'), ['busy', 'long']],
    [recording('visited_page', 'not_icontains', 'cart'), ['short', 'busy']],
    [recording('visited_page', 'regex', '/cart$'), ['long']],
    [recording('visited_page', 'not_regex', '/cart$'), ['short', 'busy']],
    [
      json('having_predicates', [
        { key: 'duration', type: 'recording', operator: 'gt', value: 60 }
      ]),
      ['long']
    ],
    [
      properties({
        type: 'OR',
        values: [
          { key: 'plan', value: 'pro', type: 'person' },
          {
            type: 'AND',
            values: [
              { key: 'click_count', operator: 'gt', value: 2, type: 'recording' },
              { key: '$browser', value: 'Chrome', type: 'event' }
            ]
          }
        ]
      }),
      ['busy', 'long']
    ],
    [`distinct_id=bob&${recording('click_count', 'gt', 5)}`, []],
    ['properties[0][key]=plan&properties[0][value]=free&properties[0][type]=person', ['busy']],
    ['order=recording_duration&order_direction=asc', ['short', 'busy', 'long']],
    ['order=-click_count', ['busy', 'short', 'long']],
    ['order=click_count&order_direction=ASC', ['long', 'short', 'busy']],
    ['order=console_error_count', ['busy', 'short', 'long']],
    ['order=activity_score', ['short', 'busy', 'long']],
    ['order=start_time&order_direction=asc', ['long', 'busy', 'short']]
  ])('lists the recordings that match: %s', async (query, expected) => {
    expect(await idsOf(query)).toEqual(expected)
  })

  it('lists the recordings of a person by id and by uuid, whatever their distinct id', async () => {
    const { id, uuid } = (await gallery.get('long')).person

    expect(await idsOf(`person=${id}`)).toEqual(['long'])
    expect(await idsOf(`person=${uuid.toUpperCase()}`)).toEqual(['long'])
    expect(await idsOf(`person_uuid=${uuid}`)).toEqual(['long'])
    expect(await idsOf('person=999999999')).toEqual([])
  })

  it('finds a distinct id as it was sent, also if it is longer than what is stored', async () => {
    const { project, record, get } = await newStage()
    const distinct_id = 'long-'.repeat(50)
    await record(snapshotEvent(project, { distinct_id, snapshots: [click(NOON)] }))

    expect((await get(`?distinct_id=${distinct_id}`)).count).toBe(1)
    expect((await get(`?${json('distinct_ids', ['bob', distinct_id])}`)).count).toBe(1)
  })

  it.each([
    'order=activity_score&',
    'order=keypress_count&order_direction=asc&',
    `${recording('click_count', 'gt', 0)}&`,
    ''
  ])('lists every recording once on pages of one: %s', async (query) => {
    const all = await idsOf(query)
    const found: string[] = []
    for (let next: string | null = `?${query}limit=1`; next; ) {
      const page: { count: number; next: string | null; results: { id: string }[] } =
        await gallery.get(next)
      expect(page.count).toBe(3)
      found.push(...page.results.map(({ id }) => id))
      next = page.next && new URL(page.next).search
    }
    expect(found).toEqual(all)
  })

  it.each<[string, string, string]>([
    ['limit=0', 'invalid_input', 'limit'],
    ['cursor=x', 'invalid_input', 'cursor'],
    ['person=ada', 'invalid_input', 'person'],
    ['person_uuid=ada', 'invalid_input', 'person_uuid'],
    ['person=1&person_uuid=ada', 'invalid_input', 'person_uuid'],
    ['operand=XOR', 'invalid_choice', 'operand'],
    ['filter_test_accounts=no', 'invalid_input', 'filter_test_accounts'],
    [json('actions', [{ id: 1 }]), 'invalid_input', 'actions'],
    [
      json('console_log_filters', [{ key: 'level', value: ['error'] }]),
      'invalid_input',
      'console_log_filters'
    ],
    ['comment_text=broken', 'invalid_input', 'comment_text'],
    [properties([{ key: '$nope', value: 1, type: 'session' }]), 'invalid_input', 'properties'],
    [properties([{ key: '$browser', value: [] }]), 'invalid_input', 'properties'],
    [
      json('events', [{ id: 'bought', properties: [{ key: 'price', value: [] }] }]),
      'invalid_input',
      'events'
    ],
    ['date_from=yesterday', 'invalid_input', 'date_from'],
    ['date_to=soon', 'invalid_input', 'date_to'],
    ['order=name', 'invalid_choice', 'order'],
    ['order_direction=up', 'invalid_choice', 'order_direction'],
    ['distinct_ids=ada', 'invalid_input', 'distinct_ids'],
    ['distinct_ids=[', 'invalid_input', 'distinct_ids'],
    ['session_ids=[7]', 'invalid_input', 'session_ids__0'],
    ['session_ids=[""]', 'blank', 'session_ids__0'],
    ['distinct_ids=[null]', 'null', 'distinct_ids__0'],
    [json('events', [{ id: '' }]), 'blank', 'events__0__id'],
    ['events=bought', 'invalid_input', 'events'],
    [json('events', [{ name: 'bought' }]), 'required', 'events__0__id'],
    [
      json('events', [
        { id: 'bought', properties: [{ key: 'price', operator: 'like', value: 1 }] }
      ]),
      'invalid_input',
      'events'
    ],
    ['having_predicates=[', 'invalid_input', 'having_predicates'],
    [
      json('having_predicates', [{ key: 'plan', type: 'person', value: 'pro' }]),
      'invalid_input',
      'having_predicates'
    ],
    [
      json('having_predicates', [{ key: 'height', type: 'recording', value: 1 }]),
      'invalid_input',
      'having_predicates'
    ],
    ['properties=[', 'invalid_input', 'properties'],
    [
      properties([{ key: 'name', type: 'event_metadata', value: 'bought' }]),
      'invalid_input',
      'properties'
    ],
    [recording('height', 'gt', 1), 'invalid_input', 'properties'],
    [recording('click_count', 'gt', 'many'), 'invalid_input', 'properties'],
    [recording('start_url', 'regex', '('), 'invalid_input', 'properties'],
    [properties([{ key: 'x', value: 1, type: 'cohort' }]), 'invalid_input', 'properties'],
    [
      json('events', Array(20).fill({ id: 'bought', properties: [CHEAP, CHEAP] })),
      'query_too_large',
      'properties'
    ]
  ])('refuses %s', async (query, code, attr) => {
    expect(await gallery.get(`?${query}`, 400)).toMatchObject({ code, attr })
  })
})

it('refuses a filter if D1 finds the texts of a recording too large', async () => {
  const now = new Date()
  const settings = { timezone: 'UTC', weekStart: 0, testAccountFilters: [] }
  const properties = [{ key: 'visited_page', type: 'recording', operator: 'regex', value: 'a.b' }]
  const filters = readRecordingFilters(FiltersQuery.parse({}), properties, settings, now)
  const failing = aroundCalls(env.DB, async () => {
    throw new Error('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
  })
  const limited = openDb(failing, newUsage()).db

  await expect(
    compileFilters(limited, { id: 1, timezone: 'UTC' }, filters, now)
  ).rejects.toMatchObject({ code: 'query_too_large', attr: 'properties' })
})
