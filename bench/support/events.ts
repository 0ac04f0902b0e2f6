import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Runtime } from './runtime.ts'

export const DAYS = 90
const DAY = 86_400_000
const KINDS = 20
/** Percent of events of the first and of the second kind; the other kinds share the rest. */
const [LARGE, SMALL] = [40, 3]
/** One person in this many has a second distinct id. */
const SECOND = 10
/** Versions of a person's properties, at most; each is in force for an equal share of the days. */
const MAX_VERSIONS = 3
const PLANS = ['free', 'pro', 'team', 'enterprise']

export const kindOf = (i: number): string => `event ${i}`

export type Row = {
  event: string
  timestamp: number
  identity: number
  person: number
  /** The row of `person_versions` in force. */
  version: number
  properties: string
  person_properties: string
}

/** How many events to generate; `isShort` leaves about 120 of the 600 bytes of properties. */
export type Volume = { events: number; persons: number; isShort?: boolean }

/** Least age of the events, ms: two hours, because the service seals only events older than one hour. */
const MIN_AGE_MS = 7_200_000

/** The midnight before which all events lie. It stays the same when a run continues into the next day. */
export const MIDNIGHT = Math.floor((Date.now() - MIN_AGE_MS) / DAY) * DAY

const versionsOf = (person: number): number => 1 + (person % MAX_VERSIONS)

/** Returns the id of a person's `n`th version as in the service. Here a person's id is also the first identity's key. */
const versionId = (person: number, n: number): number => person * 2 ** 24 + n

/** Returns a person's properties as of the `n`th version, about 200 bytes of JSON. */
const personPropertiesOf = (person: number, n: number): string =>
  JSON.stringify({
    email: `person-${person}@example.com`,
    name: `Person ${person}`,
    plan: PLANS[(person * 31 + n * 7) % PLANS.length],
    seats: (person * n) % 50,
    company: `Company ${person % 1_000}`,
    $initial_referring_domain: 'www.example.org',
    $initial_utm_source: 'newsletter',
    last_seen_at: '2026-01-01T00:00:00.000Z'
  })

/** Generates events in time order from a seed: all runs of one day get the same events. */
export function* drawEvents({ events: count, persons, isShort }: Volume): Generator<Row> {
  let state = 42
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pick = (n: number) => Math.floor(random() * n)
  const pickKind = () => {
    const share = pick(100)
    if (share < LARGE) {
      return 0
    }
    if (share < LARGE + SMALL) {
      return 1
    }
    return 2 + pick(KINDS - 2)
  }
  const word = () => random().toString(36).slice(2, 12)
  for (let i = 0; i < count; i += 1) {
    const kind = pickKind()
    const person = 1 + pick(persons)
    const long = {
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
    const { plan, price, rows, is_shared, $browser, $os, $lib } = long
    const properties = isShort ? { plan, price, rows, is_shared, $browser, $os, $lib } : long
    const n = 1 + Math.floor((i / count) * versionsOf(person))
    yield {
      event: kindOf(kind),
      timestamp: MIDNIGHT - DAYS * DAY + Math.floor(((i + random()) / count) * DAYS * DAY),
      identity: person % SECOND === 0 && random() < 0.5 ? persons + person : person,
      person,
      version: versionId(person, n),
      properties: JSON.stringify(properties),
      person_properties: personPropertiesOf(person, n)
    }
  }
}

/** Bytes of JSON per statement, of the 2 MB that D1 takes. */
const MAX_BYTES = 1_500_000

/**
 * Inserts the events into D1 as capture does, with the versions of their persons. With `file`, also writes the events to
 * this file as JSON lines, for other engines.
 */
export async function storeEvents(
  { db }: Runtime,
  projectId: number,
  volume: Volume,
  file?: string
): Promise<void> {
  const { persons } = volume
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
  await storeVersions(db, projectId, persons)
  const out = file === undefined ? undefined : createWriteStream(file)
  const insert =
    db.prepare(`insert into events (project_id, event_id, timestamp, uuid, identity, version, session_id, window_id, properties)
      select ?1, value ->> 'kind', value ->> 'timestamp', unhex(value ->> 'uuid'), value ->> 'identity', value ->> 'version',
             null, null, jsonb(value ->> 'properties') from json_each(?2)`)
  for (const rows of inPieces(drawEvents(volume), toEvent)) {
    await insert.bind(projectId, rows.json).run()
    if (out?.write(rows.of.map((row) => `${JSON.stringify(row)}\n`).join('')) === false) {
      await once(out, 'drain')
    }
  }
  if (out) {
    await once(out.end(), 'finish')
  }
  await countEvents(db, projectId)
}

const toEvent = ({ person_properties: _, event, ...row }: Row, i: number) => ({
  ...row,
  uuid: i.toString(16).padStart(32, '0'),
  kind: Number(event.slice('event '.length)) + 1
})

/** Inserts the versions of persons, and makes the last one of each person the current one. */
async function storeVersions(db: D1Database, projectId: number, persons: number): Promise<void> {
  const insert = db.prepare(`insert into person_versions (id, project_id, properties)
    select value ->> 'id', ?1, jsonb(value ->> 'properties') from json_each(?2)`)
  for (const { json } of inPieces(drawVersions(persons), (version) => version)) {
    await insert.bind(projectId, json).run()
  }
  const last = `1 + id % ${MAX_VERSIONS}`
  await db
    .prepare(
      `update persons set version = (id << 24) + ${last}, versions = ${last} where project_id = ?`
    )
    .bind(projectId)
    .run()
}

function* drawVersions(persons: number) {
  for (let person = 1; person <= persons; person += 1) {
    for (let n = 1; n <= versionsOf(person); n += 1) {
      yield { id: versionId(person, n), properties: personPropertiesOf(person, n) }
    }
  }
}

/** Divides rows into pieces whose JSON fits into a statement. `format` gets each row with its number. */
function* inPieces<T>(
  rows: Iterable<T>,
  format: (row: T, i: number) => object
): Generator<{ of: T[]; json: string }> {
  let piece: T[] = []
  let texts: string[] = []
  let bytes = 0
  let i = 0
  for (const row of rows) {
    const text = JSON.stringify(format(row, i))
    piece.push(row)
    texts.push(text)
    bytes += text.length
    i += 1
    if (bytes > MAX_BYTES) {
      yield { of: piece, json: `[${texts.join(',')}]` }
      piece = []
      texts = []
      bytes = 0
    }
  }
  if (piece.length > 0) {
    yield { of: piece, json: `[${texts.join(',')}]` }
  }
}

/** Counts the stored events per slot, one statement per kind. */
async function countEvents(db: D1Database, projectId: number): Promise<void> {
  const insert = db.prepare(`insert into event_counts (project_id, event_id, slot, count)
    select project_id, event_id, timestamp / 900000, count(*)
    from events where project_id = ?1 and event_id = ?2 group by 1, 2, 3`)
  for (let id = 1; id <= KINDS; id += 1) {
    await insert.bind(projectId, id).run()
  }
}
