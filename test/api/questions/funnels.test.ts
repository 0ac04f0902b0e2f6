import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR, MINUTE } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { computeFunnels, listFunnelActors } from '../../../src/questions/funnels/funnel.ts'
import { readFunnels } from '../../../src/questions/funnels/query.ts'
import { deep } from '../../support/depth.ts'
import { bestAttempt, type OracleEvent, sortEvents } from '../../support/oracle/funnel.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'
import { sealRange } from '../../support/segments.ts'

/** The beginning of the hours of these tests. */
const BEGIN = Date.UTC(2025, 5, 3, 6)
const NOW = new Date('2025-06-10T00:00:00Z')
const SETTINGS = { timezone: 'Asia/Kathmandu', weekStart: 1, testAccountFilters: [] }
/** Seven hours, which begin before `BEGIN` and end after all events. */
const RANGE = { date_from: '2025-06-03T11:00:00', date_to: '2025-06-03T17:59:59' }

const compute = (project: { id: number }, node: object, stepEvents?: number) =>
  computeFunnels(
    { db, project: { ...SETTINGS, id: project.id }, ...(stepEvents && { stepEvents }) },
    readFunnels(asNode(node), SETTINGS, NOW),
    NOW
  )

const asNode = (node: object): JsonObject =>
  ({ kind: 'FunnelsQuery', dateRange: RANGE, interval: 'hour', ...node }) as JsonObject

const series = (...events: (string | null)[]) =>
  events.map((event) => ({ kind: 'EventsNode', event }))

/** Seals the events of a name in a range of hours, unless there are none. */
async function seal(projectId: number, name: string, from: number, until: number): Promise<void> {
  const [kind] = await db.all<{ project_id: number; event_id: number }>(sql`
    select project_id, id as event_id from event_names where project_id = ${projectId} and name = ${name}`)
  if (kind) {
    await sealRange(db, kind, BEGIN + from * HOUR, BEGIN + until * HOUR)
  }
}

/** `A 6:00, X 6:05` → events of one person on the day of these tests. */
const read = (who: string, text: string): TestEvent[] =>
  text.split(', ').map((one) => {
    const [event = '', clock = ''] = one.split(' ')
    const [hours = 0, minutes = 0] = clock.split(':').map(Number)
    const timestamp = BEGIN + (hours - 10) * HOUR + minutes * MINUTE
    return { event, distinct_id: who, timestamp, properties: { who } }
  })

async function newExample(): Promise<TestProject> {
  const project = await newProject()
  await project.ingest([
    ...read('p1', 'A 10:00, B 10:10, C 10:30'),
    ...read('p2', 'A 10:00, X 10:05, B 10:20'),
    ...read('p3', 'B 10:00, A 10:10, C 10:20'),
    ...read('p4', 'A 10:00, B 10:50, C 11:10'),
    ...read('p5', 'A 10:00, A 10:40, B 10:50, C 11:30')
  ])
  return project
}

const EXAMPLE = {
  series: series('A', 'B', 'C'),
  funnelsFilter: { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'hour' }
}

const example = (funnelsFilter: object) => ({
  ...EXAMPLE,
  funnelsFilter: { ...EXAMPLE.funnelsFilter, ...funnelsFilter }
})

const X = { kind: 'EventsNode', event: 'X' }

type Step = {
  count: number
  average_conversion_time: number | null
  median_conversion_time: number | null
  breakdown_value?: string[]
}

const summary = (steps: unknown) =>
  (steps as Step[]).map((step) => [
    step.count,
    step.average_conversion_time,
    step.median_conversion_time
  ])

