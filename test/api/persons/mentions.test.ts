import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createKey } from '../../../src/access/store.ts'
import { holdErasures } from '../../support/erasures.ts'
import { measure } from '../../support/measure.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { seedNames, seedPersons } from '../../support/seed.ts'

type Mention = {
  id: string
  fields: string[]
  events: number | null
  removal: { method: string; path: string; body: object } | null
}
type Store = {
  store: string
  looked: boolean
  examined: number
  complete: boolean
  found: number
  mentions: Mention[]
}

/** Creates Ada, whom many objects name, and Bob, whose data names Ada, too. */
async function newVillage() {
  const project = await newProject()
  const at = Date.UTC(2026, 10, 1)
  await project.ingest([
    {
      event: '$identify',
      distinct_id: 'user-1',
      timestamp: at,
      properties: { $anon_distinct_id: 'anon-1', $set: { email: 'Ada@example.com' } }
    },
    {
      event: 'invited',
      distinct_id: 'user-2',
      timestamp: at + 1,
      properties: {
        $current_url: 'https://shop.example/?by=ada%40example.com&n=1',
        by: { users: ['user-1'] },
        similar: 'user-12 and user-1-a, not.ada@example.com, anon-1x',
        $set: { friend: 'ada@EXAMPLE.com', plan: 'pro' }
      }
    },
    {
      event: 'left',
      distinct_id: 'user-2',
      timestamp: at + 2,
      properties: { by: 'user-12' }
    }
  ])
  const idOf = async (path: string, body: object): Promise<number> =>
    (await project.send('POST', path, body)).body.id
  const insight = await idOf('insights', {
    name: 'Visits of ada@example.com. All',
    description: 'user-12',
    query: {
      kind: 'TrendsQuery',
      series: [
        {
          kind: 'EventsNode',
          event: 'invited',
          properties: [
            { key: 'by', value: ['user-1', 'user-12'], operator: 'exact', type: 'event' }
          ]
        }
      ]
    }
  })
  const dashboard = await idOf('dashboards', { name: 'For user-1', tags: ['anon-1', 'x'] })
  const annotation = await idOf('annotations', {
    content: 'Told ada@example.com, not user-12',
    scope: 'project'
  })
  const named = { type: 'person', key: 'referrer', operator: 'exact', value: ['user-1', 'user-12'] }
  const cohort = await idOf('cohorts', {
    name: 'Referred by user-1',
    filters: { properties: { type: 'AND', values: [named] } }
  })
  const subscribe = (body: object) =>
    idOf('subscriptions', { frequency: 'weekly', start_date: '2026-11-01', insight, ...body })
  const subscriptions = [
    await subscribe({ target_type: 'email', target_value: 'ada@example.com, bob@example.com' }),
    await subscribe({
      target_type: 'email',
      target_value: 'ada@example.com',
      title: 'For ADA@example.com'
    }),
    await subscribe({ target_type: 'webhook', target_value: 'https://hooks.example/user-1' }),
    await subscribe({ target_type: 'email', target_value: 'not.ada@example.com' })
  ]
  const alert = await idOf('alerts', {
    name: 'user-1 is away',
    insight,
    target_value: 'ada@example.com, bob@example.com',
    condition: { type: 'no_data' }
  })
  const { body } = await project.call('GET', 'persons?distinct_id=user-1')
  const bob = (await project.call('GET', 'persons?distinct_id=user-2')).body.results[0]
  return {
    project,
    ada: body.results[0],
    bob,
    insight,
    dashboard,
    annotation,
    cohort,
    subscriptions,
    alert
  }
}

async function look(project: TestProject, id: number | string, query = '') {
  const { status, body } = await project.call('GET', `persons/${id}/mentions${query}`)
  expect(status).toBe(200)
  const stores: Record<string, Store> = Object.fromEntries(
    body.stores.map((one: Store) => [one.store, one])
  )
  return { body, stores }
}

