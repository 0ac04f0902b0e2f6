import createClient from 'openapi-fetch'
import { afterAll, expect, it } from 'vitest'
// `npm run typecheck` writes this file, from docs/openapi.json.
import type { paths } from '../../../dist/client.ts'
import { createInvitation } from '../../../src/access/invitations/store.ts'
import { pageUrl, pictureUrl } from '../../../src/subscriptions/picture/ticket.ts'
import { findSubscription } from '../../../src/subscriptions/store.ts'
import { unsubscribeUrl } from '../../../src/subscriptions/unsubscribe/ticket.ts'
import { newReceipt } from '../../support/erasures.ts'
import {
  BASE,
  db,
  newProject,
  operationIds,
  operationOf,
  request,
  type TestProject
} from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'

afterAll(untilQuiet)

/**
 * Creates a project with the person Ada and a recording, the client that an integrator would
 * generate for it, and a list of the operations that the client has called.
 */
async function newClient() {
  const project = await newProject()
  await project.ingest([
    { event: '$identify', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } }
  ])
  await holdRecordings().record(snapshotEvent(project))
  const reached: (string | undefined)[] = []
  const client = createClient<paths, 'application/json'>({
    baseUrl: BASE,
    headers: { Authorization: `Bearer ${project.key}` },
    async fetch(sent) {
      const { pathname, search } = new URL(sent.url)
      reached.push(operationOf(sent.method, pathname))
      const body = sent.body === null ? undefined : await sent.text()
      const { status, headers, text } = await request(
        sent.method,
        pathname + search,
        Object.fromEntries(sent.headers),
        body
      )
      return new Response(text, { status, headers })
    }
  })
  return { client, project, reached }
}

type Client = Awaited<ReturnType<typeof newClient>>['client']

async function adaOf(client: Client): Promise<number> {
  const { data } = await client.GET('/api/environments/{project_id}/persons/', {
    params: { path: { project_id } }
  })
  return data?.results[0]?.id ?? 0
}

const event = { event: 'bought', distinct_id: 'ada', properties: { price: 5 } }
const project_id = '@current'
const session = { path: { project_id, id: 'session' } }
const sharing = { path: { project_id, recording_id: 'session' } }

async function share(client: Client): Promise<string> {
  const { data } = await client.PATCH(
    '/api/environments/{project_id}/session_recordings/{recording_id}/sharing/',
    {
      params: sharing,
      body: { enabled: true }
    }
  )
  return data?.access_token ?? ''
}

async function newInsight(client: Client): Promise<number> {
  const { data } = await client.POST('/api/environments/{project_id}/insights/', {
    params: { path: { project_id } },
    body: { filters: { events: [{ id: '$identify' }] } }
  })
  return data?.id ?? 0
}

async function newDashboard(client: Client): Promise<number> {
  const { data } = await client.POST('/api/environments/{project_id}/dashboards/', {
    params: { path: { project_id } },
    body: { name: 'Weekly' }
  })
  return data?.id ?? 0
}

async function newAnnotation(client: Client): Promise<number> {
  const { data } = await client.POST('/api/environments/{project_id}/annotations/', {
    params: { path: { project_id } },
    body: { content: 'v2.1 released', date_marker: '2026-03-02T09:00:00Z', scope: 'project' }
  })
  return data?.id ?? 0
}

/** The UUID of no person. */
const NOBODY = '01a1f000-0000-7000-8000-000000000009'

async function newCohort(client: Client): Promise<number> {
  const { data } = await client.POST('/api/environments/{project_id}/cohorts/', {
    params: { path: { project_id } },
    body: { name: 'Picked', is_static: true }
  })
  return data?.id ?? 0
}

/** Creates an alert on a new insight. Returns its id. */
async function newAlert(client: Client): Promise<string> {
  const { data } = await client.POST('/api/environments/{project_id}/alerts/', {
    params: { path: { project_id } },
    body: {
      insight: await newSignups(client),
      name: 'Too few',
      target_value: 'ada@example.com',
      ...TOO_FEW
    }
  })
  return data?.id ?? ''
}

const TOO_FEW = {
  condition: { type: 'absolute_value' },
  threshold: { configuration: { type: 'absolute', bounds: { lower: 20 } } }
} as const

async function newSignups(client: Client): Promise<number> {
  const { data } = await client.POST('/api/environments/{project_id}/insights/', {
    params: { path: { project_id } },
    body: { name: 'Sign-ups', filters: { events: [{ id: 'signed up' }] } }
  })
  return data?.id ?? 0
}

async function newSubscription(client: Client): Promise<number> {
  const { data } = await client.POST('/api/environments/{project_id}/subscriptions/', {
    params: { path: { project_id }, header: { 'Idempotency-Key': 'once' } },
    body: {
      target_type: 'email',
      target_value: 'ada@example.com',
      frequency: 'daily',
      start_date: '2026-11-20T09:00:00Z'
    }
  })
  return data?.id ?? 0
}