describe('the worked example', () => {
  it('has the shape of PostHog’s answer', async () => {
    const project = await newExample()

    expect(await compute(project, EXAMPLE)).toEqual({
      results: [
        {
          action_id: 'A',
          name: 'A',
          custom_name: null,
          order: 0,
          people: [],
          count: 5,
          type: 'events',
          average_conversion_time: null,
          median_conversion_time: null
        },
        expect.objectContaining({ action_id: 'B', order: 1, count: 4 }),
        expect.objectContaining({ action_id: 'C', order: 2, count: 2 })
      ],
      excluded: 0,
      resolved_date_range: {
        date_from: '2025-06-03T05:15:00Z',
        date_to: '2025-06-03T12:14:59Z'
      }
    })
  })

  it('has the numbers that were found by hand', async () => {
    const project = await newExample()
    const ask = async (funnelsFilter: object) => {
      const { results, excluded } = await compute(project, example(funnelsFilter))
      return [summary(results), excluded]
    }
    const first = (count: number) => [count, null, null]

    expect(await ask({})).toEqual([[first(5), [4, 1350, 900], [2, 1800, 1800]], 0])
    expect(await ask({ funnelOrderType: 'strict' })).toEqual([
      [first(5), [3, 1400, 600], [2, 1800, 1800]],
      0
    ])
    expect(await ask({ funnelOrderType: 'unordered' })).toEqual([
      [first(5), [5, 1200, 600], [3, 1400, 1200]],
      0
    ])
    expect(await ask({ exclusions: [{ ...X, funnelFromStep: 0, funnelToStep: 1 }] })).toEqual([
      [first(4), [3, 1400, 600], [2, 1800, 1800]],
      1
    ])
    expect(
      await ask({
        funnelOrderType: 'unordered',
        exclusions: [{ ...X, funnelFromStep: 0, funnelToStep: 2 }]
      })
    ).toEqual([[first(5), [4, 1200, 600], [3, 1400, 1200]], 0])
  })

  it('has times to convert', async () => {
    const project = await newExample()

    const { results } = await compute(project, example({ funnelVizType: 'time_to_convert' }))

    expect(results).toEqual({
      bins: [
        [1800, 1],
        [2400, 0],
        [3000, 1]
      ],
      average_conversion_time: 2400,
      median_conversion_time: 2400
    })
  })

  it('has a trend of conversion', async () => {
    const project = await newExample()

    const { results } = await compute(project, {
      ...example({ funnelVizType: 'trends' }),
      interval: 'day'
    })

    expect(results).toEqual([
      { count: 1, data: [40], days: ['2025-06-03'], labels: ['3-Jun-2025'] }
    ])
  })

  it.each([
    [2, ['p1', 'p2', 'p4', 'p5']],
    [-2, ['p3']],
    [-3, ['p2', 'p4']]
  ])('lists the actors of step %i', async (step, wanted) => {
    const project = await newExample()
    const query = readFunnels(asNode(EXAMPLE), SETTINGS, NOW)

    const actors = await listFunnelActors(
      { db, project: { ...SETTINGS, id: project.id } },
      { query, asked: { step, value: undefined } },
      NOW
    )

    const rows = await db.all<{ id: number; distinct_id: string }>(
      sql`select person_id as id, distinct_id from distinct_ids where project_id = ${project.id}`
    )
    const names = new Map(rows.map(({ id, distinct_id }) => [id, distinct_id]))
    expect(actors.map(({ actor }) => names.get(actor)).sort()).toEqual(wanted)
  })
})

