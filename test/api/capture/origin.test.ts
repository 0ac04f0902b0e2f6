import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { CaptureMessage } from '../../../src/capture/message.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { personsOf, untilPersons } from '../../support/capture.ts'
import { BASE, consume, db, newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { sessionsOf } from '../../support/sessions.ts'
import worker from '../../support/worker.ts'

afterAll(untilQuiet)

const ADDRESS = '198.51.100.7'

/** A part of what Cloudflare knows of a request, with the names of its members there. */
const CF = {
  colo: 'FRA',
  country: 'BR',
  continent: 'SA',
  region: 'São Paulo',
  regionCode: 'SP',
  city: 'Campinas',
  timezone: 'America/Sao_Paulo',
  latitude: '-22.9',
  longitude: '-47.0',
  postalCode: '13000'
}
const BRAZIL = { $geoip_country_code: 'BR', $geoip_country_name: 'Brazil' }
const CAMPINAS = {
  ...BRAZIL,
  $geoip_subdivision_1_code: 'SP',
  $geoip_subdivision_1_name: 'São Paulo',
  $geoip_city_name: 'Campinas',
  $geoip_time_zone: 'America/Sao_Paulo'
}

const EDGE = { 'CF-Ray': '8f0a1b2c3d4e5f60-FRA', 'CF-Connecting-IP': ADDRESS }

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1'
const GOOGLEBOT =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/142.0.0.0 Safari/537.36'

type FromCloudflare = Parameters<typeof worker.fetch>[0]
type Sent = { headers?: Record<string, string>; cf?: object; envelope?: JsonObject }

/** Sends one event in a request as Cloudflare hands it over. Returns the status and what was queued. */
async function sendFrom(
  project: TestProject,
  properties: JsonObject,
  { headers = EDGE, cf = CF, envelope = {} }: Sent = {}
) {
  const queued = vi.spyOn(env.CAPTURE_QUEUE, 'send')
  const event = { event: '$pageview', distinct_id: 'ada', properties }
  const body = JSON.stringify({ api_key: project.token, ...envelope, batch: [event] })
  const ctx = createExecutionContext()
  const request = new Request(`${BASE}/batch/`, { method: 'POST', headers, body, cf })
  const { status } = await worker.fetch(request as FromCloudflare, env, ctx)
  await waitOnExecutionContext(ctx)
  const messages = queued.mock.calls.map(([message]) => message as CaptureMessage)
  queued.mockRestore()
  return { status, messages, properties: messages[0]?.events[0]?.properties }
}

/** Returns the properties that the service adds to an event of posthog-js, or of another SDK. */
async function addedTo(project: TestProject, properties: JsonObject, sent?: Sent) {
  const all = { $lib: 'web', ...properties }
  const { status, properties: stored = {} } = await sendFrom(project, all, sent)
  expect(status).toBe(200)
  expect(stored).toMatchObject(all)
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !Object.hasOwn(all, name)))
}

const placeIn = (properties: JsonObject) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => name.startsWith('$geoip_')))

