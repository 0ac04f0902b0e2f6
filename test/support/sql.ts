import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { DAY } from '../../src/calendar/units.ts'
import type { JsonObject } from '../../src/input/json.ts'
import { computeSql } from '../../src/sql/answer.ts'
import { readSql } from '../../src/sql/request.ts'
import { db, newProject, type TestEvent } from './project.ts'
import { sealRange } from './segments.ts'

/** A Wednesday, 13:00 in Berlin. */
export const NOW = new Date('2026-03-04T12:00:00Z')

const on = (time: string) => Date.parse(`2026-03-${time}Z`)

const EVENTS: TestEvent[] = [
  {
    event: '$pageview',
    distinct_id: 'ada',
    timestamp: on('01T08:00:00'),
    properties: {
      $set: { email: 'ada@x.io', plan: 'pro', age: 36 },
      $session_id: 's1',
      $pathname: '/',
      $browser: 'Chrome',
      price: null
    }
  },
  {
    event: '$pageview',
    distinct_id: 'ada',
    timestamp: on('01T08:00:05.250'),
    properties: { $session_id: 's1', $pathname: '/pricing', $browser: 'Chrome' }
  },
  {
    event: '$pageview',
    distinct_id: 'bob',
    timestamp: on('01T23:30:00'),
    properties: {
      $set: { email: 'Bob@Y.de', plan: 'free' },
      $session_id: 's2',
      $pathname: '/',
      $browser: 'Firefox'
    }
  },
  {
    event: 'purchase',
    distinct_id: 'ada',
    timestamp: on('02T09:00:00'),
    properties: {
      $session_id: 's3',
      price: 10,
      qty: '2',
      vip: 'true',
      item: { sku: 'a1', tags: ['x', 'y'] }
    }
  },
  {
    event: 'purchase',
    distinct_id: 'bob',
    timestamp: on('02T10:00:00'),
    properties: { $session_id: 's4', price: 2.5, qty: 'two', vip: false, note: '' }
  },
  {
    event: '$pageview',
    distinct_id: 'cem',
    timestamp: on('03T10:00:00'),
    properties: { $session_id: 's5', $pathname: '/pricing', $browser: 'Safari' }
  },
  {
    event: 'purchase',
    distinct_id: 'cem',
    timestamp: on('03T10:01:00'),
    properties: { $session_id: 's5', price: 20, qty: '3', vip: true, note: 'null' }
  },
  {
    event: 'signup',
    distinct_id: 'cem',
    timestamp: on('04T11:59:00'),
    properties: { note: 'grüß 100%' }
  }
]

/** Creates the project of the examples, whose events are in segments or in rows. */
export const newExamples = (options: { isSealed: boolean; weekStart?: number }) =>
  newAnswering(EVENTS, options)

/** Creates a project in Berlin that has these events, in segments or in rows. */
export async function newAnswering(
  events: TestEvent[],
  { isSealed, weekStart = 0 }: { isSealed: boolean; weekStart?: number }
) {
  const project = await newProject()
  await project.ingest(events, NOW.getTime())
  if (isSealed) {
    const names = await db.all<{ id: number }>(
      sql`select id from event_names where project_id = ${project.id}`
    )
    for (const { id } of names) {
      const kind = { project_id: project.id, event_id: id }
      expect(await sealRange(db, kind, on('01T00:00:00') - 60 * DAY, on('05T00:00:00'))).toBe(true)
    }
  }
  const settings = { id: project.id, timezone: 'Europe/Berlin', weekStart }
  return {
    ...project,
    /** Computes a statement as of `NOW`. */
    answer(query: string, beside: JsonObject = {}, stepEvents = 131_072) {
      const node = { kind: 'HogQLQuery', query, ...beside }
      const read = readSql(node, { ...settings, testAccountFilters: [] }, NOW)
      return computeSql({ db, project: settings, stepEvents }, read, NOW)
    }
  }
}