describe('POST query/', () => {
  const ask = (project: TestProject, query: object) => project.send('POST', 'query/', { query })
  const whole = {
    ...EXAMPLE,
    kind: 'FunnelsQuery',
    dateRange: { date_from: '2025-06-03', date_to: '2025-06-03' }
  }

  it('answers a FunnelsQuery, also inside an InsightVizNode', async () => {
    const project = await newExample()

    const { status, body } = await ask(project, { kind: 'InsightVizNode', source: whole })

    expect([status, summary(body.results)]).toEqual([
      200,
      [
        [5, null, null],
        [4, 1350, 900],
        [2, 1800, 1800]
      ]
    ])
    expect(body).toMatchObject({ excluded: 0, timezone: 'UTC', error: null })
  })

  it('names the field at fault', async () => {
    const project = await newExample()
    const funnelsFilter = { exclusions: [{ ...X, funnelFromStep: 2 }] }

    const { status, body } = await ask(project, { ...whole, funnelsFilter })

    expect([status, body.attr]).toEqual([
      400,
      'query__funnelsFilter__exclusions__0__funnelFromStep'
    ])
  })

  const behind = (more: object, query: object = {}) => ({
    kind: 'ActorsQuery',
    source: { kind: 'FunnelsActorsQuery', source: { ...whole, ...query }, ...more },
    select: ['person_display_name', 'event_count']
  })

  it('lists the persons of a step, with the number of steps they took', async () => {
    const project = await newExample()
    const breakdownFilter = { breakdown: 'who' }

    const { body } = await ask(project, behind({ funnelStep: -3 }))
    const ofValue = { funnelStep: 1, funnelStepBreakdown: ['p3'] }
    const one = await ask(project, behind(ofValue, { breakdownFilter }))

    const names = body.results.map(
      ([{ display_name }, count]: [{ display_name: string }, number]) => [display_name, count]
    )
    expect(names.sort()).toEqual([
      ['p2', 2],
      ['p4', 2]
    ])
    expect(one.body.results).toMatchObject([[{ display_name: 'p3' }, 1]])
  })

  it.each([
    [{ funnelStep: 0 }, {}, 'funnelStep'],
    [{ funnelStep: -1 }, {}, 'funnelStep'],
    [{ funnelStep: 4 }, {}, 'funnelStep'],
    [{}, {}, 'funnelStep'],
    [{ funnelStep: 1, funnelStepBreakdown: ['p3'] }, {}, 'funnelStepBreakdown'],
    [
      { funnelStep: 1, funnelStepBreakdown: ['p9'] },
      { breakdownFilter: { breakdown: 'who' } },
      'funnelStepBreakdown'
    ],
    [{ funnelStep: 1 }, { series: [] }, 'source__series'],
    [
      { funnelStep: 1 },
      { funnelsFilter: { funnelVizType: 'trends' } },
      'source__funnelsFilter__funnelVizType'
    ],
    [
      { funnelStep: 1 },
      { funnelsFilter: { funnelAggregateByHogQL: '$session_id' } },
      'source__funnelsFilter__funnelAggregateByHogQL'
    ]
  ])('refuses the actors of %j', async (more, query, attr) => {
    const project = await newExample()

    const { status, body } = await ask(project, behind(more, query))

    expect([status, body.attr]).toEqual([400, `query__source__${attr}`])
  })

  it('shows the bins of a breakdown as trends do, and finds their actors', async () => {
    const project = await newProject()
    await project.ingest(
      Array.from({ length: 10 }, (_, i) => ({
        event: 'A',
        distinct_id: `p${i}`,
        timestamp: BEGIN,
        properties: { price: i * 10 }
      }))
    )
    const query = {
      ...whole,
      series: series('A', 'B'),
      breakdownFilter: { breakdown: 'price', breakdown_histogram_bin_count: 3 }
    }

    const { body } = await ask(project, query)

    expect(
      body.results.map(([step]: Step[]) => [step?.breakdown_value, step?.count]).sort(byText)
    ).toEqual([
      [['[0,30]'], 3],
      [['[30,60]'], 3],
      [['[60,90.01]'], 4]
    ])
    const last = await ask(
      project,
      behind({ funnelStep: 1, funnelStepBreakdown: ['[60,90.01]'] }, query)
    )
    expect(last.body.results).toHaveLength(4)
  })
})

it('takes the properties of persons as of each event', async () => {
  const project = await newProject()
  await project.ingest([
    { ...read('p1', 'A 10:00')[0], properties: { $set: { plan: 'free' } } },
    { ...read('p1', 'B 10:10')[0], properties: { $set: { plan: 'pro' } } },
    { ...read('p2', 'A 10:00')[0], properties: { $set: { plan: 'free' } } },
    { ...read('p2', 'B 10:10')[0], properties: {} }
  ])
  const [a, b] = series('A', 'B')
  const plan = (value: string) => [{ key: 'plan', type: 'person', value, operator: 'exact' }]

  const { results } = await compute(project, {
    series: [
      { ...a, properties: plan('free') },
      { ...b, properties: plan('pro') }
    ]
  })

  expect(summary(results).map(([count]) => count)).toEqual([2, 1])
})

it('counts sessions instead of actors', async () => {
  const project = await newProject()
  const inSession = (session: string | null, text: string): TestEvent[] =>
    read('p1', text).map((event) => ({
      ...event,
      properties: session === null ? {} : { $session_id: session }
    }))
  await project.ingest([
    ...inSession('s1', 'A 10:00, B 10:05'),
    ...inSession('s2', 'A 10:02'),
    ...inSession(null, 'A 10:03, B 10:04')
  ])
  const counts = async (funnelsFilter: object) => {
    const { results } = await compute(project, { series: series('A', 'B'), funnelsFilter })
    return summary(results)
  }

  expect(await counts({})).toEqual([
    [1, null, null],
    [1, 60, 60]
  ])
  expect(await counts({ funnelAggregateByHogQL: 'properties.$session_id' })).toEqual([
    [2, null, null],
    [1, 300, 300]
  ])
})

