import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Runtime } from './runtime.ts'

export const DAYS = 90
const DAY = 86_400_000
const KINDS = 20
/** Percent of events of the first and of the second kind; the other kinds share the rest. */
const SHARES = [40, 3]
/** One person in this many has a second distinct id. */
const SECOND = 10

export const kindOf = (i: number): string => `event ${i}`

export type Row = {
  event: string
  timestamp: number
  identity: number
  person: number
  properties: string
}

/** Last midnight: the events lie in the days before it. */
export const midnight = (): number => Math.floor(Date.now() / DAY) * DAY

/** Generates events in time order from a seed: all runs of one day get the same events. */
export function* drawEvents(count: number, persons: number): Generator<Row> {
  let state = 42
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pick = (n: number) => Math.floor(random() * n)
  const pickKind = () => {
    const share = pick(100)
    if (share < 40) {
      return 0
    }
    if (share < 43) {
      return 1
    }
    return 2 + pick(KINDS - 2)
  }
  const word = () => random().toString(36).slice(2, 12)
  const end = midnight()
  for (let i = 0; i < count; i += 1) {
    const kind = pickKind()
    const person = 1 + pick(persons)
    const properties = {
      path: `/reports/${word()}/${word()}`,
      referrer: `https://www.example.org/search?q=${word()}+${word()}`,
      title: `Report ${word()} of the ${word()} department`,
      plan: ['free', 'free', 'pro', 'team'][pick(4)],
      price: pick(10_000) / 4,
      rows: pick(1_000),
      is_shared: random() < 0.5,
      filters: {
        from: '2026-01-01',
        to: '2026-03-31',
        country: ['de', 'at', 'ch'],
        segment: word()
      },
      feature: `reports-${word()}`,
      request_id: word() + word(),
      region: 'eu-central',
      service: 'reports-api 4.12.7 on node 24.21.0, linux x64',
      $browser: ['Chrome', 'Chrome', 'Safari', 'Firefox', 'Edge', 'Opera'][pick(6)],
      $os: ['Windows', 'Mac OS X', 'Linux', 'iOS', 'Android'][pick(5)],
      $current_url: `https://app.example.org/reports/${pick(5_000)}`,
      $lib: 'posthog-node',
      $lib_version: '5.70.0'
    }
    yield {
      event: kindOf(kind),
      timestamp: end - DAYS * DAY + Math.floor(((i + random()) / count) * DAYS * DAY),
      identity: person % SECOND === 0 && random() < 0.5 ? persons + person : person,
      person,
      properties: JSON.stringify(properties)
    }
  }
}

/** Percentages of the two kinds that the questions ask for. */
export const [LARGE = 0, SMALL = 0] = SHARES

const STEP = 2_000

/** Inserts the events into D1 as capture does and, with `out`, writes them to a file of JSON lines for other engines. */
export async function storeEvents(
  { db }: Runtime,
  projectId: number,
  count: number,
  persons: number,
  file: string | undefined
): Promise<void> {
  await db.batch([
    db
      .prepare(
        `insert into event_names (id, project_id, name) select key + 1, ?1, value from json_each(?2)`
      )
      .bind(projectId, JSON.stringify(Array.from({ length: KINDS }, (_, i) => kindOf(i)))),
    db
      .prepare(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?2)
        insert into distinct_ids (key, project_id, distinct_id, person_id)
        select n, ?1, 'user-' || n, n from numbers
        union all select ?2 + n, ?1, 'device-' || n, n from numbers where n % ${SECOND} = 0`)
      .bind(projectId, persons)
  ])
  const out = file === undefined ? undefined : createWriteStream(file)
  let rows: Row[] = []
  let stored = 0
  const store = async () => {
    const json = JSON.stringify(
      rows.map((row, i) => ({
        ...row,
        uuid: (stored + i).toString(16).padStart(32, '0'),
        kind: Number(row.event.slice(6)) + 1
      }))
    )
    await db
      .prepare(`insert into events (project_id, event_id, timestamp, uuid, identity, version, session_id, window_id, properties)
        select ?1, value ->> 'kind', value ->> 'timestamp', unhex(value ->> 'uuid'), value ->> 'identity', null, null, null,
               jsonb(value ->> 'properties') from json_each(?2)`)
      .bind(projectId, json)
      .run()
    stored += rows.length
    if (out?.write(rows.map((row) => `${JSON.stringify(row)}\n`).join('')) === false) {
      await once(out, 'drain')
    }
    rows = []
  }
  for (const row of drawEvents(count, persons)) {
    rows.push(row)
    if (rows.length === STEP) {
      await store()
    }
  }
  if (rows.length > 0) {
    await store()
  }
  if (out) {
    await once(out.end(), 'finish')
  }
  await db
    .prepare(`insert into event_counts (project_id, event_id, slot, count)
      select project_id, event_id, timestamp / 900000, count(*) from events where project_id = ? group by 1, 2, 3`)
    .bind(projectId)
    .run()
}
