import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { countDamaged, forgetDamaged } from '../../../src/columns/damage.store.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'
import {
  actorChunks,
  segmentColumns,
  segments,
  versionChunks,
  versionColumns
} from '../../../src/db/schema.ts'
import { NIGHTLY } from '../../../src/jobs/cron.ts'
import { chunksOf, listSegments, newShop, seal, unseal, VIEW } from '../../support/columns.ts'
import { share } from '../../support/depth.ts'
import { listenToLog } from '../../support/log.ts'
import { db, request, type TestProject } from '../../support/project.ts'
import { ask, lines } from '../../support/trends.ts'
import worker from '../../support/worker.ts'

/*
 * Every stored text that a trend reads is damaged in several ways. The trend has to stay as it is without columns, and the damage
 * has to be logged and counted.
 */

let shop: TestProject

beforeAll(async () => {
  shop = await newShop()
})

/** Builds the segment, or the chunks, again, so that nothing of them is in the isolate's memory. */
async function build(what: 'segment' | 'chunks') {
  if (what === 'segment') {
    await unseal(shop.id)
  }
  await seal(shop.id, { chunks: what === 'chunks' ? await chunksOf(shop.id) : [] })
  await forgetDamaged(db, await countDamaged(db))
}

const RANGE = { date_from: '2026-10-01', date_to: '2026-10-03' }

const trend = (fields: object) => ({ ...RANGE, events: [{ id: VIEW, ...fields }] })
const isNotSet = (type: string) =>
  trend({ properties: [{ key: 'nowhere', type, operator: 'is_not_set' }] })
const byProperty = (type: string, key: string) => ({
  ...trend({}),
  breakdown: key,
  breakdown_type: type
})

/** A trend that reads each kind of text. */
const TRENDS = {
  slots: trend({}),
  identity: trend({ math: 'dau' }),
  time: { ...trend({}), date_to: '2026-10-01T03:00:00', interval: 'minute' },
  version: byProperty('person', 'n'),
  session: trend({ math: 'unique_session' }),
  plan: byProperty('event', 'plan'),
  nowhere: isNotSet('event'),
  actors: trend({ math: 'dau' }),
  person: byProperty('person', 'n'),
  person_nowhere: isNotSet('person')
}

const answer = async (body: object) => lines(await ask(shop, body))

const inShop = (table: SQL) => sql`${table}.project_id = ${shop.id}`
const ofSegment = (name: string) => sql`
  segment_id in (select id from segments where project_id = ${shop.id}) and name = ${name}`

type Text = {
  table: string
  column: string
  where: () => SQL
  /** The trend that reads it. */
  trend: keyof typeof TRENDS
  /** Set if an empty text means that the text is not written yet. */
  isEmptyAllowed?: true
}

const column = (name: string, read: keyof typeof TRENDS): Text => ({
  table: 'segment_columns',
  column: 'data',
  where: () => ofSegment(name),
  trend: read
})
const chunk = (table: string, name: string, read: keyof typeof TRENDS): Text => ({
  table,
  column: name,
  where: () => inShop(sql`${sql.identifier(table)}`),
  trend: read
})

/** The texts, by name. */
const TEXTS: Record<string, Text> = {
  'segments.slots': chunk('segments', 'slots', 'slots'),
  'segments.cold': chunk('segments', 'cold', 'nowhere'),
  'segments.build': chunk('segments', 'build', 'slots'),
  'segment_columns.data identity': column('identity', 'identity'),
  'segment_columns.data time': column('time', 'time'),
  'segment_columns.data version': column('version', 'version'),
  'segment_columns.data session': column('session', 'session'),
  'segment_columns.data event:plan': column('event:plan', 'plan'),
  'segment_columns.name': {
    ...column('event:plan', 'plan'),
    column: 'name'
  },
  'actor_chunks.data': { ...chunk('actor_chunks', 'data', 'actors'), isEmptyAllowed: true },
  'actor_chunks.build': chunk('actor_chunks', 'build', 'actors'),
  'version_chunks.versions': {
    ...chunk('version_chunks', 'versions', 'person'),
    isEmptyAllowed: true
  },
  'version_chunks.cold': chunk('version_chunks', 'cold', 'person_nowhere'),
  'version_chunks.build': chunk('version_chunks', 'build', 'person'),
  'version_columns.data': {
    ...chunk('version_columns', 'data', 'person'),
    where: () => sql`${inShop(sql`version_columns`)} and name = 'n'`
  },
  'version_columns.name': {
    ...chunk('version_columns', 'name', 'person'),
    where: () => sql`${inShop(sql`version_columns`)} and name = 'n'`
  }
}

/** Ways to damage a text; `test/unit/columns/codec.test.ts` damages each bit. */
const WAYS: Record<string, (text: string) => string> = {
  'a character in the middle differs': (text) => flip(text, text.length >> 1),
  'it is empty': () => '',
  ...(share === 1 && {
    'its first character differs': (text) => flip(text, 0),
    'its last character differs': (text) => flip(text.replace(/=+$/, ''), -1),
    'it is cut': (text) => text.slice(0, -5)
  })
}

/** Changes the lowest bit of a character. */
function flip(text: string, at: number): string {
  const i = at < 0 ? text.length + at : at
  return `${text.slice(0, i)}${String.fromCharCode(text.charCodeAt(i) ^ 1)}${text.slice(i + 1)}`
}