it('answers with zeros if nobody takes the first step', async () => {
  const project = await newProject()

  const { results } = await compute(project, EXAMPLE)

  expect(summary(results)).toEqual([
    [0, null, null],
    [0, null, null],
    [0, null, null]
  ])
})

describe('a funnel is refused', () => {
  const read = (node: object) => () => readFunnels(asNode(node), SETTINGS, NOW)
  const filter = (funnelsFilter: object) => ({ series: series('A', 'B', 'C'), funnelsFilter })

  it.each([
    ['one step', { series: series('A') }, 'series'],
    ['too many steps', { series: series(...Array<string>(27).fill('A')) }, 'series'],
    ['an unknown field', { ...EXAMPLE, breakdown: 'x' }, 'breakdown'],
    ['an unknown field of the filter', filter({ window: 1 }), 'funnelsFilter__window'],
    ['an order', filter({ funnelOrderType: 'loose' }), 'funnelsFilter__funnelOrderType'],
    ['a window', filter({ funnelWindowInterval: 0 }), 'funnelsFilter__funnelWindowInterval'],
    ['a step that is too late', filter({ funnelFromStep: 2 }), 'funnelsFilter__funnelFromStep'],
    [
      'steps the wrong way round',
      filter({ funnelFromStep: 1, funnelToStep: 1 }),
      'funnelsFilter__funnelToStep'
    ],
    [
      'an exclusion after the last step',
      filter({ exclusions: [{ ...X, funnelFromStep: 0, funnelToStep: 3 }] }),
      'funnelsFilter__exclusions__0__funnelToStep'
    ],
    [
      'an exclusion of a step',
      filter({ exclusions: [{ ...X, event: 'B', funnelFromStep: 0, funnelToStep: 1 }] }),
      'funnelsFilter__exclusions__0'
    ],
    [
      'an exclusion for some steps without an order',
      filter({
        funnelOrderType: 'unordered',
        exclusions: [{ ...X, funnelFromStep: 0, funnelToStep: 1 }]
      }),
      'funnelsFilter__exclusions__0'
    ],
    [
      'an exclusion with a filter that nobody knows',
      filter({ exclusions: [{ ...X, properties: [{ key: 'a', type: 'moon', value: 1 }] }] }),
      'funnelsFilter__exclusions__0__properties'
    ],
    [
      'an action as a step',
      { series: [{ kind: 'ActionsNode', id: 1 }, ...series('A')] },
      'series__0__kind'
    ],
    [
      'an optional step',
      { series: [...series('A', 'B'), { ...X, optionalInFunnel: true }] },
      'series__2__optionalInFunnel'
    ],
    [
      'a math that chooses events',
      { series: [{ ...X, math: 'first_time_for_user' }, ...series('A')] },
      'series__0__math'
    ],
    ['a comparison', { ...EXAMPLE, compareFilter: { compare: true } }, 'compareFilter__compare'],
    [
      'an expression to count',
      filter({ funnelAggregateByHogQL: 'properties.plan' }),
      'funnelsFilter__funnelAggregateByHogQL'
    ],
    [
      'the value of a step that does not exist',
      filter({ breakdownAttributionType: 'step', breakdownAttributionValue: 3 }),
      'funnelsFilter__breakdownAttributionValue'
    ],
    [
      'a trend without an order',
      filter({ funnelOrderType: 'unordered', funnelVizType: 'trends' }),
      'funnelsFilter__funnelVizType'
    ],
    [
      'broken down times to convert',
      { ...filter({ funnelVizType: 'time_to_convert' }), breakdownFilter: { breakdown: 'x' } },
      'breakdownFilter'
    ]
  ])('%s', (_, node, attr) => {
    expect(read(node)).toThrow(expect.objectContaining({ attr, message: expect.any(String) }))
  })

  it('but not for fields that change no number, or for a step without its kind', () => {
    expect(
      read({
        series: [
          { event: 'A', math: 'total' },
          { event: 'B', optionalInFunnel: false }
        ],
        funnelsFilter: { layout: 'vertical', funnelStepReference: 'total', showLegend: true },
        version: 2,
        tags: {},
        samplingFactor: 1,
        compareFilter: null,
        aggregation_group_type_index: null
      })
    ).not.toThrow()
  })
})