const idsOf = (store: Store | undefined) => store?.mentions.map(({ id }) => id)

describe('what else names a person', () => {
  it('is found where a text stands alone, and removed by the requests that the answer names', async () => {
    const { project, ada, bob, insight, dashboard, annotation, cohort, subscriptions, alert } =
      await newVillage()

    const { body, stores } = await look(project, ada.id)

    expect(body.texts).toEqual({ total: 4, searched: 4 })
    expect([body.cursor, body.searched_until]).toEqual([null, null])
    expect(Object.values(stores).map(({ looked, complete }) => looked && complete)).toEqual(
      Array.from({ length: 9 }, () => true)
    )
    expect(stores.subscriptions?.examined).toBe(4)
    expect(idsOf(stores.subscriptions)).toEqual(subscriptions.slice(0, 3).map(String))
    expect(stores.subscriptions?.mentions[0]?.removal).toEqual({
      method: 'PATCH',
      path: `subscriptions/${subscriptions[0]}/`,
      body: { target_value: 'bob@example.com' }
    })
    expect(stores.alerts?.mentions).toEqual([
      {
        id: alert,
        fields: ['target_value', 'name'],
        events: null,
        removal: {
          method: 'PATCH',
          path: `alerts/${alert}/`,
          body: { name: '[removed] is away', target_value: 'bob@example.com' }
        }
      }
    ])
    expect(stores.subscriptions?.mentions[1]?.fields).toEqual(['target_value', 'title'])
    expect(stores.insights?.mentions).toMatchObject([
      { id: String(insight), fields: ['name', 'query'], removal: { method: 'PATCH' } }
    ])
    expect(stores.dashboards?.mentions[0]?.removal?.body).toEqual({
      name: 'For [removed]',
      tags: ['[removed]', 'x']
    })
    expect(idsOf(stores.dashboards)).toEqual([String(dashboard)])
    expect(stores.annotations?.mentions).toEqual([
      {
        id: String(annotation),
        fields: ['content'],
        events: null,
        removal: {
          method: 'PATCH',
          path: `annotations/${annotation}/`,
          body: { content: 'Told [removed], not user-12' }
        }
      }
    ])
    expect(stores.cohorts?.mentions).toMatchObject([
      {
        id: String(cohort),
        fields: ['name', 'filters'],
        removal: {
          method: 'PATCH',
          path: `cohorts/${cohort}/`,
          body: {
            name: 'Referred by [removed]',
            filters: { properties: { values: [{ value: ['[removed]', 'user-12'] }] } }
          }
        }
      }
    ])
    expect(stores.persons?.mentions.map(({ fields }) => fields)).toEqual([
      ['$current_url'],
      ['$initial_current_url'],
      ['friend']
    ])
    expect(stores.persons?.mentions[2]).toEqual({
      id: bob.uuid,
      fields: ['friend'],
      events: null,
      removal: {
        method: 'POST',
        path: `persons/${bob.uuid}/delete_property/`,
        body: { $unset: 'friend' }
      }
    })
    expect(stores.events?.mentions.map(({ id, events }) => [id, events])).toEqual([
      ['$current_url', 1],
      ['by', 1],
      ['$set.friend', 1]
    ])

    for (const { removal } of Object.values(stores).flatMap(({ mentions }) => mentions)) {
      const { method = '', path = '', body = {} } = removal ?? {}
      const answer = await project.send(method, path, body)
      expect([path, answer.status, answer.body.detail]).toEqual([path, 200, undefined])
      if (path === 'events/delete/') {
        expect(answer.body.events).toBe(1)
      }
    }
    const after = await look(project, ada.uuid)
    const { events, ...others } = after.stores
    expect(Object.values(others).map(({ found }) => found)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    // The dry runs have removed nothing yet.
    expect(events?.found).toBe(3)
  })

  it('is found by the names of properties, too, and removed whatever their values', async () => {
    const project = await newProject()
    const at = Date.UTC(2026, 10, 1)
    const bob = (n: number, properties: object) => ({
      event: 'likes',
      distinct_id: 'bob',
      timestamp: at + n,
      properties: { $process_person_profile: false, ...properties }
    })
    await project.ingest([
      { event: 'seen', distinct_id: 'user-1', timestamp: at, properties: { $set: { a: 1 } } },
      bob(1, { 'user-1': 'key', plan: 'pro' }),
      bob(2, { 'user-1': { by: 'user-1' } }),
      bob(3, { 'user-1': null }),
      bob(4, { $set_once: { 'user-1': 'key' } }),
      bob(5, { friends: { 'user-1': 'key' } })
    ])
    const { body } = await project.call('GET', 'persons')

    const { stores } = await look(project, body.results[0].id)

    const removed = stores.events?.mentions.map(async ({ id, events, removal }) => {
      const answer = await project.send('POST', 'events/delete', removal?.body)
      return [id, events, answer.body.events]
    })
    expect(await Promise.all(removed ?? [])).toEqual([
      ['friends', 1, 1],
      ['$set_once.user-1', 1, 1],
      ['user-1', 3, 3]
    ])
  })

  it('is the only recipient of an alert, which its removal deletes with the address', async () => {
    const { project, ada, insight } = await newVillage()
    const { body } = await project.send('POST', 'alerts', {
      insight,
      target_value: 'Ada@example.com',
      condition: { type: 'no_data' }
    })
    const { stores } = await look(project, ada.id)
    const found = stores.alerts?.mentions.find(({ id }) => id === body.id)
    const { method = '', path = '', body: sent = {} } = found?.removal ?? {}

    const { status } = await project.send(method, path, sent)

    expect([method, status]).toEqual(['DELETE', 204])
    expect((await look(project, ada.id)).stores.alerts?.found).toBe(1)
    const rows = await db.all(
      sql`select target_value from subscriptions where project_id = ${project.id} and checks is not null`
    )
    expect(rows).toEqual([
      { target_value: 'ada@example.com, bob@example.com' },
      { target_value: '' }
    ])
  })

  it('is shown only of stores for which the key has the scope', async () => {
    const { project, ada } = await newVillage()
    const scopes = ['person:read', 'insight:read']
    const { key } = await createKey(
      db,
      { label: 'few', scopes, projectIds: [project.id], userId: project.user.id },
      new Date()
    )

    const path = `/api/environments/${project.id}/persons/${ada.id}/mentions/`
    const { status, text } = await request('GET', path, { Authorization: `Bearer ${key}` })

    expect(status).toBe(200)
    const { stores }: { stores: (Store & { scope: string })[] } = JSON.parse(text)
    const looked = stores.filter((one) => one.looked).map(({ store }) => store)
    expect(looked).toEqual(['insights', 'persons'])
    for (const one of stores.filter((store) => !store.looked)) {
      expect(one).toEqual({
        store: one.store,
        scope: expect.stringMatching(
          /^(subscription|alert|dashboard|annotation|cohort|query):read$/
        ),
        looked: false,
        examined: 0,
        complete: false,
        found: 0,
        mentions: []
      })
    }
  })

  it('is searched within a project, and not for a person of another', async () => {
    const { project, ada } = await newVillage()
    const other = await newProject()
    await other.ingest([
      { event: 'x', distinct_id: 'eve', properties: { $set: { friend: 'user-1' } } }
    ])

    expect((await other.call('GET', `persons/${ada.uuid}/mentions`)).status).toBe(404)
    const { stores } = await look(project, ada.id)
    expect(stores.persons?.examined).toBe(2)
    expect(stores.persons?.found).toBe(3)
  })

  it('is looked for by at most 30 texts, whatever characters these have', async () => {
    const project = await newProject()
    const idOf = (n: number) => `Ü"${n}/%_\\\u0001`
    await project.ingest([
      { event: 'seen', distinct_id: idOf(0), properties: { $set: { email: 'ü@bücher.example' } } },
      ...Array.from({ length: 34 }, (_, n) => ({
        event: '$create_alias',
        distinct_id: idOf(0),
        properties: { alias: idOf(n + 1) }
      }))
    ])
    const make = async (path: string, sent: object) => {
      const { status, body } = await project.send('POST', path, sent)
      expect([status, body.detail]).toEqual([201, undefined])
    }
    await make('insights', { name: `Is ${idOf(3)} here?` })
    const properties = [{ key: 'by', value: [idOf(4)], operator: 'exact', type: 'event' }]
    await make('insights', { filters: { events: [{ id: 'seen', properties }] } })
    await make('dashboards', { name: `?id=${encodeURIComponent(idOf(5))}` })
    const inner = `/?id=${encodeURIComponent(idOf(6))}`
    await make('dashboards', { name: `?next=${encodeURIComponent(inner)}` })
    const [person] = (await project.call('GET', 'persons')).body.results

    const { body, stores } = await look(project, person.id)

    expect(body.texts).toEqual({ total: 37, searched: 30 })
    expect(stores.insights?.found).toBe(2)
    expect(stores.dashboards?.found).toBe(2)
  })
})

describe('the search for mentions', () => {
  it('examines a bounded number of rows, and says that more are left', async () => {
    const project = await newProject()
    await seedPersons(project.id, {
      count: 12_000,
      email: `printf('user%06d@some.example', n)`,
      firstId: 5_000_000
    })
    await project.ingest([
      { event: 'seen', distinct_id: 'user-1', properties: { $set: { email: 'ada@example.com' } } }
    ])
    const { body } = await project.call('GET', 'persons?limit=1')

    const { rows, body: found } = await measure(project, `persons/${body.results[0].id}/mentions`)

    const persons = found.stores.find(({ store }: Store) => store === 'persons')
    expect(persons).toMatchObject({ examined: 10_000, complete: false, found: 0 })
    expect(rows).toBeLessThan(35_000)
  })

  it('examines the newest events, and continues before them', async () => {
    const project = await newProject()
    const at = Date.UTC(2026, 10, 1)
    const bob = (n: number, properties = {}) => ({
      event: `event ${n % 2}`,
      distinct_id: 'bob',
      timestamp: at + n,
      properties: { $process_person_profile: false, ...properties }
    })
    await project.ingest([
      { event: 'seen', distinct_id: 'user-1', timestamp: at - 1, properties: { $set: { a: 1 } } },
      bob(0, { by: 'user-1' }),
      bob(1, { $set_once: { by: 'user-1' } })
    ])
    for (let first = 2; first < 10_002; first += 1_000) {
      await project.ingest(Array.from({ length: 1_000 }, (_, n) => bob(first + n)))
    }
    const { body } = await project.call('GET', 'persons')
    const path = `persons/${body.results[0].id}/mentions`
    const eventsOf = (found: { stores: Store[] }) =>
      found.stores.find(({ store }) => store === 'events')

    const first = await measure(project, path)
    const second = await measure(project, `${path}?cursor=${first.body.cursor}`)

    expect(eventsOf(first.body)).toMatchObject({ examined: 10_000, complete: false, found: 0 })
    expect(first.rows).toBeLessThan(10_000 * 9)
    expect(first.body.searched_until).toBe(new Date(at + 2).toISOString())
    expect(eventsOf(second.body)).toMatchObject({ examined: 3, complete: true, found: 2 })
    expect(second.body.cursor).toBeNull()
    const [byTheOther] = eventsOf(second.body)?.mentions ?? []
    const removal = await project.send('POST', 'events/delete', byTheOther?.removal?.body)
    expect(removal.body.events).toBe(1)
  })

  it('examines the newest events of any number of names, and continues before them', async () => {
    const project = await newProject()
    const at = Date.UTC(2026, 10, 1)
    const bob = (timestamp: number) => ({
      event: 'invited',
      distinct_id: 'bob',
      timestamp,
      properties: { $process_person_profile: false, by: 'user-1' }
    })
    await project.ingest([bob(at - 1)])
    await seedNames(project.id, 10_001, sql`${at} + n`)
    await project.ingest([
      { event: 'seen', distinct_id: 'user-1', timestamp: at - 2, properties: { $set: { a: 1 } } },
      bob(at + 20_000)
    ])
    const { body } = await project.call('GET', 'persons')
    const path = `persons/${body.results[0].id}/mentions`
    const eventsOf = (found: { stores: Store[] }) =>
      found.stores.find(({ store }) => store === 'events')

    const first = await measure(project, path)
    const second = await measure(project, `${path}?cursor=${first.body.cursor}`)

    expect(eventsOf(first.body)).toMatchObject({ examined: 10_000, complete: false, found: 1 })
    // About twenty rows for each name: most of them, for its only event.
    expect(first.rows).toBeLessThan(10_000 * 22)
    expect(first.trips).toBeLessThan(150)
    expect(first.body.searched_until).toBe(new Date(at + 2).toISOString())
    expect(eventsOf(second.body)).toMatchObject({ examined: 4, complete: true, found: 1 })
    expect(second.body.cursor).toBeNull()
    for (const { body: found } of [first, second]) {
      const [mention] = eventsOf(found)?.mentions ?? []
      const removal = await project.send('POST', 'events/delete', mention?.removal?.body)
      expect([removal.status, removal.body.events]).toEqual([200, 1])
    }
  })
})

describe('a search that is continued', () => {
  it('examines each of very many events at the same time once', async () => {
    const project = await newProject()
    const at = Date.UTC(2026, 10, 1)
    const bob = (n: number) => ({
      event: `event ${n % 3}`,
      distinct_id: 'bob',
      timestamp: at,
      properties: { $process_person_profile: false, by: n % 1_000 === 0 ? 'user-1' : 'nobody' }
    })
    await project.ingest([
      { event: 'seen', distinct_id: 'user-1', timestamp: at - 1, properties: { $set: { a: 1 } } }
    ])
    for (let first = 0; first < 11_000; first += 1_000) {
      await project.ingest(Array.from({ length: 1_000 }, (_, n) => bob(first + n)))
    }
    const { body } = await project.call('GET', 'persons')

    const first = await look(project, body.results[0].id)
    const second = await look(project, body.results[0].id, `?cursor=${first.body.cursor}`)

    expect(first.stores.events?.complete).toBe(false)
    expect(second.stores.events?.complete).toBe(true)
    const counts = [first, second].map(({ stores }) => stores.events)
    expect(counts.map((store) => store?.examined)).toEqual([10_000, 1_001])
    const found = counts.reduce((sum, store) => sum + (store?.mentions[0]?.events ?? 0), 0)
    expect(found).toBe(11)
  })

  it('misses no event of very many names', async () => {
    const project = await newProject()
    const at = Date.UTC(2026, 10, 1)
    const bob = (event: string, timestamp: number, by: string) => ({
      event,
      distinct_id: 'bob',
      timestamp,
      properties: { $process_person_profile: false, by }
    })
    await project.ingest([bob('rare', at - 2, 'user-1')])
    await seedNames(project.id, 9_999, sql`${at} + n`)
    // The first search ends with the newer event of `twice`, whose other event is older than all of
    // these.
    await project.ingest([
      { event: 'seen', distinct_id: 'user-1', timestamp: at - 4, properties: { $set: { a: 1 } } },
      bob('twice', at - 3, 'nobody'),
      bob('twice', at + 10_001, 'nobody'),
      ...Array.from({ length: 9_999 }, (_, n) => bob('often', at + 20_000 + n, 'nobody'))
    ])
    const { body } = await project.call('GET', 'persons')

    const first = await look(project, body.results[0].id)
    const second = await look(project, body.results[0].id, `?cursor=${first.body.cursor}`)

    expect(first.body.searched_until).toBe(new Date(at + 10_001).toISOString())
    expect(second.stores.events).toMatchObject({ examined: 10_000, complete: false, found: 1 })
  })

  it('refuses a damaged cursor', async () => {
    const { project, ada } = await newVillage()

    const { status, body } = await project.call('GET', `persons/${ada.id}/mentions?cursor=e30`)

    expect([status, body.attr]).toEqual([400, 'cursor'])
  })
})

describe('events of very many names', () => {
  it('lose a property by requests that each name few enough', async () => {
    const project = await newProject()
    const at = Date.UTC(2026, 10, 1)
    await project.ingest([
      { event: 'seen', distinct_id: 'user-1', timestamp: at, properties: { $set: { a: 1 } } }
    ])
    await seedNames(project.id, 10_001, sql`${at} - 100000 + n`)
    await project.ingest(
      Array.from({ length: 250 }, (_, n) => ({
        event: `event ${n}`,
        distinct_id: 'bob',
        timestamp: at + 1 + n,
        properties: { $process_person_profile: false, by: 'user-1' }
      }))
    )
    const { body } = await project.call('GET', 'persons')

    const { stores } = await look(project, body.results[0].id)

    const mentions = stores.events?.mentions ?? []
    expect(mentions.map(({ id, events }) => [id, events])).toEqual([
      ['by', 100],
      ['by', 100],
      ['by', 50]
    ])
    for (const { events, removal } of mentions) {
      const answer = await project.send('POST', 'events/delete', removal?.body)
      expect([answer.status, answer.body.events]).toEqual([200, events])
    }
  })
})

describe('an erasure', () => {
  it('shows in its dry run what else names the person', async () => {
    const { project, ada } = await newVillage()
    const { body: listed } = await project.call('GET', `persons/${ada.id}/mentions`)

    const { body } = await project.send('DELETE', `persons/${ada.id}?dry_run=true`)

    expect(body.mentions).toEqual(listed)
  })

  it('counts it in the receipt if it was asked to, and the receipt names nobody', async () => {
    const { project, ada } = await newVillage()
    const { call, drain } = holdErasures()

    const erased = await call(project, 'DELETE', `persons/${ada.id}?search_mentions=true`)
    await drain()

    expect(erased.status).toBe(204)
    const { body } = await call(project, 'GET', 'persons/deletion_status')
    const { receipt } = body.results[0]
    const found = receipt.mentions.map((one: Store) => [one.store, one.found, one.complete])
    expect(found).toEqual([
      ['subscriptions', 3, true],
      ['alerts', 1, true],
      ['subscription_deliveries', 0, true],
      ['insights', 1, true],
      ['dashboards', 1, true],
      ['annotations', 1, true],
      ['cohorts', 1, true],
      ['persons', 3, true],
      ['events', 3, true]
    ])
    expect(JSON.stringify(receipt)).not.toMatch(/ada@|user-1|anon-1/i)
    const verified = await call(project, 'POST', 'persons/deletion_receipts/verify', receipt)
    expect(verified.body.valid).toBe(true)
    const path = `/api/environments/${project.id}/receipts/${receipt.id}/?format=html`
    const page = await request('GET', path, { Authorization: `Bearer ${project.key}` })
    expect(page.text).toContain('<tr><th scope="row">Subscriptions</th><td>4</td><td>3</td></tr>')
  })

  it('says nothing about it in the receipt unless it was asked to', async () => {
    const { project, ada } = await newVillage()
    const { call, drain } = holdErasures()
    await call(project, 'DELETE', `persons/${ada.id}`)
    await drain()

    const { body } = await call(project, 'GET', 'persons/deletion_status')
    expect(body.results[0].receipt).not.toHaveProperty('mentions')
    expect(body.results[0].receipt.kept.join()).toContain('Other data that names the person')
  })
})
