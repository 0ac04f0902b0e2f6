import { beforeAll, expect, it } from 'vitest'
import { KINDS } from '../../../src/questions/kinds.ts'
import { newProject, request, type TestProject } from '../../support/project.ts'

const series = [{ kind: 'EventsNode', event: '$pageview' }]
const TREND = { kind: 'TrendsQuery', series }
const FUNNEL = { kind: 'FunnelsQuery', series: [...series, ...series] }
const RETENTION = { kind: 'RetentionQuery', retentionFilter: {} }
const LIFECYCLE = { kind: 'LifecycleQuery', series }
const STICKINESS = { kind: 'StickinessQuery', series }

const NUMBERS = [['query:read'], ['insight:read']]
const EVENTS = [['query:read']]
const PERSONS_OF_EVENTS = [['query:read', 'person:read']]
const PERSONS = [
  ['query:read', 'person:read'],
  ['insight:read', 'person:read']
]

const NOTED_NUMBERS = [['insight:read', 'annotation:read']]

/** Questions, and the scopes of the keys that may ask them. */
const QUESTIONS: [query: Record<string, unknown>, may: string[][]][] = [
  [TREND, NUMBERS],
  [FUNNEL, NUMBERS],
  [RETENTION, NUMBERS],
  [STICKINESS, NUMBERS],
  [LIFECYCLE, NUMBERS],
  [{ kind: 'WebOverviewQuery', properties: [] }, NUMBERS],
  [{ kind: 'WebOverviewQuery', properties: [], annotations: true }, NOTED_NUMBERS],
  [{ kind: 'WebStatsTableQuery', properties: [], breakdownBy: 'Page' }, NUMBERS],
  [{ kind: 'InsightVizNode', source: FUNNEL }, NUMBERS],
  [{ kind: 'EventsQuery', select: ['event'] }, EVENTS],
  [{ kind: 'EventsQuery', select: ['event', 'person'] }, PERSONS_OF_EVENTS],
  [{ kind: 'EventsQuery', select: ['person.properties.plan'] }, PERSONS_OF_EVENTS],
  [{ kind: 'EventsQuery', where: ["properties.a = 'x'"] }, EVENTS],
  [{ kind: 'EventsQuery', where: ["person.properties.a = 'x'"] }, PERSONS_OF_EVENTS],
  [{ kind: 'EventsQuery', where: ["upper(person.properties.a) = 'X'"] }, PERSONS_OF_EVENTS],
  [{ kind: 'HogQLQuery', query: 'select event from events' }, EVENTS],
  [{ kind: 'HogQLQuery', query: 'select person.properties.plan from events' }, PERSONS_OF_EVENTS],
  ...[
    'select properties.email from persons where id is not null',
    'select properties.email from persons as id',
    'select persons.id, persons.properties.email from persons',
    'select "persons".id from `persons`',
    'select p.properties.email from `PERSONS` p',
    'select "person".properties.plan from events',
    'select e.`person`.created_at from events e',
    'select pdi.person.properties.plan from events',
    'select person.properties.id from events',
    'select x from (select person.properties as x from events)',
    'select event from events where person_id in (select id from persons where is_identified)',
    "select JSONExtractString(person.properties, 'id') from events"
  ].map((query): [Record<string, unknown>, string[][]] => [
    { kind: 'HogQLQuery', query },
    PERSONS_OF_EVENTS
  ]),
  ...[
    'select person.id, "person".id, pdi.person.id, person_id, distinct_id from events',
    'select session_id, distinct_id from sessions'
  ].map((query): [Record<string, unknown>, string[][]] => [{ kind: 'HogQLQuery', query }, EVENTS]),
  [
    { kind: 'EventsQuery', select: ['event'], where: ["`person`.properties.id = '1'"] },
    PERSONS_OF_EVENTS
  ],
  [{ kind: 'EventsQuery', select: ['upper(event)', 'person.id'] }, EVENTS],
  [{ kind: 'ActorsQuery' }, PERSONS],
  [actorsOf({ kind: 'InsightActorsQuery', source: TREND, day: 0 }), PERSONS],
  [actorsOf({ kind: 'FunnelsActorsQuery', source: FUNNEL, funnelStep: 1 }), PERSONS],
  [actorsOf({ kind: 'InsightActorsQuery', source: RETENTION, interval: 0 }), PERSONS],
  [actorsOf({ kind: 'InsightActorsQuery', source: LIFECYCLE, day: 0, status: 'new' }), PERSONS],
  [actorsOf({ kind: 'StickinessActorsQuery', source: STICKINESS, day: 1 }), PERSONS]
]

function actorsOf(source: object) {
  return { kind: 'ActorsQuery', source }
}

const KEYS = [
  ['query:read'],
  ['insight:read'],
  ['person:read'],
  ['query:read', 'insight:read'],
  ['query:read', 'person:read'],
  ['insight:read', 'person:read'],
  ['insight:read', 'annotation:read'],
  ['dashboard:read']
]

let project: TestProject
let keys: string[]

beforeAll(async () => {
  project = await newProject()
  keys = await Promise.all(KEYS.map((scopes) => project.newKey(scopes)))
})

it('asks a question of every kind', () => {
  const asked = new Set(QUESTIONS.map(([{ kind }]) => kind))

  expect(Object.keys(KINDS).filter((kind) => !asked.has(kind))).toEqual([])
})

it.each(QUESTIONS)('%j needs the scopes %j', async (query, may) => {
  const answered: string[][] = []
  for (const [i, scopes] of KEYS.entries()) {
    const { status } = await request(
      'POST',
      `/api/projects/${project.id}/query/`,
      { Authorization: `Bearer ${keys[i]}`, 'Content-Type': 'application/json' },
      JSON.stringify({ query })
    )
    expect([200, 403]).toContain(status)
    if (status === 200) {
      answered.push(scopes)
    }
  }

  const isEnough = (scopes: string[]) => may.some((all) => all.every((one) => scopes.includes(one)))
  expect(answered).toEqual(KEYS.filter(isEnough))
})