const NAMES = ['A', 'B', 'C', 'other'] as const
const COLORS = [null, 'red', 'blue', 'Other', ''] as const

const color = fc.constantFrom(...COLORS)

/** A moment in five hours; many are equal, or lie at a quarter of an hour. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: 20 }).map((quarters) => quarters * 15 * MINUTE),
  fc.integer({ min: 0, max: 300 }).map((minutes) => minutes * MINUTE),
  fc.integer({ min: 0, max: 5 * HOUR - 1 })
)

const worlds = fc.record({
  events: fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      who: fc.constantFrom('ada', 'bob', 'cyd'),
      at: moment,
      color,
      hasPerson: fc.boolean(),
      /** Whether this event merges its actor into another. */
      folds: fc.constantFrom(...Array<boolean>(15).fill(false), true)
    }),
    { minLength: 1, maxLength: 60 }
  ),
  /** How many of the events arrive before segments are sealed. */
  early: fc.nat(60),
  sealed: fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      from: fc.integer({ min: 0, max: 4 }),
      length: fc.integer({ min: 1, max: 5 })
    }),
    { maxLength: 6 }
  )
})
type World = typeof worlds extends fc.Arbitrary<infer One> ? One : never

const entity = fc.record({
  event: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('A', 'B', 'C') }, fc.constant(null)),
  color: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom('red', 'blue'))
})
type Entity = { event: string | null; color: string | undefined }

const funnels = fc
  .record({
    steps: fc.array(entity, { minLength: 2, maxLength: 4 }),
    order: fc.constantFrom('ordered', 'strict', 'unordered'),
    window: fc.integer({ min: 1, max: 400 }),
    excluded: fc.option(fc.record({ from: fc.nat(2), length: fc.integer({ min: 1, max: 3 }) }), {
      nil: undefined
    }),
    attribution: fc.constantFrom(undefined, 'first_touch', 'last_touch', 'all_events', 'step'),
    groupStep: fc.nat(3),
    limit: fc.constantFrom(1, 25),
    hidesOther: fc.boolean(),
    view: fc.constantFrom('steps', 'steps', 'trends'),
    stepEvents: fc.constantFrom(5, 20, 100_000)
  })
  .map((one) => {
    const last = one.steps.length - 1
    const isUnordered = one.order === 'unordered'
    const from = isUnordered ? 0 : Math.min(one.excluded?.from ?? 0, last - 1)
    const to = isUnordered ? last : Math.min(from + (one.excluded?.length ?? 1), last)
    return {
      ...one,
      exclusions: one.excluded ? [{ from, to }] : [],
      groupStep: isUnordered ? 0 : Math.min(one.groupStep, last),
      view: isUnordered ? 'steps' : one.view
    }
  })
type Funnel = typeof funnels extends fc.Arbitrary<infer One> ? One : never

async function make({ events, early, sealed }: World): Promise<TestProject> {
  const project = await newProject()
  const incoming = events.map(
    ({ name, who, at, color: own, hasPerson, folds }): TestEvent => ({
      event: folds ? '$merge_dangerously' : name,
      distinct_id: who,
      timestamp: BEGIN + at,
      properties: {
        ...(own !== null && { color: own }),
        ...(folds && { alias: who === 'ada' ? 'bob' : 'ada' }),
        ...(!hasPerson && { $process_person_profile: false })
      }
    })
  )
  if (early > 0) {
    await project.ingest(incoming.slice(0, early))
  }
  for (const { name, from, length } of sealed) {
    await seal(project.id, name, from, from + length)
  }
  if (early < incoming.length) {
    await project.ingest(incoming.slice(early))
  }
  return project
}

const toEntity = ({ event, color: own }: Entity) => ({
  kind: 'EventsNode',
  event,
  ...(own && { properties: [{ key: 'color', type: 'event', value: own, operator: 'exact' }] })
})

