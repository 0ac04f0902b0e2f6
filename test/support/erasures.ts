import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import type { ErasureMessage } from '../../src/erasures/engine/message.ts'
import { db, deliverMessage, type TestProject } from './project.ts'
import worker from './worker.ts'

/**
 * Creates a person for each distinct id, erases the persons with their recordings, and returns the
 * newest receipt. The erasures keep the events, because removing events would wait for Sunday.
 */
export async function newReceipt(project: TestProject, distinctIds = ['eve']) {
  const { call, drain } = holdErasures()
  await project.ingest(
    distinctIds.map((distinct_id) => ({
      event: '$identify',
      distinct_id,
      properties: { $anon_distinct_id: `anon-${distinct_id}` }
    }))
  )
  await call(project, 'POST', 'persons/bulk_delete', {
    distinct_ids: distinctIds,
    delete_recordings: true
  })
  await drain()
  const { body } = await call(project, 'GET', 'persons/deletion_status?status=completed')
  return body.results[0].receipt
}

/**
 * Returns bindings with an erasure queue that only holds its messages, and helpers that use them. A
 * test delivers the messages itself: later, twice, in another order, or never.
 */
export function holdErasures() {
  const held: ErasureMessage[] = []
  const queue = {
    send: async (body: ErasureMessage) => void held.push(body),
    sendBatch: async (messages: { body: ErasureMessage }[]) =>
      void held.push(...messages.map(({ body }) => body))
  }
  const bindings = { ERASURE_QUEUE: queue as unknown as Queue }

  /** Delivers one message. @returns whether it was acknowledged */
  const deliver = (body: unknown, more: Partial<Env> = {}): Promise<boolean> =>
    deliverMessage('edge-analytics-erasures', body, { ...bindings, ...more })

  return {
    held,
    bindings,
    deliver,
    /** Delivers the held messages and their follow-ups until none is left. */
    async drain(more: Partial<Env> = {}) {
      for (let body = held.shift(); body; body = held.shift()) {
        await deliver(body, more)
      }
    },
    /** Fires a Cron Trigger. */
    cron: (cron: string, at = Date.now(), more: Partial<Env> = {}) =>
      worker.scheduled(createScheduledController({ cron, scheduledTime: new Date(at) }), {
        ...env,
        ...bindings,
        ...more
      }),
    /** Sends a request to the API with the project's key. */
    call: (
      project: TestProject,
      method: string,
      path: string,
      body?: object,
      more: Partial<Env> = {}
    ) => project.send(method, path, body, { ...bindings, ...more })
  }
}

/**
 * Counts a project's rows in the tables of persons and events. `person_count` is the value of the
 * project's counter of persons, and `search` the number of entries in the search index.
 */
export async function countRows(projectId: number): Promise<Record<string, number>> {
  const [row] = await db.all<Record<string, number>>(sql`select
    (select count(*) from persons where project_id = ${projectId}) as persons,
    (select coalesce(sum(value), 0) from counters where project_id = ${projectId} and name = 'persons') as person_count,
    (select count(*) from distinct_ids where project_id = ${projectId}) as distinct_ids,
    (select count(*) from person_versions where project_id = ${projectId}) as versions,
    (select count(*) from persons_search where rowid between ${projectId} << 32 and (${projectId} << 32) + 4294967295) as search,
    (select count(*) from events where project_id = ${projectId}) as events`)
  return row ?? {}
}

/** Lists the tables that have a row with this text in any column, including blobs. */
export async function tablesWith(text: string): Promise<string[]> {
  const tables = await db.all<{ name: string }>(sql`
    select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%'`)
  const found = []
  for (const { name } of tables) {
    const columns = await db.all<{ name: string }>(
      sql`select name from pragma_table_xinfo(${name}) where hidden = 0`
    )
    const anywhere = columns.map(
      (column) =>
        sql`instr(cast(${sql.identifier(column.name)} as blob), cast(${text} as blob)) > 0`
    )
    if (anywhere.length === 0) {
      continue
    }
    const rows = await db.all(
      sql`select 1 from ${sql.identifier(name)} where ${sql.join(anywhere, sql` or `)} limit 1`
    )
    if (rows.length > 0) {
      found.push(name)
    }
  }
  return found.sort()
}

/** Counts the terms of the full-text index that contain this text. */
export async function countSearchTerms(part: string): Promise<number> {
  await db.run(
    sql`create virtual table if not exists search_terms using fts5vocab(persons_search, row)`
  )
  const [row] = await db.all<{ count: number }>(
    sql`select count(*) as count from search_terms where instr(term, ${part}) > 0`
  )
  return row?.count ?? 0
}