describe('the place of an event', () => {
  it.each([
    ['by default', {}, BRAZIL],
    ['with `country`', { location: 'country' as const }, BRAZIL],
    ['with `city`', { location: 'city' as const }, CAMPINAS],
    ['with `off`', { location: 'off' as const }, {}]
  ])('is as exact as the project allows: %s', async (_, settings, expected) => {
    const project = await newProject({ settings })

    expect(placeIn(await addedTo(project, {}))).toEqual(expected)
  })

  it.each([
    ['web', BRAZIL],
    ['js', BRAZIL],
    ['posthog-ios', BRAZIL],
    ['posthog-android', BRAZIL],
    ['posthog-react-native', BRAZIL],
    ['posthog-flutter', BRAZIL],
    ['posthog-node', {}],
    ['posthog-python', {}],
    [null, {}]
  ])('is only that of SDKs on the visitor’s device: %s', async ($lib, expected) => {
    expect(placeIn(await addedTo(await newProject(), { $lib }))).toEqual(expected)
  })

  it.each([
    ['that ask for none', { $geoip_disable: true }],
    ['that name one', { $geoip_city_name: 'Oslo' }],
    ['of a server', { $is_server: true }],
    ['that name another address', { $ip: '203.0.113.9' }]
  ])('is left out of events %s', async (_, properties) => {
    expect(placeIn(await addedTo(await newProject(), properties))).toEqual({})
  })

  it('is kept by events that say the place is wanted, or name the address of the request', async () => {
    const properties = { $geoip_disable: false, $ip: ADDRESS }

    expect(placeIn(await addedTo(await newProject(), properties))).toEqual(BRAZIL)
  })

  it.each([
    ['an address before the last', { 'X-Forwarded-For': `203.0.113.9, ${ADDRESS}` }],
    ['another address', { 'X-Forwarded-For': '203.0.113.9' }],
    ['`Via`', { Via: '1.1 abc.cloudfront.net (CloudFront)' }],
    ['`Forwarded`', { Forwarded: 'for=203.0.113.9' }],
    ['`X-Forwarded-Host`', { 'X-Forwarded-Host': 'shop.example.com' }],
    ['another Worker', { 'CF-Worker': 'example.com' }]
  ])('is left out when a proxy shows itself by %s', async (_, headers) => {
    const sent = { headers: { ...EDGE, ...headers } }

    expect(placeIn(await addedTo(await newProject(), {}, sent))).toEqual({})
  })

  it('is that of the visitor when Cloudflare’s is the only address', async () => {
    const headers = { ...EDGE, 'X-Forwarded-For': ADDRESS }

    expect(placeIn(await addedTo(await newProject(), {}, { headers }))).toEqual(BRAZIL)
  })

  it.each([
    ['unknown', { country: 'XX' }],
    ['Tor', { country: 'T1' }],
    ['missing', {}],
    ['not a text', { country: 7 }]
  ])('is left out when the country is %s', async (_, cf) => {
    const project = await newProject({ settings: { location: 'city' } })

    expect(placeIn(await addedTo(project, {}, { cf: { ...cf, city: 'Lima' } }))).toEqual({})
  })

  it('is left out of imported events', async () => {
    const envelope = { historical_migration: true }

    expect(await addedTo(await newProject(), {}, { envelope })).toEqual({})
  })

  it('is the country at most for a visitor without cookies', async () => {
    const project = await newProject({ settings: { location: 'city' } })
    const { properties = {} } = await sendFrom(project, {
      $lib: 'web',
      $cookieless_mode: true,
      $host: 'a.test',
      $raw_user_agent: IPHONE
    })

    expect(placeIn(properties)).toEqual(BRAZIL)
    expect(properties).toMatchObject({ $virt_is_bot: false })
    expect(JSON.stringify(properties)).not.toMatch(/iPhone|Safari|iOS/)
  })

  it('is read from a header of this machine, and from no other', async () => {
    const project = await newProject({ settings: { location: 'city' } })
    const header = { 'X-Local-Place': '{"country":"NO","city":"Troms\\u00f8"}' }
    const placeFrom = async (headers: Record<string, string>) => {
      const sent = { headers: { ...header, ...headers } }
      const { status, properties = {} } = await sendFrom(project, { $lib: 'web' }, sent)
      return { status, place: placeIn(properties) }
    }
    const tromso = {
      $geoip_country_code: 'NO',
      $geoip_country_name: 'Norway',
      $geoip_city_name: 'Tromsø'
    }

    const from = (address: string) => ({ 'CF-Connecting-IP': address })

    expect(await placeFrom({})).toEqual({ status: 200, place: tromso })
    expect(await placeFrom(from('127.0.0.1'))).toMatchObject({ place: tromso })
    expect(await placeFrom(from('::1'))).toMatchObject({ place: tromso })
    expect(await placeFrom(EDGE)).toMatchObject({ place: CAMPINAS })
    expect(await placeFrom(from('192.168.1.20'))).toEqual({ status: 200, place: {} })
    expect(await placeFrom({ 'X-Forwarded-For': '203.0.113.9' })).toMatchObject({ place: {} })
    expect(await placeFrom({ 'X-Local-Place': 'Norway' })).toEqual({ status: 400, place: {} })
  })

  it('reaches the person and the session, but the address is never stored', async () => {
    const project = await newProject({ settings: { location: 'city' } })
    const { messages } = await sendFrom(project, {
      $lib: 'web',
      $session_id: '0193a000-0000-7000-8000-000000000001',
      $current_url: 'https://a.test/'
    })
    await consume(messages)
    await untilPersons(project, 1)
    const { results } = await personsOf(project)
    const [session] = await sessionsOf(project.id)

    expect(results[0].properties).toMatchObject({
      ...CAMPINAS,
      $initial_geoip_country_code: 'BR',
      $initial_geoip_city_name: 'Campinas'
    })
    expect(session?.entry).toMatchObject({
      $entry_geoip_country_code: 'BR',
      $entry_geoip_city_name: 'Campinas'
    })
    expect(JSON.stringify(messages)).not.toContain(ADDRESS)
    const stored = await db.all(sql`select * from events where project_id = ${project.id}`)
    expect(stored.length).toBe(1)
    expect(JSON.stringify([stored, results, session])).not.toContain(ADDRESS)
  })
})