/** The event that funnels exclude. */
const EXCLUDED: Entity = { event: 'other', color: undefined }

const toNode = (funnel: Funnel) => ({
  series: funnel.steps.map(toEntity),
  funnelsFilter: {
    funnelVizType: funnel.view,
    funnelOrderType: funnel.order,
    funnelWindowInterval: funnel.window,
    funnelWindowIntervalUnit: 'minute',
    exclusions: funnel.exclusions.map(({ from, to }) => ({
      ...toEntity(EXCLUDED),
      funnelFromStep: from,
      funnelToStep: to
    })),
    ...(funnel.attribution && {
      breakdownAttributionType: funnel.attribution,
      breakdownAttributionValue: funnel.groupStep
    })
  },
  ...(funnel.attribution && {
    breakdownFilter: {
      breakdown: 'color',
      breakdown_type: 'event',
      breakdown_limit: funnel.limit,
      breakdown_hide_other_aggregation: funnel.hidesOther
    }
  })
})

type Stored = { name: string; at: number; properties: string; actor: number }

/** Reads the events of each actor as plain code sees them. */
async function readActors(projectId: number, funnel: Funnel): Promise<OracleEvent[][]> {
  const rows = await db.all<Stored>(sql`
    select n.name, e.timestamp as at, json(e.properties) as properties,
           coalesce((select person_id from distinct_ids where key = e.identity), -e.identity) as actor
    from events e, event_names n where n.id = e.event_id and e.project_id = ${projectId}`)
  const matches = ({ event, color: own }: Entity, row: Stored): boolean =>
    (event === null || event === row.name) &&
    (own === undefined || JSON.parse(row.properties).color === own)
  const events = rows.map((row) => ({
    actor: row.actor,
    time: row.at,
    steps: [...funnel.steps.keys()].filter((i) => matches(funnel.steps[i] ?? EXCLUDED, row)),
    exclusions: funnel.exclusions.length > 0 && matches(EXCLUDED, row) ? [0] : [],
    value: funnel.attribution ? JSON.parse(row.properties).color || null : null
  }))
  return [...Map.groupBy(events, ({ actor }) => actor).values()].map(sortEvents)
}

type Run = { period: number; value: string | null; times: number[]; isExcluded: boolean }

/** Follows an actor in plain code, in each of some periods. */
function followPlainly(
  events: readonly OracleEvent[],
  funnel: Funnel,
  periods: readonly { from: number; until: number }[]
): Run[] {
  const { attribution, groupStep, steps, order } = funnel
  const rules = {
    ...funnel,
    order: order as 'ordered',
    steps: steps.length,
    window: funnel.window * MINUTE
  }
  const values =
    attribution === 'all_events' ? [...new Set(events.map(({ value }) => value))] : [undefined]
  return values.flatMap((value) =>
    periods.flatMap(({ from, until }, period): Run[] => {
      const own = events
        .filter((event) => value === undefined || event.value === value)
        .map((event) => ({
          ...event,
          steps: event.steps.filter(
            (step) => step > 0 || periods.length === 1 || (event.time >= from && event.time < until)
          )
        }))
      const isOpening = ({ steps: all }: OracleEvent) =>
        order === 'unordered' ? all.length > 0 : all.includes(0)
      const begun = own
        .slice(own.findIndex(isOpening))
        .filter(({ time }) => time - until <= rules.window)
      const best = own.some(isOpening) ? bestAttempt(begun, rules) : undefined
      if (!best) {
        return []
      }
      const touching = begun.filter((event) => event.steps.length > 0 && event.value !== null)
      const attributed = {
        first_touch: () => touching[0]?.value,
        last_touch: () => touching.at(-1)?.value,
        all_events: () => value,
        step: () => best.taken[groupStep]?.value
      }
      const begin = best.taken[0]?.time ?? 0
      return [
        {
          period,
          value: (attribution && attributed[attribution as 'step']()) ?? null,
          times: best.taken.map(({ time }) => time - begin),
          isExcluded: best.isSpoilt
        }
      ]
    })
  )
}

const NONE = Symbol('none')
const OTHER = Symbol('other')

