import { sql } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { SLOT, uncountEvents } from '../../../src/columns/slots/store.ts'
import { writeBatch } from '../../../src/db/batch.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { sealRange } from '../../support/segments.ts'

const NOON = Date.parse('2025-06-03T12:00:00Z')

const STORY = [
  { event: 'b', timestamp: NOON, properties: { price: 5, $set: { plan: 'pro', seats: 3 } } },
  { event: 'b', timestamp: NOON + SLOT, properties: { price: null, isNew: true } },
  { event: 'b', timestamp: NOON + 5 * SLOT + 7, properties: { url: '/', list: [1] } },
  { event: 'a', timestamp: NOON, properties: {} }
]

async function newStory() {
  const project = await newProject()
  await project.ingest(STORY)
  return project
}

/** Returns the ids of a project and of one of its event names, as `sealRange` takes them. */
async function kindOf(project: TestProject, name: string) {
  const [row] = await db.all<{ id: number }>(
    sql`select id from event_names where project_id = ${project.id} and name = ${name}`
  )
  return { project_id: project.id, event_id: row?.id ?? 0 }
}

const definitions = async (project: TestProject, query = '') =>
  (await project.call('GET', `event_definitions?${query}`)).body

const ALL = [
  { id: 'a', name: 'a', count: 1, last_seen_at: '2025-06-03T12:00:00Z' },
  { id: 'b', name: 'b', count: 3, last_seen_at: '2025-06-03T13:15:00.007Z' }
]

describe('the names of events', () => {
  it('have counts and the time of the last event', async () => {
    const project = await newStory()

    expect(await definitions(project)).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: ALL
    })
    expect((await definitions(project, 'search=B')).results).toEqual([ALL[1]])
    const first = await definitions(project, 'limit=1')
    expect(first.results).toEqual([ALL[0]])
    const { search } = new URL(first.next)
    expect((await definitions(project, search.slice(1))).results).toEqual([ALL[1]])
    expect((await definitions(await newProject())).count).toBe(0)
  })

  it('are counted correctly with segments, late events and deleted events', async () => {
    const project = await newStory()
    const kind = await kindOf(project, 'b')
    await sealRange(db, kind, NOON, NOON + 2 * SLOT)
    await sealRange(db, kind, NOON + 3 * SLOT, NOON + 4 * SLOT)
    expect((await definitions(project)).results).toEqual(ALL)

    await project.ingest([
      { event: 'b', timestamp: NOON + 1 },
      { event: 'b', timestamp: NOON + 2 * SLOT },
      { event: 'b', timestamp: NOON - SLOT }
    ])
    expect((await definitions(project)).results[1]).toEqual({ ...ALL[1], count: 6 })
    const gone = sql`from events where project_id = ${project.id} and timestamp > ${NOON}`
    await writeBatch(db, [
      uncountEvents(project.id, sql`select event_id, timestamp ${gone}`),
      sql`delete ${gone}`
    ])
    expect((await definitions(project)).results).toEqual([
      ALL[0],
      { ...ALL[1], count: 2, last_seen_at: '2025-06-03T12:00:00Z' }
    ])
    await db.run(
      sql`delete from events where project_id = ${project.id} and event_id = ${kind.event_id}`
    )
    expect((await definitions(project)).results).toEqual([ALL[0]])
  })

  it('are counted from few rows once their events are sealed', async () => {
    const project = await newProject()
    const slots = 500
    await project.ingest(
      Array.from({ length: slots }, (_, i) => ({ event: 'b', timestamp: NOON + i * SLOT }))
    )
    await sealRange(db, await kindOf(project, 'b'), NOON, NOON + slots * SLOT)
    await definitions(project)
    const log = listenToLog()
    const { results } = await definitions(project)
    const [line] = log.lines('request')
    vi.restoreAllMocks()

    expect(results[0].count).toBe(slots)
    expect(Number(line?.rows_read)).toBeLessThan(50)
  })
})

describe('the properties', () => {
  const properties = async (project: TestProject, query = '') =>
    (await project.call('GET', `property_definitions?${query}`)).body.results.map(
      ({ name, property_type }: { name: string; property_type: string | null }) => [
        name,
        property_type
      ]
    )

  it('of events have the type of the newest value', async () => {
    const project = await newStory()

    expect(await properties(project)).toEqual([
      ['$set', null],
      ['isNew', 'Boolean'],
      ['list', null],
      ['price', 'Numeric'],
      ['url', 'String']
    ])
    expect(await properties(project, 'search=PRI')).toEqual([['price', 'Numeric']])
    expect(await properties(await newProject())).toEqual([])
  })

  it('of events are all listed once the events are sealed', async () => {
    const project = await newProject()
    const events = Array.from({ length: 30 }, (_, i) => ({
      event: 'b',
      timestamp: NOON + i,
      properties: i === 0 ? { rare: `text ${i}`, common: 1 } : { common: i % 2 }
    }))
    await project.ingest(events)
    expect(await properties(project)).toEqual([['common', 'Numeric']])

    await sealRange(db, await kindOf(project, 'b'), NOON, NOON + SLOT)
    expect(await properties(project)).toEqual([
      ['common', 'Numeric'],
      ['rare', null]
    ])
  })

  it('of persons have the type of the newest value', async () => {
    const names = await properties(await newStory(), 'type=person')

    expect(names).toContainEqual(['plan', 'String'])
    expect(names).toContainEqual(['seats', 'Numeric'])
  })

  it.each(['event', 'person'])('of %ss are listed if a filter can name them', async (type) => {
    const named = { '': 1, 'a\0b': 1, ['x'.repeat(401)]: 1, ['y'.repeat(400)]: 1 }
    const project = await newProject()
    await project.ingest([{ properties: { ...named, $set: named } }])
    const filter = (key: string) =>
      project.call(
        'GET',
        `persons/?properties=${encodeURIComponent(JSON.stringify([{ key, value: 1 }]))}`
      )

    const names = (await properties(project, `type=${type}`)).map(([name]: [string]) => name)

    expect(names.filter((name: string) => !name.startsWith('$'))).toEqual(['y'.repeat(400)])
    for (const name of Object.keys(named)) {
      expect((await filter(name)).status).toBe(names.includes(name) ? 200 : 400)
    }
  })

  it('of groups are refused', async () => {
    const { status, body } = await (await newProject()).call(
      'GET',
      'property_definitions?type=group'
    )

    expect([status, body.attr]).toEqual([400, 'type'])
  })
})