describe('the device of an event', () => {
  const SAFARI = {
    $browser: 'Mobile Safari',
    $browser_version: 18.6,
    $os: 'iOS',
    $os_version: '18.6.0',
    $device_type: 'Mobile'
  }

  it('comes from the user agent in the event, whichever SDK sends it', async () => {
    const project = await newProject()
    const properties = { $lib: 'posthog-node', $raw_user_agent: IPHONE }

    expect(await addedTo(project, properties)).toEqual({ ...SAFARI, $virt_is_bot: false })
  })

  it('comes from the request of a browser, not from that of an app or a server', async () => {
    const project = await newProject({ settings: { location: 'off' } })
    const headers = { 'User-Agent': IPHONE }

    expect(await addedTo(project, {}, { headers })).toEqual({ ...SAFARI, $virt_is_bot: false })
    expect(await addedTo(project, { $lib: 'posthog-ios' }, { headers })).toEqual({})
    expect(await addedTo(project, { $lib: 'posthog-node' }, { headers })).toEqual({})
  })

  it.each([
    ['browser', { $browser: 'Firefox' }],
    ['system', { $os: null }],
    ['device', { $device_type: 'Desktop' }]
  ])('is left to an SDK that names the %s', async (_, properties) => {
    const project = await newProject({ settings: { location: 'off' } })
    const headers = { 'User-Agent': IPHONE }

    expect(await addedTo(project, properties, { headers })).toEqual({ $virt_is_bot: false })
  })

  it('is unknown for other programs, and for texts that are too long to read', async () => {
    const project = await newProject({ settings: { location: 'off' } })
    const added = (agent: string) => addedTo(project, {}, { headers: { 'User-Agent': agent } })

    expect(await added('curl/8.5.0')).toEqual({ $virt_is_bot: false })
    expect(await added('iPhone'.repeat(1000))).toEqual({})
  })
})

describe('a bot', () => {
  it.each([
    ['its user agent', { $raw_user_agent: GOOGLEBOT }],
    ['posthog-js', { $raw_user_agent: IPHONE, $browser_type: 'bot' }]
  ])('is marked by %s', async (_, properties) => {
    expect(await addedTo(await newProject(), properties)).toMatchObject({ $virt_is_bot: true })
  })

  it('is left out by a filter of the project', async () => {
    const project = await newProject()
    const agents = [GOOGLEBOT, IPHONE, IPHONE]
    for (const $raw_user_agent of agents) {
      const { messages } = await sendFrom(project, { $lib: 'web', $raw_user_agent })
      await consume(messages)
    }
    const filter = { key: '$virt_is_bot', type: 'event', operator: 'is_not', value: ['true'] }
    await db.run(
      sql`update projects set test_account_filters = ${JSON.stringify([filter])} where id = ${project.id}`
    )
    const count = async (filter_test_accounts: boolean) => {
      const { body } = await project.send('POST', 'insights/trend/', {
        events: [{ id: '$pageview' }],
        date_from: '-1d',
        filter_test_accounts
      })
      return body.result[0].count
    }

    expect(await count(false)).toBe(3)
    expect(await count(true)).toBe(2)
  })
})