/** Creates a subscription. Returns its ticket, the end of the link to unsubscribe. */
async function newTicket(client: Client, project: TestProject): Promise<string> {
  const row = await findSubscription({ db, project }, await newSubscription(client))
  return row ? (await unsubscribeUrl(row, 'ada@example.com')).replace(/.*\//, '') : ''
}

/** Asks a question asynchronously. Returns its id. */
async function askAsynchronously(client: Client): Promise<string> {
  const { data } = await client.POST('/api/environments/{project_id}/query/', {
    params: { path: { project_id } },
    body: { query: { kind: 'ActorsQuery' }, refresh: 'async' }
  })
  return data?.query_status?.id ?? ''
}

/** Returns the media type of an image that was parsed as a blob. */
const typeOf = (data: unknown) => (data instanceof Blob ? data.type : undefined)

/** A function for each operation that calls it and checks the result. */
const CALLS: Record<string, (client: Client, project: TestProject) => Promise<unknown>> = {
  async persons_list(client) {
    const properties = [JSON.stringify([{ key: 'plan', value: ['pro', 'team'] }])]
    const params = { path: { project_id }, query: { limit: 1, properties } }
    const { data } = await client.GET('/api/environments/{project_id}/persons/', { params })
    expect(data?.results.map(({ name, distinct_ids }) => [name, distinct_ids])).toEqual([
      ['ada', ['ada']]
    ])
  },
  async persons_retrieve(client) {
    const list = await client.GET('/api/environments/{project_id}/persons/', {
      params: { path: { project_id } }
    })
    const id = list.data?.results[0]?.id ?? 0
    const { data } = await client.GET('/api/environments/{project_id}/persons/{id}/', {
      params: { path: { project_id, id } }
    })
    expect(data?.name).toBe('ada')
    expect(data).toEqual(list.data?.results[0])
  },
  async insights_trend(client) {
    const { data } = await client.POST('/api/environments/{project_id}/insights/trend/', {
      params: { path: { project_id }, query: { format: 'json' } },
      body: { events: [{ id: '$identify', math: 'dau' }], date_from: '-1d' }
    })
    expect(data?.result.map(({ label, data }) => [label, data.at(-1)])).toEqual([['$identify', 1]])
  },
  async query_create(client) {
    const { data } = await client.POST('/api/environments/{project_id}/query/', {
      params: { path: { project_id } },
      body: {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: '$identify', math: 'dau' }]
        }
      }
    })
    expect(data?.results).toMatchObject([{ label: '$identify', count: 1 }])
  },
  async query_kind_create(client) {
    const { data } = await client.POST('/api/environments/{project_id}/query/{id}/', {
      params: { path: { project_id, id: 'HogQLQuery' } },
      body: { query: { kind: 'HogQLQuery', query: 'SELECT 1' } }
    })
    expect(data?.results).toEqual([[1]])
  },
  async query_retrieve(client) {
    const { data } = await client.GET('/api/environments/{project_id}/query/{id}/', {
      params: { path: { project_id, id: await askAsynchronously(client) } }
    })
    expect(data?.query_status.complete).toBe(true)
  },
  async query_destroy(client) {
    const { response } = await client.DELETE('/api/environments/{project_id}/query/{id}/', {
      params: { path: { project_id, id: await askAsynchronously(client) } }
    })
    expect(response.status).toBe(204)
  },
  async insights_trend_by_url(client) {
    const query = { events: JSON.stringify([{ id: '$identify', math: 'dau' }]), date_from: '-1d' }
    const { data } = await client.GET('/api/environments/{project_id}/insights/trend/', {
      params: { path: { project_id }, query }
    })
    expect(data?.result.map(({ label, data }) => [label, data.at(-1)])).toEqual([['$identify', 1]])
  },
  async insights_funnel(client) {
    const { data } = await client.POST('/api/environments/{project_id}/insights/funnel/', {
      params: { path: { project_id } },
      body: { events: [{ id: '$identify' }, { id: 'never' }], date_from: '-1d' }
    })
    expect(data?.result).toMatchObject([{ count: 1 }, { count: 0 }])
  },
  async insights_funnel_by_url(client) {
    const query = { events: JSON.stringify([{ id: '$identify' }, { id: 'never' }]) }
    const { data } = await client.GET('/api/environments/{project_id}/insights/funnel/', {
      params: { path: { project_id }, query }
    })
    expect(data?.result).toMatchObject([{ count: 1 }, { count: 0 }])
  },
  async insights_retention(client) {
    const { data } = await client.POST('/api/environments/{project_id}/insights/retention/', {
      params: { path: { project_id } },
      body: { target_entity: { id: '$identify' }, total_intervals: 1 }
    })
    expect(data?.result).toMatchObject([{ values: [{ count: 1 }] }])
  },
  async insights_retention_by_url(client) {
    const query = { target_entity: JSON.stringify({ id: '$identify' }), total_intervals: '1' }
    const { data } = await client.GET('/api/environments/{project_id}/insights/retention/', {
      params: { path: { project_id }, query }
    })
    expect(data?.result).toMatchObject([{ values: [{ count: 1 }] }])
  },
  async insights_trend_actors(client) {
    const { data } = await client.POST('/api/environments/{project_id}/insights/trend/actors/', {
      params: { path: { project_id }, query: { bucket: '1' } },
      body: { events: [{ id: '$identify', math: 'dau' }], date_from: '-1d' }
    })
    expect(data?.results.map(({ name, count }) => [name, count])).toEqual([['ada', 1]])
  },
  async actions_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/actions/', {
      params: { path: { project_id } }
    })
    expect(data?.results).toEqual([])
  },
  async alerts_create(client) {
    const { data } = await client.POST('/api/environments/{project_id}/alerts/', {
      params: { path: { project_id } },
      body: {
        insight: await newSignups(client),
        target_value: 'ada@example.com',
        calculation_interval: 'hourly',
        ...TOO_FEW
      }
    })
    expect([data?.state, data?.calculation_interval]).toEqual(['Not firing', 'hourly'])
  },
  async alerts_preview(client) {
    const { data } = await client.POST('/api/environments/{project_id}/alerts/preview/', {
      params: { path: { project_id } },
      body: { insight: await newSignups(client), ...TOO_FEW }
    })
    expect([data?.checks, data?.fired.length]).toEqual([30, 1])
  },
  async alerts_list(client) {
    const id = await newAlert(client)
    const { data } = await client.GET('/api/environments/{project_id}/alerts/', {
      params: { path: { project_id } }
    })
    expect(data?.results.map((alert) => alert.id)).toEqual([id])
  },
  async alerts_retrieve(client) {
    const id = await newAlert(client)
    const { data } = await client.GET('/api/environments/{project_id}/alerts/{id}/', {
      params: { path: { project_id, id }, query: { checks_limit: 3 } }
    })
    expect([data?.name, data?.checks]).toEqual(['Too few', []])
  },
  async alerts_partial_update(client) {
    const id = await newAlert(client)
    const { data } = await client.PATCH('/api/environments/{project_id}/alerts/{id}/', {
      params: { path: { project_id, id } },
      body: { snoozed_until: '2h' }
    })
    expect(data?.state).toBe('Snoozed')
  },
  async alerts_destroy(client) {
    const id = await newAlert(client)
    const { response } = await client.DELETE('/api/environments/{project_id}/alerts/{id}/', {
      params: { path: { project_id, id } }
    })
    expect(response.status).toBe(204)
  },
  async annotations_create(client) {
    const { data } = await client.POST('/api/environments/{project_id}/annotations/', {
      params: { path: { project_id } },
      body: { content: 'Price list', date_marker: '2026-03-03T09:00:00Z', scope: 'project' }
    })
    expect(data?.content).toBe('Price list')
  },
  async annotations_list(client) {
    const annotation = await newAnnotation(client)
    const { data } = await client.GET('/api/environments/{project_id}/annotations/', {
      params: { path: { project_id }, query: { search: 'RELEASED', scope: 'project' } }
    })
    expect(data?.results.map(({ id }) => id)).toEqual([annotation])
  },
  async annotations_retrieve(client) {
    const { data } = await client.GET('/api/environments/{project_id}/annotations/{id}/', {
      params: { path: { project_id, id: await newAnnotation(client) } }
    })
    expect(data?.scope).toBe('project')
  },
  async annotations_partial_update(client) {
    const { data } = await client.PATCH('/api/environments/{project_id}/annotations/{id}/', {
      params: { path: { project_id, id: await newAnnotation(client) } },
      body: { deleted: true }
    })
    expect(data?.deleted).toBe(true)
  },
  async cohorts_list(client) {
    const cohort = await newCohort(client)
    const { data } = await client.GET('/api/environments/{project_id}/cohorts/', {
      params: { path: { project_id }, query: { type: 'static' } }
    })
    expect(data?.results.map(({ id }) => id)).toEqual([cohort])
  },
  async cohorts_create(client) {
    const { data } = await client.POST('/api/environments/{project_id}/cohorts/', {
      params: { path: { project_id } },
      body: { name: 'Picked', is_static: true, _create_static_person_ids: [NOBODY] }
    })
    expect(data?.upload?.unmatched_examples).toEqual([NOBODY])
  },
  async cohorts_retrieve(client) {
    const { data } = await client.GET('/api/environments/{project_id}/cohorts/{id}/', {
      params: { path: { project_id, id: await newCohort(client) } }
    })
    expect(data?.count).toBe(0)
  },
  async cohorts_partial_update(client) {
    const { data } = await client.PATCH('/api/environments/{project_id}/cohorts/{id}/', {
      params: { path: { project_id, id: await newCohort(client) } },
      body: { name: 'Chosen' }
    })
    expect(data?.name).toBe('Chosen')
  },
  async cohorts_destroy(client) {
    const { response } = await client.DELETE('/api/environments/{project_id}/cohorts/{id}/', {
      params: { path: { project_id, id: await newCohort(client) } }
    })
    expect(response.status).toBe(204)
  },
  async cohorts_add_persons(client) {
    const { data } = await client.PATCH(
      '/api/environments/{project_id}/cohorts/{id}/add_persons_to_static_cohort/',
      {
        params: { path: { project_id, id: await newCohort(client) } },
        body: { person_ids: [NOBODY] }
      }
    )
    expect(data?.unmatched).toBe(1)
  },
  async cohorts_remove_person(client) {
    const { data } = await client.PATCH(
      '/api/environments/{project_id}/cohorts/{id}/remove_person_from_static_cohort/',
      {
        params: { path: { project_id, id: await newCohort(client) } },
        body: { person_id: NOBODY }
      }
    )
    expect(data?.success).toBe(true)
  },
  async cohorts_persons_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/cohorts/{id}/persons/', {
      params: { path: { project_id, id: await newCohort(client) } }
    })
    expect(data).toMatchObject({ count: 0, results: [] })
  },
  async feature_flags_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/feature_flags/', {
      params: { path: { project_id } }
    })
    expect(data?.results).toEqual([])
  },
  async events_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/events/', {
      params: { path: { project_id }, query: { event: '$identify', limit: 1 } }
    })
    expect(data?.results.map(({ distinct_id }) => distinct_id)).toEqual(['ada'])
  },
  async event_definitions_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/event_definitions/', {
      params: { path: { project_id }, query: { search: 'ident' } }
    })
    expect(data?.results.map(({ name, count }) => [name, count])).toEqual([['$identify', 1]])
  },
  async property_definitions_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/property_definitions/', {
      params: { path: { project_id }, query: { type: 'person', search: 'plan' } }
    })
    expect(data?.results.map(({ name, property_type }) => [name, property_type])).toEqual([
      ['plan', 'String']
    ])
  },
  async sessions_property_definitions(client) {
    const { data } = await client.GET(
      '/api/environments/{project_id}/sessions/property_definitions/',
      {
        params: { path: { project_id }, query: { search: 'utm source' } }
      }
    )
    expect(data?.results.map(({ name }) => name)).toEqual(['$entry_utm_source'])
  },
  async sessions_values(client) {
    const { data } = await client.GET('/api/environments/{project_id}/sessions/values/', {
      params: { path: { project_id }, query: { key: '$channel_type' } }
    })
    expect(data).toEqual({ results: [], refreshing: false })
  },
  async persons_activity(client) {
    const path = { project_id, id: await adaOf(client) }
    await client.PATCH('/api/environments/{project_id}/persons/{id}/', {
      params: { path },
      body: { properties: { plan: 'team' } }
    })
    const { data } = await client.GET('/api/environments/{project_id}/persons/{id}/activity/', {
      params: { path }
    })
    expect(data?.results.map(({ activity, user }) => [activity, user.first_name])).toEqual([
      ['updated', 'Ada']
    ])
  },
  async access_log_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/access_log/', {
      params: { path: { project_id }, query: { since: '-1d' } }
    })
    expect(data?.searched_until).toBe(null)
  },
  async persons_activity_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/persons/activity/', {
      params: { path: { project_id }, query: { page: 1 } }
    })
    expect(data).toEqual({ count: 0, next: null, previous: null, results: [] })
  },
  async persons_update(client) {
    const { data } = await client.PATCH('/api/environments/{project_id}/persons/{id}/', {
      params: { path: { project_id, id: await adaOf(client) } },
      body: { properties: { plan: 'team' } }
    })
    expect(data?.properties).toMatchObject({ plan: 'team' })
  },
  async persons_delete_property(client) {
    const { data } = await client.POST(
      '/api/environments/{project_id}/persons/{id}/delete_property/',
      {
        params: { path: { project_id, id: await adaOf(client) } },
        body: { $unset: 'plan' }
      }
    )
    expect(data).toEqual({ success: true })
  },
  async persons_mentions(client) {
    const params = { path: { project_id, id: await adaOf(client) } }
    const { data } = await client.GET('/api/environments/{project_id}/persons/{id}/mentions/', {
      params
    })
    expect(data?.texts).toEqual({ total: 2, searched: 2 })
  },
  async persons_properties_timeline(client) {
    const { data } = await client.GET(
      '/api/environments/{project_id}/persons/{id}/properties_timeline/',
      {
        params: {
          path: { project_id, id: await adaOf(client) },
          query: { breakdown: 'plan', breakdown_type: 'person' }
        }
      }
    )
    expect(data?.points.map(({ properties }) => properties.plan)).toEqual(['pro'])
  },
  async persons_split(client, project) {
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'phone' } }
    ])
    const { data } = await client.POST('/api/environments/{project_id}/persons/{id}/split/', {
      params: { path: { project_id, id: await adaOf(client) } },
      body: { main_distinct_id: 'ada' }
    })
    expect(data?.persons.map(({ name, distinct_ids }) => [name, distinct_ids])).toEqual([
      ['phone', ['phone']]
    ])
  },
  async persons_delete(client) {
    const list = await client.GET('/api/environments/{project_id}/persons/', {
      params: { path: { project_id } }
    })
    const id = list.data?.results[0]?.id ?? 0
    const params = { path: { project_id, id }, query: { delete_events: true } }
    const { response } = await client.DELETE('/api/environments/{project_id}/persons/{id}/', {
      params
    })
    expect(response.status).toBe(204)
  },
  async persons_bulk_delete(client) {
    const { data } = await client.POST('/api/environments/{project_id}/persons/bulk_delete/', {
      params: { path: { project_id } },
      body: { distinct_ids: ['ada', 'eve'], delete_events: true }
    })
    expect(data?.results.map(({ id, result }) => [id, result])).toEqual([
      ['ada', 'deleted'],
      ['eve', 'not_found']
    ])
  },
  async persons_deletion_status(client) {
    await client.POST('/api/environments/{project_id}/persons/bulk_delete/', {
      params: { path: { project_id } },
      body: { distinct_ids: ['ada'], delete_events: true }
    })
    const { data } = await client.GET('/api/environments/{project_id}/persons/deletion_status/', {
      params: { path: { project_id }, query: { status: 'pending' } }
    })
    expect(data?.results.map(({ status, receipt }) => [status, receipt])).toEqual([
      ['queued', null]
    ])
  },
  async persons_complete_deletion(client) {
    await client.POST('/api/environments/{project_id}/persons/bulk_delete/', {
      params: { path: { project_id } },
      body: { distinct_ids: ['ada'] }
    })
    const { data } = await client.POST(
      '/api/environments/{project_id}/persons/complete_deletion/',
      {
        params: { path: { project_id } },
        body: { distinct_ids: ['ada', 'eve'], delete_recordings: true }
      }
    )
    expect(data?.results.map(({ id, result }) => [id, result])).toEqual([
      ['ada', 'completing'],
      ['eve', 'not_found']
    ])
  },
  async persons_suppress(client) {
    const { data } = await client.POST('/api/environments/{project_id}/persons/suppressions/', {
      params: { path: { project_id } },
      body: { distinct_ids: ['ada', 'eve'] }
    })
    expect(data?.results.map(({ id, result }) => [id, result])).toEqual([
      ['ada', 'suppressed'],
      ['eve', 'suppressed']
    ])
  },
  async persons_suppressions_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/persons/suppressions/', {
      params: { path: { project_id }, query: { status: 'in_force' } }
    })
    expect(data?.results).toEqual([])
  },
  async persons_suppressions_lift(client) {
    const suppressed = await client.POST('/api/environments/{project_id}/persons/suppressions/', {
      params: { path: { project_id } },
      body: { distinct_ids: ['eve'] }
    })
    const id = suppressed.data?.results[0]?.suppressions[0] ?? ''
    const { data } = await client.POST(
      '/api/environments/{project_id}/persons/suppressions/{id}/lift/',
      { params: { path: { project_id, id } } }
    )
    expect(data?.lifted_at).toEqual(expect.any(String))
  },
  async persons_suppressions_receipt(client) {
    const suppressed = await client.POST('/api/environments/{project_id}/persons/suppressions/', {
      params: { path: { project_id } },
      body: { distinct_ids: ['eve'] }
    })
    const id = suppressed.data?.results[0]?.suppressions[0] ?? ''
    const { data } = await client.GET(
      '/api/environments/{project_id}/persons/suppressions/{id}/receipt/',
      { params: { path: { project_id, id } } }
    )
    expect(data?.id).toBe(id)
  },
  async events_delete(client) {
    const path = { params: { path: { project_id } } }
    const wanted = { events: ['$identify'] }
    const tried = await client.POST('/api/environments/{project_id}/events/delete/', {
      ...path,
      body: { ...wanted, dry_run: true }
    })
    const token = tried.data && 'token' in tried.data ? tried.data.token : null
    const { data } = await client.POST('/api/environments/{project_id}/events/delete/', {
      ...path,
      body: { ...wanted, token: token ?? '' }
    })
    expect(data && 'status' in data && data.status).toBe('queued')
  },
  async events_deletions_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/events/deletions/', {
      params: { path: { project_id } }
    })
    expect(data?.results).toEqual([])
  },
  async events_deletions_retrieve(client) {
    const { error } = await client.GET('/api/environments/{project_id}/events/deletions/{id}/', {
      params: { path: { project_id, id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071' } }
    })
    expect(error?.code).toBe('not_found')
  },
  async persons_verify_deletion_receipt(client) {
    const { data } = await client.POST(
      '/api/environments/{project_id}/persons/deletion_receipts/verify/',
      {
        params: { path: { project_id } },
        body: {
          id: 1,
          project_id: 1,
          person_uuid: '01a1f000-0000-7000-8000-00000000000a',
          requested_at: '2026-11-20T10:00:00Z',
          requested_by: {},
          delete_events: true,
          run: null,
          stores: [],
          late_events_dropped: 0,
          verified_at: '2026-11-22T05:00:00Z',
          kept: [],
          backups_until: '2026-12-22T05:00:00Z',
          key: 'unknown',
          signature: 'made up'
        }
      }
    )
    expect(data?.valid).toBe(false)
  },
  async persons_retrieve_deletion_receipt(client, project) {
    const { id, signature } = await newReceipt(project)
    const params = { path: { project_id, id } }
    const { data } = await client.GET('/api/environments/{project_id}/receipts/{id}/', { params })
    expect(data?.signature).toBe(signature)
  },
  async receipt_keys(client, project) {
    const { key } = await newReceipt(project)
    const { data } = await client.GET('/.well-known/receipt-keys.json')
    expect(data?.keys.map(({ kid }) => kid)).toEqual([key])
  },
  async insights_create(client) {
    const { data } = await client.POST('/api/environments/{project_id}/insights/', {
      params: { path: { project_id } },
      body: { name: 'Views', filters: { events: [{ id: '$pageview' }] } }
    })
    expect([data?.name, data?.created_by.first_name]).toEqual(['Views', 'Ada'])
  },
  async insights_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/insights/', {
      params: { path: { project_id } }
    })
    expect(data?.results).toEqual([])
  },
  async insights_retrieve(client) {
    const id = await newInsight(client)
    const { data } = await client.GET('/api/environments/{project_id}/insights/{id}/', {
      params: { path: { project_id, id }, query: { refresh: 'true' } }
    })
    expect(data?.result).toMatchObject([{ label: '$identify' }])
  },
  async insights_sharing_retrieve(client) {
    const id = await newInsight(client)
    const { data } = await client.GET('/api/environments/{project_id}/insights/{id}/sharing/', {
      params: { path: { project_id, id } }
    })
    expect(data).toEqual({ created_at: null, enabled: false, access_token: null, url: null })
  },
  async insights_sharing_update(client) {
    const id = await newInsight(client)
    const { data } = await client.PATCH('/api/environments/{project_id}/insights/{id}/sharing/', {
      params: { path: { project_id, id } },
      body: { enabled: true }
    })
    expect(data?.enabled).toBe(true)
  },
  async insights_sharing_refresh(client) {
    const id = await newInsight(client)
    const { data } = await client.POST(
      '/api/environments/{project_id}/insights/{id}/sharing/refresh/',
      { params: { path: { project_id, id } } }
    )
    expect(data?.enabled).toBe(false)
  },
  async dashboards_sharing_retrieve(client) {
    const id = await newDashboard(client)
    const { data } = await client.GET('/api/environments/{project_id}/dashboards/{id}/sharing/', {
      params: { path: { project_id, id } }
    })
    expect(data).toEqual({ created_at: null, enabled: false, access_token: null, url: null })
  },
  async dashboards_sharing_update(client) {
    const id = await newDashboard(client)
    const { data } = await client.PATCH('/api/environments/{project_id}/dashboards/{id}/sharing/', {
      params: { path: { project_id, id } },
      body: { enabled: true }
    })
    expect(data?.enabled).toBe(true)
  },
  async dashboards_sharing_refresh(client) {
    const id = await newDashboard(client)
    const { data } = await client.POST(
      '/api/environments/{project_id}/dashboards/{id}/sharing/refresh/',
      { params: { path: { project_id, id } } }
    )
    expect(data?.enabled).toBe(false)
  },
  async insights_chart(client) {
    const id = await newInsight(client)
    const { data } = await client.GET('/api/environments/{project_id}/insights/{id}/chart.svg/', {
      params: { path: { project_id, id }, query: { theme: 'dark' } },
      parseAs: 'text'
    })
    expect(data).toMatch(/^<svg /)
  },
  async insights_chart_png(client) {
    const id = await newInsight(client)
    const { data } = await client.GET('/api/environments/{project_id}/insights/{id}/chart.png/', {
      params: { path: { project_id, id }, query: { width: 300 } },
      parseAs: 'blob'
    })
    expect(typeOf(data)).toBe('image/png')
  },
  async insights_partial_update(client) {
    const id = await newInsight(client)
    const { data } = await client.PATCH('/api/environments/{project_id}/insights/{id}/', {
      params: { path: { project_id, id } },
      body: { favorited: true }
    })
    expect(data?.favorited).toBe(true)
  },
  async insights_destroy(client) {
    const id = await newInsight(client)
    const { response } = await client.DELETE('/api/environments/{project_id}/insights/{id}/', {
      params: { path: { project_id, id } }
    })
    expect(response.status).toBe(204)
  },
  async dashboards_create(client) {
    expect(await newDashboard(client)).toBeGreaterThan(0)
  },
  async dashboards_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/dashboards/', {
      params: { path: { project_id } }
    })
    expect(data?.count).toBe(0)
  },
  async dashboards_retrieve(client) {
    const id = await newDashboard(client)
    const { data } = await client.GET('/api/environments/{project_id}/dashboards/{id}/', {
      params: { path: { project_id, id } }
    })
    expect(data?.tiles).toEqual([])
  },
  async dashboards_charts_retrieve(client) {
    const id = await newDashboard(client)
    const { data } = await client.GET('/api/environments/{project_id}/dashboards/{id}/charts/', {
      params: { path: { project_id, id }, query: { date_from: '-7d' } }
    })
    expect([data?.count, data?.results]).toEqual([0, []])
  },
  async dashboards_chart(client) {
    const id = await newDashboard(client)
    const { data } = await client.GET('/api/environments/{project_id}/dashboards/{id}/chart.svg/', {
      params: { path: { project_id, id } },
      parseAs: 'text'
    })
    expect(data).toMatch(/^<svg /)
  },
  async dashboards_chart_png(client) {
    const id = await newDashboard(client)
    const { data } = await client.GET('/api/environments/{project_id}/dashboards/{id}/chart.png/', {
      params: { path: { project_id, id } },
      parseAs: 'blob'
    })
    expect(typeOf(data)).toBe('image/png')
  },
  async dashboards_partial_update(client) {
    const id = await newDashboard(client)
    const { data } = await client.PATCH('/api/environments/{project_id}/dashboards/{id}/', {
      params: { path: { project_id, id } },
      body: { pinned: true }
    })
    expect(data?.pinned).toBe(true)
  },
  async dashboards_destroy(client) {
    const id = await newDashboard(client)
    const { response } = await client.DELETE('/api/environments/{project_id}/dashboards/{id}/', {
      params: { path: { project_id, id } }
    })
    expect(response.status).toBe(204)
  },
  async session_recordings_list(client) {
    const { data } = await client.GET('/api/environments/{project_id}/session_recordings/', {
      params: { path: { project_id } }
    })
    expect(data?.results.map(({ id, person }) => [id, person.distinct_ids])).toEqual([
      ['session', 'ada']
    ])
  },
  async session_recordings_retrieve(client) {
    const { data } = await client.GET('/api/environments/{project_id}/session_recordings/{id}/', {
      params: session
    })
    expect(data?.click_count).toBe(1)
  },
  async session_recordings_similar(client) {
    const { data } = await client.GET(
      '/api/environments/{project_id}/session_recordings/{id}/analyze/similar/',
      {
        params: { ...session, query: { limit: 5 } }
      }
    )
    expect(data).toMatchObject({
      count: 0,
      results: [],
      reason: 'The session has fewer than 3 steps.'
    })
  },
  async session_recordings_snapshots(client) {
    const { data } = await client.GET(
      '/api/environments/{project_id}/session_recordings/{id}/snapshots/',
      {
        params: session
      }
    )
    expect(data?.sources).toHaveLength(1)
  },
  async subscriptions_create(client) {
    expect(await newSubscription(client)).toBe(await newSubscription(client))
  },
  async subscriptions_list(client) {
    const id = await newSubscription(client)
    const { data } = await client.GET('/api/environments/{project_id}/subscriptions/', {
      params: { path: { project_id }, query: { ordering: '-next_delivery_date', deleted: false } }
    })
    expect(data?.results.map((subscription) => subscription.id)).toEqual([id])
  },
  async subscriptions_retrieve(client) {
    const id = await newSubscription(client)
    const { data } = await client.GET('/api/environments/{project_id}/subscriptions/{id}/', {
      params: { path: { project_id, id } }
    })
    expect(data?.summary).toBe('sent every day')
  },
  async subscriptions_partial_update(client) {
    const id = await newSubscription(client)
    const { data } = await client.PATCH('/api/environments/{project_id}/subscriptions/{id}/', {
      params: { path: { project_id, id } },
      body: { enabled: false }
    })
    expect(data?.enabled).toBe(false)
  },
  async subscriptions_destroy(client) {
    const id = await newSubscription(client)
    const { response } = await client.DELETE('/api/environments/{project_id}/subscriptions/{id}/', {
      params: { path: { project_id, id } }
    })
    expect(response.status).toBe(204)
  },
  async subscriptions_test(client) {
    const id = await newSubscription(client)
    const { data } = await client.POST('/api/environments/{project_id}/subscriptions/{id}/test/', {
      params: { path: { project_id, id } }
    })
    expect(data?.kind).toBe('test')
  },
  async subscriptions_deliveries_list(client) {
    const id = await newSubscription(client)
    const { data } = await client.GET(
      '/api/environments/{project_id}/subscriptions/{id}/deliveries/',
      {
        params: { path: { project_id, id } }
      }
    )
    expect(data?.count).toBe(0)
  },
  async subscriptions_draft_preview(client) {
    const { data } = await client.POST('/api/environments/{project_id}/subscriptions/preview/', {
      params: { path: { project_id }, query: { n: 2 } },
      body: {
        insight: await newSignups(client),
        target_type: 'email',
        frequency: 'daily',
        start_date: '2026-11-20T09:00:00Z'
      }
    })
    expect([data?.results.length, data?.email?.subject]).toEqual([2, 'Sign-ups'])
  },
  async subscriptions_preview(client) {
    const id = await newSubscription(client)
    const { data } = await client.GET(
      '/api/environments/{project_id}/subscriptions/{id}/preview/',
      {
        params: { path: { project_id, id }, query: { n: 3 } }
      }
    )
    expect(data?.results).toHaveLength(3)
  },
  async unsubscribe_page(client, project) {
    const ticket = await newTicket(client, project)
    const { data } = await client.GET('/unsubscribe/{ticket}', {
      params: { path: { ticket } },
      parseAs: 'text'
    })
    expect(data).toContain('<form method="post">')
  },
  async unsubscribe(client, project) {
    const ticket = await newTicket(client, project)
    const { data } = await client.POST('/unsubscribe/{ticket}', {
      params: { path: { ticket } },
      parseAs: 'text'
    })
    expect(data).toContain('no more e-mails')
  },
  async subscription_page(client, project) {
    const row = await findSubscription({ db, project }, await newSubscription(client))
    const address = row ? await pageUrl(row, Date.now()) : ''
    const { data } = await client.GET('/reports/{ticket}', {
      params: { path: { ticket: address.replace(/.*\//, '') } },
      parseAs: 'text'
    })
    expect(data).toContain('</html>')
  },
  async subscription_chart(client, project) {
    const row = await findSubscription({ db, project }, await newSubscription(client))
    const at = Date.now()
    const subject = { insightId: await newInsight(client), at, until: at }
    const address = row ? await pictureUrl(row, subject) : ''
    const { data } = await client.GET('/charts/{ticket}', {
      params: { path: { ticket: address.replace(/.*\//, '') } },
      parseAs: 'blob'
    })
    expect(typeOf(data)).toBe('image/png')
  },
  async session_recordings_update(client) {
    const { data } = await client.PATCH('/api/environments/{project_id}/session_recordings/{id}/', {
      params: session,
      body: { distinct_id: 'bob' }
    })
    expect(data?.person.distinct_ids).toBe('bob')
  },
  async session_recordings_destroy(client) {
    const { response } = await client.DELETE(
      '/api/environments/{project_id}/session_recordings/{id}/',
      {
        params: session
      }
    )
    expect(response.status).toBe(204)
  },
  async session_recordings_ai_filters(client) {
    const { data } = await client.POST(
      '/api/environments/{project_id}/session_recordings/ai/filters/',
      {
        params: { path: { project_id } },
        body: { messages: [{ role: 'user', content: 'longer than a minute' }] }
      }
    )
    expect(data?.data.filter_group.values).toEqual([
      {
        type: 'AND',
        values: [{ key: 'duration', type: 'recording', operator: 'gt', value: ['60'] }]
      }
    ])
  },
  async session_recordings_ai_regex(client) {
    const { data } = await client.POST(
      '/api/environments/{project_id}/session_recordings/ai/regex/',
      {
        params: { path: { project_id } },
        body: { regex: 'starts with /docs', examples: ['/docs/a'] }
      }
    )
    expect(data?.data).toEqual({
      output: '^/docs',
      matched: [{ text: '/docs/a', match: '/docs' }],
      rejected: []
    })
  },
  async session_recordings_sharing_retrieve(client) {
    const { data } = await client.GET(
      '/api/environments/{project_id}/session_recordings/{recording_id}/sharing/',
      {
        params: sharing
      }
    )
    expect(data?.enabled).toBe(false)
  },
  async session_recordings_sharing_update(client) {
    expect(await share(client)).toMatch(/^\d+-/)
  },
  async session_recordings_sharing_refresh(client) {
    const { data } = await client.POST(
      '/api/environments/{project_id}/session_recordings/{recording_id}/sharing/refresh/',
      { params: sharing }
    )
    expect(data?.enabled).toBe(false)
  },
  async shared(client) {
    const params = { path: { access_token: await share(client) } }
    const { data } = await client.GET('/shared/{access_token}', { params })
    expect(data && 'sources' in data && [data.click_count, data.sources.length]).toEqual([1, 1])
  },
  async embedded(client) {
    const id = await newInsight(client)
    const { data: sharing } = await client.PATCH(
      '/api/environments/{project_id}/insights/{id}/sharing/',
      { params: { path: { project_id, id } }, body: { enabled: true } }
    )
    const params = { path: { access_token: sharing?.access_token ?? '' } }
    const { data } = await client.GET('/embedded/{access_token}', { params, parseAs: 'text' })
    expect(data).toContain('</html>')
  },
  async shared_snapshots(client) {
    const params = { path: { access_token: await share(client) } }
    const { data } = await client.GET('/shared/{access_token}/snapshots', { params })
    expect(data?.sources).toHaveLength(1)
  },
  async batch(client, { token }) {
    const { data } = await client.POST('/batch', { body: { api_key: token, batch: [event] } })
    expect(data).toEqual({ status: 'Ok' })
  },
  async e(client, { token }) {
    const { data } = await client.POST('/e', { body: { ...event, api_key: token } })
    expect(data).toEqual({ status: 'Ok' })
  },
  async i_v0_e(client, { token }) {
    const { data } = await client.POST('/i/v0/e', { body: [{ ...event, api_key: token }] })
    expect(data).toEqual({ status: 'Ok' })
  },
  async capture(client, { token }) {
    const { data } = await client.POST('/capture', { body: { ...event, api_key: token } })
    expect(data).toEqual({ status: 'Ok' })
  },
  async track(client, { token }) {
    const { data } = await client.POST('/track', { body: { ...event, api_key: token } })
    expect(data).toEqual({ status: 'Ok' })
  },
  async engage(client, { token }) {
    const { data } = await client.POST('/engage', { body: { ...event, api_key: token } })
    expect(data).toEqual({ status: 'Ok' })
  },
  async s(client, { token }) {
    const body = {
      distinct_id: 'ada',
      properties: { $session_id: 'a', $snapshot_data: [] },
      api_key: token
    }
    const { data } = await client.POST('/s', { body })
    expect(data).toEqual({ status: 'Ok' })
  },
  async flags(client, { token }) {
    const { data } = await client.POST('/flags', {
      params: { query: { v: '2' } },
      body: { api_key: token }
    })
    expect(data?.flags).toEqual({})
  },
  async decide(client, { token }) {
    const { data } = await client.POST('/decide', {
      params: { query: { v: '3' } },
      body: { api_key: token }
    })
    expect(data?.featureFlags).toEqual({})
  },
  async array_config(client, { token }) {
    const { data } = await client.GET('/array/{token}/config', { params: { path: { token } } })
    expect(data?.token).toBe(token)
  },
  async array_config_js(client, { token }) {
    const { data } = await client.GET('/array/{token}/config.js', {
      params: { path: { token } },
      parseAs: 'text'
    })
    expect(data).toContain(token)
  },
  async replay_link(client, { id, token }) {
    const path = { token, id: 'session' }
    const { response } = await client.GET('/project/{token}/replay/{id}', { params: { path } })
    expect(response.headers.get('Location')).toContain(`/${id}/session_recordings/session/`)
  },
  async projects_list(client, project) {
    const { data } = await client.GET('/api/environments/')
    expect(data?.results.map(({ id }) => id)).toEqual([project.id])
  },
  async projects_retrieve(client, project) {
    const path = { project_id: '@current' }
    const { data } = await client.GET('/api/environments/{project_id}/', { params: { path } })
    expect(data?.api_token).toBe(project.token)
  },
  async projects_partial_update(client) {
    const { data } = await client.PATCH('/api/environments/{project_id}/', {
      params: { path: { project_id } },
      body: { timezone: 'Europe/Berlin', session_recording_sample_rate: '0.5' }
    })
    expect(data?.timezone).toBe('Europe/Berlin')
  },
  async users_me_retrieve(client, project) {
    const { data } = await client.GET('/api/users/@me/')
    expect(data?.team?.id).toBe(project.id)
  },
  async personal_api_keys_current_retrieve(client, project) {
    const { data } = await client.GET('/api/personal_api_keys/@current/')
    expect(data?.projects[0]?.id).toBe(project.id)
  },
  async personal_api_keys_current_destroy(client, project) {
    const { response } = await client.DELETE('/api/personal_api_keys/@current/', {
      headers: { Authorization: `Bearer ${await project.newKey(['user:read'])}` }
    })
    expect(response.status).toBe(204)
  },
  async personal_api_keys_list(client) {
    const { data } = await client.GET('/api/personal_api_keys/')
    expect(data?.results.map(({ is_current }) => is_current)).toEqual([true])
  },
  async personal_api_keys_create(client, project) {
    const { data } = await client.POST('/api/personal_api_keys/', {
      body: { label: 'Report', scopes: ['insight:read'], scoped_teams: [project.id] }
    })
    expect(data?.value).toMatch(/^phx_/)
  },
  async personal_api_keys_destroy(client, project) {
    const { data } = await client.POST('/api/personal_api_keys/', {
      body: { label: 'Report', scopes: ['insight:read'], scoped_teams: [project.id] }
    })
    const { response } = await client.DELETE('/api/personal_api_keys/{id}/', {
      params: { path: { id: data?.id ?? 0 } }
    })
    expect(response.status).toBe(204)
  },
  async invitations_create(client, project) {
    const { data } = await client.POST('/api/invitations/', {
      body: {
        target_email: `${crypto.randomUUID()}@example.com`,
        role: 'viewer',
        scoped_teams: [project.id],
        send_email: false
      }
    })
    expect(data?.link).toContain('/console/#code=')
  },
  async invitations_list(client) {
    const { data } = await client.GET('/api/invitations/')
    expect(data?.results).toEqual([])
  },
  async invitations_destroy(client, project) {
    const { data } = await client.POST('/api/invitations/', {
      body: {
        target_email: `${crypto.randomUUID()}@example.com`,
        role: 'viewer',
        scoped_teams: [project.id],
        send_email: false
      }
    })
    const { response } = await client.DELETE('/api/invitations/{id}/', {
      params: { path: { id: data?.id ?? 0 } }
    })
    expect(response.status).toBe(204)
  },
  async invitations_redeem(client, project) {
    const invited = { userId: project.user.id, scopes: ['*'], projectIds: [project.id] }
    const { code } = await createInvitation(db, invited, new Date())
    const { data } = await client.POST('/api/invitations/redeem/', {
      body: { code, label: 'Firefox on macOS' }
    })
    expect(data?.value).toMatch(/^phx_/)
  },
  async i_v0_ai_batch(client, { token }) {
    const body = { api_key: token, batch: [event] }
    const { data } = await client.POST('/i/v0/ai/batch', { body })
    expect(data).toEqual({ status: 'Ok' })
  },
  async i_v1_analytics_events(client, { token }) {
    const [uuid, time] = [crypto.randomUUID(), new Date().toISOString()]
    const one = { uuid, event: 'seen', distinct_id: 'ada', timestamp: time }
    const { data } = await client.POST('/i/v1/analytics/events', {
      params: {
        header: {
          'PostHog-Sdk-Info': 'posthog-node/5.70.0',
          'PostHog-Attempt': '1',
          'PostHog-Request-Id': uuid,
          'PostHog-Request-Timestamp': time
        }
      },
      headers: { Authorization: `Bearer ${token}` },
      body: { created_at: time, batch: [one] }
    })
    expect(data?.results[uuid]?.result).toBe('ok')
  },
  async flags_definitions(client, { token }) {
    const { data } = await client.GET('/flags/definitions', { params: { query: { token } } })
    expect(data?.flags).toEqual([])
  },
  async feature_flag_local_evaluation(client, { token }) {
    const params = { query: { token } }
    const { data } = await client.GET('/api/feature_flag/local_evaluation/', { params })
    expect(data?.flags).toEqual([])
  },
  async early_access_features(client, { token }) {
    const params = { query: { token } }
    const { data } = await client.GET('/api/early_access_features/', { params })
    expect(data?.earlyAccessFeatures).toEqual([])
  },
  async web_experiments(client, { token }) {
    const { data } = await client.GET('/api/web_experiments/', { params: { query: { token } } })
    expect(data?.experiments).toEqual([])
  },
  async product_tours(client, { token }) {
    const { data } = await client.GET('/api/product_tours/', { params: { query: { token } } })
    expect(data?.product_tours).toEqual([])
  },
  async surveys(client, { token }) {
    const { data } = await client.GET('/api/surveys/', { params: { query: { token } } })
    expect(data?.surveys).toEqual([])
  },
  async home(client) {
    const { data } = await client.GET('/', { parseAs: 'text' })
    expect(data).toContain('Edge Analytics')
  },
  async livez(client) {
    const { data } = await client.GET('/livez')
    expect(data?.status).toBe('ok')
  },
  async readyz(client) {
    const { data } = await client.GET('/readyz')
    expect(data?.database.answers).toBe(true)
  },
  async openapi(client) {
    const { data } = await client.GET('/openapi.json')
    expect(data?.openapi).toBe('3.1.1')
  },
  async openapi_30(client) {
    const { data } = await client.GET('/openapi-3.0.json')
    expect(data?.openapi).toBe('3.0.4')
  },
  async docs(client) {
    const { data } = await client.GET('/docs', { parseAs: 'text' })
    expect(data).toContain('/openapi.json')
  }
}

it('every operation is called', () => {
  expect(Object.keys(CALLS).sort(), 'Add a call of each new operation to CALLS.').toEqual(
    operationIds.toSorted()
  )
})

it.each(Object.entries(CALLS))('a generated client can call %s', async (id, call) => {
  const { client, project, reached } = await newClient()

  await call(client, project)

  expect(reached.at(-1)).toBe(id)
})

it('a generated client gets errors with the documented type', async () => {
  const { client } = await newClient()
  const params = { path: { project_id }, query: { limit: 0 } }

  const { data, error } = await client.GET('/api/environments/{project_id}/persons/', { params })

  expect(data).toBeUndefined()
  expect([error?.code, error?.attr]).toEqual(['invalid_input', 'limit'])
})