it('the list has every column with a text', () => {
  const tables = [segments, segmentColumns, actorChunks, versionChunks, versionColumns]
  const names = tables.flatMap((table) =>
    Object.values(getTableColumns(table))
      .filter(({ dataType }) => dataType === 'string')
      .map(({ name }) => `${getTableName(table)}.${name}`)
  )

  expect([...new Set(Object.keys(TEXTS).map((text) => text.split(' ')[0]))].sort()).toEqual(
    names.sort()
  )
})

describe('a trend stays right, and says what is damaged, if', () => {
  const expected = new Map<string, unknown>()

  beforeAll(async () => {
    for (const [name, body] of Object.entries(TRENDS)) {
      expected.set(name, await answer(body))
    }
  })

  /** Damages what was built, and compares the answer of a trend. */
  async function damage(read: keyof typeof TRENDS, change: () => Promise<unknown>, isSaid = true) {
    await change()
    const log = listenToLog()

    expect(await answer(TRENDS[read])).toEqual(expected.get(read))

    expect(log.lines('damaged columns')).toHaveLength(isSaid ? 1 : 0)
    log.stop()
    expect(await countDamaged(db)).toBe(isSaid ? 1 : 0)
    expect(await answer(TRENDS[read])).toEqual(expected.get(read))
  }

  const cases = Object.entries(TEXTS).flatMap(([name, text]) =>
    Object.keys(WAYS).map((way) => [name, way, text] as const)
  )

  it.each(cases)('%s: %s', async (_, way, { table, column, where, trend, isEmptyAllowed }) => {
    await build(table.startsWith('segment') ? 'segment' : 'chunks')
    const target = sql`${sql.identifier(table)}`
    const name = sql.identifier(column)
    const [row] = await db.all<{ text: string }>(
      sql`select ${name} as text from ${target} where ${where()}`
    )
    const damaged = WAYS[way]?.(row?.text ?? '')
    expect(damaged).not.toBe(row?.text)

    await damage(
      trend,
      () => db.run(sql`update ${target} set ${name} = ${damaged} where ${where()}`),
      !(isEmptyAllowed && damaged === '')
    )
  })

  it.each(['identity', 'time', 'version', 'event:plan'])('the column %s is gone', async (name) => {
    await build('segment')
    const read = name === 'event:plan' ? 'plan' : (name as keyof typeof TRENDS)

    await damage(read, () => db.run(sql`delete from segment_columns where ${ofSegment(name)}`))
  })

  it.each(['count', 'since', 'until'])('its %s differs', async (name) => {
    await build('segment')
    const column = sql.identifier(name)

    await damage('slots', () =>
      db.run(sql`update segments set ${column} = ${column} + ${SLOT} where project_id = ${shop.id}`)
    )
  })

  it('its range differs although its slots are known', async () => {
    await build('segment')
    expect(await answer(TRENDS.slots)).toEqual(expected.get('slots'))

    await damage('slots', () =>
      db.run(sql`update segments set until = until - ${SLOT} where project_id = ${shop.id}`)
    )
  })

  it('two of its columns are swapped', async () => {
    await build('segment')
    const dataOf = (name: string) =>
      sql`(select data from segment_columns where ${ofSegment(name)})`

    await damage('identity', () =>
      db.run(sql`
        update segment_columns set data = iif(name = 'time', ${dataOf('identity')}, ${dataOf('time')})
        where ${ofSegment('time')} or ${ofSegment('identity')}`)
    )
  })
})

it('while a damaged segment cannot be discarded, rows answer, but not without its slots', async () => {
  await build('segment')
  await db.run(sql`
    create trigger keep_segments before delete on segments begin select raise(abort, 'not now'); end`)
  try {
    await db.run(sql`update segment_columns set data = 'x' where ${ofSegment('event:plan')}`)
    for (let time = 0; time < 2; time += 1) {
      const log = listenToLog()
      const { status, body } = await ask(shop, TRENDS.plan)
      expect([status, body.result.length]).toEqual([200, 3])
      expect(log.lines('damaged columns')).toMatchObject([{ discarded: false, text: 'event:plan' }])
      log.stop()
    }
    expect(await countDamaged(db)).toBe(0)
    await db.run(
      sql`update segments set slots = 'x', build = 'other' where project_id = ${shop.id}`
    )

    const { status, body } = await ask(shop, TRENDS.slots)

    expect([status, body.code]).toEqual([503, 'unavailable'])
  } finally {
    await db.run(sql`drop trigger keep_segments`)
  }
})

it('health warns until a night has reported the damage, and then of the failed job', async () => {
  await build('segment')
  const health = async () => {
    const { body } = await request('GET', '/readyz', {}, undefined, { HEALTH_SECONDS: '0' })
    const nightly = body.crons.find(({ cron }: { cron: string }) => cron === NIGHTLY)
    return [body.database.status, body.database.damaged_columns, nightly.failed_jobs]
  }
  const night = () =>
    worker.scheduled(createScheduledController({ cron: NIGHTLY, scheduledTime: new Date() }), env)
  await night()
  expect(await health()).toEqual(['ok', 0, 0])
  const log = listenToLog()
  await db.run(sql`update segment_columns set data = 'x' where ${ofSegment('event:plan')}`)
  await answer(TRENDS.plan)
  expect(await listSegments(shop.id)).toEqual([])
  expect(await health()).toEqual(['warning', 1, 0])

  await night()

  expect(await health()).toEqual(['ok', 0, 1])
  expect(log.lines('scheduled job failed')).toMatchObject([
    { error: expect.stringContaining('segments and chunks since the last night: 1') }
  ])
  await night()
  expect(await health()).toEqual(['ok', 0, 0])
})
