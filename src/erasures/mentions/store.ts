import { type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Query, query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import {
  alerts,
  annotations,
  cohorts,
  dashboards,
  insights,
  persons,
  subscriptionDeliveries,
  subscriptions
} from '../../db/schema.ts'
import { list } from '../../db/statements.ts'

/** Rows of each store that one search examines: the newest persons; deleted rows come last. */
export const MAX_ROWS = 10_000

/** Rows of each store that may be found. If there are more, the search is not complete. */
const MAX_FOUND = 1_000

const d = alias(subscriptionDeliveries, 'd')

/** The stores that are searched by SQL. */
export const SOURCES = [
  'subscriptions',
  'alerts',
  'subscription_deliveries',
  'insights',
  'dashboards',
  'annotations',
  'cohorts',
  'persons'
] as const
export type Source = (typeof SOURCES)[number]

/** A row with one of the spellings: text, and JSON as text, by the names of columns. */
export type Row = Record<string, string | null> & { id: string }

type Scan = { columns: SQLiteColumn[]; from: SQL }

/** For each store: the columns to search, beginning with the id, and its rows, in order. */
const SCANS: Record<Source, (projectId: number) => Scan> = {
  subscriptions: (projectId) => ({
    columns: [
      subscriptions.id,
      subscriptions.targetType,
      subscriptions.targetValue,
      subscriptions.title,
      subscriptions.inviteMessage
    ],
    from: sql`${subscriptions} where ${subscriptions.projectId} = ${projectId} and ${subscriptions.checks} is null
      order by ${subscriptions.deleted}, ${subscriptions.id}`
  }),
  alerts: (projectId) => ({
    columns: [alerts.id, subscriptions.targetType, subscriptions.targetValue, subscriptions.title],
    from: sql`${subscriptions} cross join ${alerts} on ${alerts.subscriptionId} = ${subscriptions.id}
      where ${subscriptions.projectId} = ${projectId}
      order by ${subscriptions.id}`
  }),
  subscription_deliveries: (projectId) => ({
    columns: [d.id, d.subscriptionId, d.recipients, d.error, d.verdict],
    from: sql`${subscriptions} cross join ${subscriptionDeliveries} ${d} on ${d.subscriptionId} = ${subscriptions.id}
      where ${subscriptions.projectId} = ${projectId}`
  }),
  insights: (projectId) => ({
    columns: [
      insights.id,
      insights.name,
      insights.derivedName,
      insights.description,
      insights.filters,
      insights.query,
      insights.tags
    ],
    from: sql`${insights} where ${insights.projectId} = ${projectId} order by ${insights.deleted}, ${insights.id}`
  }),
  dashboards: (projectId) => ({
    columns: [dashboards.id, dashboards.name, dashboards.description, dashboards.tags],
    from: sql`${dashboards} where ${dashboards.projectId} = ${projectId} order by ${dashboards.deleted}, ${dashboards.id}`
  }),
  annotations: (projectId) => ({
    columns: [annotations.id, annotations.content],
    from: sql`${annotations} where ${annotations.projectId} = ${projectId} order by ${annotations.deleted}, ${annotations.id}`
  }),
  cohorts: (projectId) => ({
    columns: [cohorts.id, cohorts.name, cohorts.description, cohorts.filters],
    from: sql`${cohorts} where ${cohorts.projectId} = ${projectId} order by ${cohorts.id}`
  }),
  persons: (projectId) => ({
    columns: [persons.id, persons.uuid, persons.properties],
    from: sql`${persons} where ${persons.projectId} = ${projectId} order by ${persons.createdAt} desc, ${persons.id} desc`
  })
}

/** The rows found in a store, of how many examined, and whether these were all. */
export type FoundRows = { rows: Row[]; examined: number; isComplete: boolean }

/**
 * Searches stores of a project for texts, in one round trip. The rows found have a spelling
 * anywhere in their columns, also as a part of a longer word, and without regard to the case of
 * ASCII letters.
 */
export async function findRows(
  db: Db,
  projectId: number,
  sources: readonly Source[],
  spellings: readonly string[]
): Promise<Map<Source, FoundRows>> {
  const queries = sources.flatMap((source): Query<Row | { count: number }>[] => {
    const { columns, from } = SCANS[source](projectId)
    const stored = sql.join(
      columns.slice(1).map((column) => sql`coalesce(${column}, '')`),
      sql` || char(10) || `
    )
    // A URL within a URL has `%2540` for `%40`.
    const texts = sql`${stored} || char(10) || replace(${stored}, '%25', '%')`
    const has = spellings.map((text) => sql`instr(text, lower(${text})) > 0`)
    return [
      query(sql`select count(*) as count from (select 1 from ${from} limit ${MAX_ROWS + 1})`),
      query(sql`
        select * from (select ${list(columns)}, lower(${texts}) as text from ${from} limit ${MAX_ROWS})
        where ${has.length > 0 ? sql.join(has, sql` or `) : sql`0`} limit ${MAX_FOUND + 1}`)
    ]
  })
  const results = await readBatch(db, ...queries)
  return new Map(
    sources.map((source, i) => {
      const [counted] = results[2 * i] as { count: number }[]
      const rows = results[2 * i + 1] as Row[]
      const count = counted?.count ?? 0
      return [
        source,
        {
          rows: rows.slice(0, MAX_FOUND),
          examined: Math.min(count, MAX_ROWS),
          isComplete: count <= MAX_ROWS && rows.length <= MAX_FOUND
        }
      ]
    })
  )
}