/** Sorts runs by the shown value of their breakdown, in the order of the answer's lists. */
function byShownValue(runs: readonly Run[], { limit, hidesOther }: Funnel): Map<unknown, Run[]> {
  const named = Map.groupBy(
    runs.filter(({ value }) => value !== null && value !== 'Other'),
    ({ value }) => String(value)
  )
  const ranked = [...named].sort(
    ([a, own], [b, others]) => others.length - own.length || (a < b ? -1 : 1)
  )
  const shown = new Set(ranked.slice(0, limit).map(([value]) => value))
  const shownAs = ({ value }: Run) => {
    if (value === null) {
      return NONE
    }
    return shown.has(value) ? value : OTHER
  }
  const all = Map.groupBy(runs, shownAs)
  const lists: [unknown, Run[]][] = [...shown].map((value) => [value, all.get(value) ?? []])
  if (all.has(NONE) || named.size === 0) {
    lists.push([NONE, all.get(NONE) ?? []])
  }
  const others = all.get(OTHER)
  return new Map(others && !hidesOther ? [...lists, [OTHER, others]] : lists)
}

const textOf = (value: unknown): string[] => {
  if (typeof value === 'string') {
    return [value]
  }
  return value === NONE ? [''] : ['Other']
}

const round = (time: number | null): number | null =>
  time === null ? null : Math.round(time * 1_000_000) / 1_000_000

function median(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b)
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1]
  return numbers.length === 0 ? null : ((sorted[low] ?? 0) + (sorted[high] ?? 0)) / 2
}

function stepsOf(runs: readonly Run[], steps: number) {
  return Array.from({ length: steps }, (_, step) => {
    const times = runs
      .filter(({ times: own }) => step > 0 && own.length > step)
      .map(({ times: own }) => ((own[step] ?? 0) - (own[step - 1] ?? 0)) / 1_000)
    const total = times.reduce((sum, time) => sum + time, 0)
    return [
      runs.filter(({ times: own }) => own.length > step).length,
      round(times.length > 0 ? total / times.length : null),
      round(median(times))
    ]
  })
}

it('gives the answers of plain code in random worlds, sealed or not', {
  timeout: 600_000
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      worlds,
      fc.array(funnels, { minLength: 4, maxLength: 4 }),
      async (world, all) => {
        const project = await make(world)
        for (const funnel of all) {
          await compare(project, funnel)
        }
      }
    ),
    deep(250)
  )
})

/** Compares the answer of a funnel with that of plain code. */
async function compare(project: TestProject, funnel: Funnel): Promise<void> {
  const hours = Array.from({ length: 7 }, (_, i) => {
    const from = BEGIN - 45 * MINUTE + i * HOUR
    return { from, until: from + HOUR }
  })
  const whole = { from: hours[0]?.from ?? 0, until: hours.at(-1)?.until ?? 0 }
  const isTrend = funnel.view === 'trends'
  const actors = await readActors(project.id, funnel)
  const runs = actors.flatMap((events) => followPlainly(events, funnel, isTrend ? hours : [whole]))
  const counted = byShownValue(
    runs.filter(({ isExcluded }) => !isExcluded),
    funnel
  )

  const { results, excluded } = await compute(project, toNode(funnel), funnel.stepEvents)

  expect(excluded).toBe(runs.filter(({ isExcluded }) => isExcluded).length)
  if (isTrend) {
    const wanted = [...counted].map(([value, own]) => [
      funnel.attribution && textOf(value),
      hours.map((_, period) => {
        const entered = own.filter((run) => run.period === period)
        const converted = entered.filter(({ times }) => times.length === funnel.steps.length)
        const share = entered.length === 0 ? 0 : converted.length / entered.length
        return Math.round(share * 10_000) / 100
      })
    ])
    const found = (results as { breakdown_value?: string[]; data: number[] }[]).map(
      ({ breakdown_value, data }) => [breakdown_value, data]
    )
    expect(found).toEqual(wanted)
    return
  }
  const lists = (funnel.attribution ? results : [results]) as Step[][]
  const found = lists.map((list) => [
    list[0]?.breakdown_value,
    list.map((step) => [
      step.count,
      round(step.average_conversion_time),
      round(step.median_conversion_time)
    ])
  ])
  const wanted = [...counted].map(([value, own]) => [
    funnel.attribution && textOf(value),
    stepsOf(own, funnel.steps.length)
  ])
  expect(found.sort(byText)).toEqual(wanted.sort(byText))
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
