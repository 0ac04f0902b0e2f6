import { env } from 'cloudflare:workers'
import { afterAll, afterEach, beforeEach, expect, inject, it, vi } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import { failingBucket, failingDatabase, failingQueue } from '../../support/bindings.ts'
import {
  captureSignups,
  type Desk,
  EmailError,
  newDesk,
  setClock
} from '../../support/deliveries.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, deliverBatch, newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'

const { host, url } = inject('receiver')
const OPEN = { OUTBOUND_ALLOW: host }
const ADDRESS = 'grace.hopper@navy.example'

let log: ReturnType<typeof listenToLog>
beforeEach(() => {
  log = listenToLog()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

/**
 * Checks that each of these messages was logged, that all lines are JSON, and that no line contains
 * any of these texts.
 */
function expectLogged(messages: string[], secrets: string[]): void {
  const texts = log.texts()
  const logged = texts.map((text) => JSON.parse(text).message)
  expect(logged).toEqual(expect.arrayContaining(messages))
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(5)
    expect(texts.filter((text) => text.includes(secret))).toEqual([])
  }
}

/** Returns the database, but every query fails with an error that quotes a text. */
const quoting = (text: string) => failingDatabase(`D1_ERROR: near "${text}": syntax error`)

/** Malformed JSON, which `JSON.parse` quotes in its error. */
const broken = (text: string) => `${text} is no JSON`

it('the log does not contain the token of a shared recording', async () => {
  const { project, record } = await newStage()
  await record(snapshotEvent(project))
  const { body } = await project.send('PATCH', 'session_recordings/session/sharing', {
    enabled: true
  })
  const token: string = body.access_token

  const statuses = [
    (await request('GET', `/shared/${token}`)).status,
    (await request('GET', `/shared/${token}/snapshots`)).status,
    (await request('GET', `/shared/${token}x`)).status,
    (await request('GET', `/shared/${token}`, {}, undefined, { DB: quoting(token) })).status
  ]

  expect(statuses).toEqual([200, 200, 404, 503])
  expectLogged(['request', 'request failed'], [token, project.key, project.token])
})

it('the log contains neither keys made by keys nor links of invitations', async () => {
  const project = await newProject()
  const asked = (path: string, body: JsonObject, bindings: Partial<Env> = {}) =>
    request(
      'POST',
      path,
      { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
      JSON.stringify(body),
      bindings
    )
  const grants = { scoped_teams: [project.id] }

  const made = await asked('/api/personal_api_keys/', {
    ...grants,
    label: 'Report',
    scopes: ['insight:read']
  })
  const invited = await asked(
    '/api/invitations/',
    { ...grants, target_email: ADDRESS, role: 'viewer' },
    { EMAIL: { send: () => Promise.reject(new Error(ADDRESS)) } as unknown as SendEmail }
  )
  const code: string = invited.body.link.replace(/.*#code=/, '')
  const redeemed = await asked('/api/invitations/redeem/', { code, label: 'Firefox' })
  const again = await asked('/api/invitations/redeem/', { code, label: 'Firefox' })

  expect([made, invited, redeemed, again].map(({ status }) => status)).toEqual([201, 201, 201, 400])
  expectLogged(['request'], [made.body.value, code, redeemed.body.value, ADDRESS, project.key])
})

it('the log contains neither the ticket nor the address of an unsubscription', async () => {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const { id } = await desk.subscribe({ target_value: ADDRESS })
  await desk.send('POST', `subscriptions/${id}/test/`)
  await desk.drain()
  const link = desk.mails[0]?.headers['List-Unsubscribe']?.slice(1, -1) ?? ''
  const { pathname } = new URL(link)
  const ticket = pathname.slice('/unsubscribe/'.length)
  const [, , holder = '', seal = ''] = ticket.split('.')

  const statuses = [
    (await request('GET', pathname)).status,
    (await request('GET', `${pathname}0`)).status,
    (await request('POST', pathname, {}, undefined, { DB: quoting(ticket) })).status,
    (await request('POST', pathname)).status
  ]

  expect(statuses).toEqual([200, 404, 503, 200])
  expectLogged(['request', 'request failed'], [ticket, holder, seal, ADDRESS])
})

it('the log does not contain the address of a chart', async () => {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  await captureSignups(desk)
  const { id } = await desk.subscribe({ target_value: ADDRESS })
  await desk.send('POST', `subscriptions/${id}/test/`)
  await desk.drain()
  const [, pathname = ''] = /(\/charts\/[\w.]+\.png)/.exec(desk.mails[0]?.text ?? '') ?? []
  const ticket = pathname.slice('/charts/'.length)
  const seal = ticket.split('.').at(-2) ?? ''

  const statuses = [
    (await request('GET', pathname)).status,
    (await request('GET', `${pathname}0`)).status,
    (await request('GET', pathname, {}, undefined, { DB: quoting(ticket) })).status
  ]

  expect(statuses).toEqual([200, 404, 503])
  expectLogged(['request', 'request failed'], [ticket, seal])
})

const FAULTS: [string, Error][] = [
  ['for good', Object.assign(new EmailError('E_RECIPIENT_NOT_ALLOWED'), { message: ADDRESS })],
  ['for now', Object.assign(new EmailError('E_DELIVERY_FAILED'), { message: ADDRESS })],
  ['without a code', new Error(`550 5.1.1 <${ADDRESS}>: Recipient address rejected`)]
]

it.each(FAULTS)(
  'the log does not contain the recipient of an e-mail that fails %s',
  async (_, fault) => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe({ target_value: ADDRESS })
    desk.faults.email = () => {
      throw fault
    }
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    await desk.drain()

    expect((await desk.deliveries(id))[0].error).toContain(ADDRESS)
    expectLogged(['queue batch', 'due subscriptions'], [ADDRESS, desk.project.key])
  }
)

/** Subscribes with these fields, and runs one delivery to its end. @returns the secret that signs its requests, if any */
async function attempt(desk: Desk, fields: JsonObject): Promise<string | undefined> {
  const subscription = await desk.subscribe(fields, OPEN)
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.drain(OPEN)
  return subscription.webhook_secret
}

it.each([
  ['webhook', 'status/200'],
  ['webhook', 'status/404'],
  ['webhook', 'status/500'],
  ['slack', 'status/403'],
  ['slack', 'status/302'],
  ['slack', 'status/500'],
  ['webhook', 'cut']
])('the log contains neither the address nor the secret of a %s: %s', async (target_type, path) => {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const hidden = crypto.randomUUID()
  const target_value = `${url}/${path}/T000/B000/${hidden}?say=no-${hidden}`

  const secret = await attempt(desk, { target_type, target_value })

  expect(secret !== undefined).toBe(target_type === 'webhook')
  const secrets = secret === undefined ? [hidden] : [hidden, secret]
  expectLogged(['queue batch', 'due subscriptions'], secrets)
})

it('the log contains no data of a delivery that the service cannot make', async () => {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const hidden = crypto.randomUUID()
  const target_value = `${url}/status/200/${hidden}`
  const subscription = await desk.subscribe({ target_type: 'webhook', target_value }, OPEN)
  await env.DB.prepare('update subscriptions set secret = ? where project_id = ?')
    .bind(`whsec_§${hidden}`, desk.project.id)
    .run()
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.drain(OPEN)
  const dead = [{ id: 7, project_id: 1, to: ADDRESS }, ADDRESS]
  await deliverBatch('edge-analytics-deliveries-dead', dead, { bindings: { DB: quoting(ADDRESS) } })
  await desk.deliver({ id: 1, project_id: 1 }, { DB: quoting(ADDRESS) })

  expectLogged(
    ['delivery failed', 'delivery message dead', 'queue message retried'],
    [hidden, subscription.webhook_secret, ADDRESS]
  )
  expect(log.lines('delivery message dead')).toMatchObject([
    { project: 1, delivery: 7 },
    { project: null, delivery: null }
  ])
})

it('the log contains neither the capture token nor data of an event', async () => {
  const { token } = await newProject()
  const event = { event: 'said', distinct_id: ADDRESS, properties: { $set: { email: ADDRESS } } }
  const send = (body: string, bindings: Partial<Env> = {}) =>
    request('POST', `/batch/?api_key=${token}`, {}, body, bindings)
  const batch = JSON.stringify({ api_key: token, batch: [event] })

  const statuses = [
    (await send(batch)).status,
    (await send(broken(ADDRESS))).status,
    (await send(JSON.stringify({ api_key: 'phc_of_nobody', batch: [event] }))).status,
    (await send(batch, { CAPTURE_QUEUE: failingQueue(`"${ADDRESS}"`) })).status,
    (await send(batch, { DB: quoting(token) })).status
  ]

  expect(statuses.map((status) => Math.floor(status / 100))).toEqual([2, 4, 4, 5, 2])
  expectLogged(['request'], [token, ADDRESS, 'phc_of_nobody'])
})

it('the log contains no data of a message that becomes a dead letter', async () => {
  const project = await newProject()
  const spill = `capture/2026-11-01/${crypto.randomUUID()}.json`
  await env.BUCKET.put(spill, broken(ADDRESS))
  const event = { event: 'said', distinct_id: ADDRESS }
  const poison = { ...project.message([event]), project_id: 987_654_321 }

  await consume([{ spill }])
  await consume([{ spill }], 12)
  await consume([poison, { project_id: ADDRESS, events: ADDRESS }])
  await consume([project.message([event])], 1, { DB: quoting(ADDRESS) })
  await deliverBatch('edge-analytics-capture-dead', [{ spill }, poison], {
    bindings: { BUCKET: failingBucket() }
  })

  expectLogged(
    [
      'queue message retried',
      'queue message dead-lettered',
      'dead letter not parked',
      'queue batch'
    ],
    [ADDRESS, project.token]
  )
})

it('the log contains no data of an erasure that fails', async () => {
  const bodies = [{ id: ADDRESS }, { id: 1, project_id: 1 }]
  await deliverBatch('edge-analytics-erasures', bodies, { bindings: { DB: quoting(ADDRESS) } })

  expectLogged(['queue message dropped', 'queue batch'], [ADDRESS])
})
