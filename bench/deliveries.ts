import { startReceiver } from '../test/support/receiver.ts'
import { sendOk } from './support/client.ts'
import { type Outcome, rounded } from './support/report.ts'
import { type Runtime, startWorkers } from './support/runtime.ts'
import { seedProject } from './support/seed.ts'
import { waitUntil } from './support/waiting.ts'

/** Target: time until all deliveries have arrived. */
const MAX_SECONDS = 120
/** Target: rows written per delivery. */
const MAX_WRITTEN = 16
/** Target: rows read per delivery. */
const MAX_READ = 2_000
/** Events that the insight counts. */
const EVENTS = 10_000
const DAY = 86_400_000

/** Measures how long it takes to deliver everything due in one minute, and how many rows each delivery costs. */
export async function benchDeliveries(isSmoke: boolean): Promise<Outcome> {
  const count = isSmoke ? 5 : 1_000
  const receiver = await startReceiver()
  const runtime = await startWorkers({ outboundAllow: receiver.host })
  try {
    const { projectId, key } = await seedProject(runtime, 10, ['*'])
    await seedSignups(runtime, projectId)
    await seedDue(runtime, { projectId, key, count, target: `${receiver.url}/hook` })
    runtime.lines.length = 0

    const started = performance.now()
    await runtime.fire('* * * * *')
    const claimed = (performance.now() - started) / 1000
    await waitUntil('all deliveries have arrived', () => receiver.received.length >= count)
    const seconds = (performance.now() - started) / 1000
    await waitUntil(
      'the log has a line for each delivery',
      () => runtime.lines.filter(({ queue }) => queue?.endsWith('deliveries')).length >= count
    )
    await expectOnce(runtime, receiver.received, count)
    const of = (name: 'rows_read' | 'rows_written') =>
      runtime.lines.reduce((sum, line) => sum + line[name], 0) / count
    return report({ count, claimed, seconds, written: of('rows_written'), read: of('rows_read') })
  } finally {
    await runtime.end()
    receiver.close()
  }
}

function report(measured: {
  count: number
  claimed: number
  seconds: number
  written: number
  read: number
}): Outcome {
  const { count, claimed, seconds, written, read } = measured
  return {
    table: [
      ['', 'measured', 'at most'],
      ['until all are in the ledger, seconds', rounded(claimed), ''],
      ['until all have arrived, seconds', rounded(seconds), rounded(MAX_SECONDS)],
      ['rows written per delivery', rounded(written), rounded(MAX_WRITTEN)],
      ['rows read per delivery, nearly all by its trend', rounded(read), rounded(MAX_READ)]
    ],
    notes: [
      `${count.toLocaleString('en')} subscriptions to one insight among ${EVENTS.toLocaleString('en')} events, due in the same minute; each arrived once.`
    ],
    missed: [
      ...(seconds > MAX_SECONDS ? [`${rounded(seconds)} seconds`] : []),
      ...(written > MAX_WRITTEN ? [`${rounded(written)} rows written`] : []),
      ...(read > MAX_READ ? [`${rounded(read)} rows read`] : [])
    ]
  }
}

/** Inserts events of the last twelve days straight into the tables. */
async function seedSignups({ db }: Runtime, projectId: number): Promise<void> {
  const now = Date.now()
  await db.batch([
    db
      .prepare(`insert into event_names (id, project_id, name) values (1, ?, 'signed up')`)
      .bind(projectId),
    db
      .prepare(`
        with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${EVENTS - 1})
        insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select ?1, 1, cast(?2 as integer) - n * ${Math.floor((12 * DAY) / EVENTS)}, unhex(printf('%032x', n)), 1 + n % 20, jsonb('{}')
        from numbers`)
      .bind(projectId, now),
    db.prepare(`
      insert into event_counts (project_id, event_id, slot, count)
      select project_id, event_id, timestamp / 900000, count(*) from events group by 1, 2, 3`)
  ])
}

type Due = { projectId: number; key: string; count: number; target: string }

/** Creates one subscription through the API, copies it, and makes all due a second ago. */
async function seedDue(
  { db, service }: Runtime,
  { projectId, key, count, target }: Due
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const create = async (path: string, body: object): Promise<{ id: number }> => {
    const url = new URL(`/api/environments/${projectId}/${path}/`, service)
    return JSON.parse(
      (await sendOk(url, { method: 'POST', headers }, Buffer.from(JSON.stringify(body)))).text
    )
  }
  const filters = { events: [{ id: 'signed up' }], date_from: '-6d' }
  const insight = await create('insights', { name: 'Signups', filters })
  const start_date = new Date(Date.now() - 10 * DAY).toISOString()
  const webhook = { target_type: 'webhook', target_value: target, frequency: 'daily', start_date }
  const { id } = await create('subscriptions', { ...webhook, insight: insight.id })
  const { results } = await db
    .prepare(`select name from pragma_table_info('subscriptions') where name <> 'id'`)
    .all<{ name: string }>()
  const columns = results.map(({ name }) => name).join()
  await db.batch([
    db.prepare(`
      with recursive numbers(n) as (select 2 union all select n + 1 from numbers where n < ${count})
      insert into subscriptions (${columns}) select ${columns} from numbers, subscriptions where id = ${id}`),
    db
      .prepare('update subscriptions set next_delivery_date = cast(? as integer)')
      .bind(Date.now() - 1_000)
  ])
}

async function expectOnce(
  { db }: Runtime,
  received: { headers: NodeJS.Dict<string | string[]> }[],
  count: number
) {
  const ids = new Set(received.map(({ headers }) => headers['webhook-id']))
  const row = await db
    .prepare(
      `select count(*) as n from subscription_deliveries where status = 'delivered' and attempts = 1`
    )
    .first<{ n: number }>()
  if (ids.size !== count || received.length !== count || row?.n !== count) {
    throw new Error(
      `${received.length} requests with ${ids.size} ids arrived for ${count} deliveries; ${row?.n} were delivered at the first attempt.`
    )
  }
}
