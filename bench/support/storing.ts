import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import {
  drawEvents,
  KINDS,
  kindOf,
  MAX_VERSIONS,
  personPropertiesOf,
  type Row,
  SECOND,
  type Volume,
  versionId,
  versionsOf
} from './events.ts'
import type { Runtime } from './runtime.ts'
import { drawViews, storeSessionsOfViews, VIEW } from './visits.ts'

/** The names of all events. The place of a name, from 1 on, is its id. */
const NAMES = [...Array.from({ length: KINDS }, (_, i) => kindOf(i)), VIEW]

/** Bytes of JSON per statement, of the 2 MB that D1 takes. */
const MAX_BYTES = 1_500_000

function* drawAll(volume: Volume): Generator<Row> {
  yield* drawEvents(volume)
  yield* drawViews(volume)
}

/**
 * Inserts the events into D1 as capture does, with the versions of their persons and the sessions of page views. With `file`,
 * also writes the events to this file as JSON lines, for other engines.
 */
export async function storeEvents(
  runtime: Runtime,
  projectId: number,
  volume: Volume,
  file?: string
): Promise<void> {
  const { db } = runtime
  const { persons } = volume
  await db.batch([
    db
      .prepare(
        `insert into event_names (id, project_id, name) select key + 1, ?1, value from json_each(?2)`
      )
      .bind(projectId, JSON.stringify(NAMES)),
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
             value ->> 'session', null, jsonb(value ->> 'properties') from json_each(?2)`)
  for (const rows of inPieces(drawAll(volume), toEvent)) {
    await insert.bind(projectId, rows.json).run()
    if (out?.write(rows.of.map((row) => `${JSON.stringify(row)}\n`).join('')) === false) {
      await once(out, 'drain')
    }
  }
  if (out) {
    await once(out.end(), 'finish')
  }
  await countEvents(db, projectId)
  await storeSessionsOfViews(runtime, projectId)
}

const toEvent = ({ person_properties: _, event, ...row }: Row, i: number) => ({
  ...row,
  uuid: i.toString(16).padStart(32, '0'),
  kind: NAMES.indexOf(event) + 1
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
  for (let id = 1; id <= NAMES.length; id += 1) {
    await insert.bind(projectId, id).run()
  }
}
