import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Db, newUsage, openDb } from '../../../src/db/client.ts'
import { computeSql } from '../../../src/sql/answer.ts'
import { readSql } from '../../../src/sql/request.ts'
import { startDatabase } from '../../support/database.ts'
import { deep } from '../../support/depth.ts'
import { Duck } from '../../support/oracle/duck.ts'
import { makeWorld, readStored, readStoredPersons, sealAll } from '../../support/oracle/history.ts'
import { type Place, PROPERTY_NAMES, statement } from '../../support/oracle/statements.ts'
import { type World, world } from '../../support/oracle/world.ts'
import { unseal } from '../../support/segments.ts'

/*
 * Random data and random statements: the product must give DuckDB's answers for the same events, half
 * sealed, from rows and from segments. A failure prints its seed and the smallest failing case.
 */

let database: Awaited<ReturnType<typeof startDatabase>>
let db: Db
let duck: Duck

beforeAll(async () => {
  database = await startDatabase()
  db = openDb(database.binding, newUsage()).db
  duck = await Duck.start()
})

afterAll(async () => {
  duck.end()
  await database.end()
})

/** Returns a function that computes statements about a world. */
function answering(id: number, { zone, weekStart, now }: World) {
  const project = { id, timezone: zone, weekStart }
  return (query: string, stepEvents = 40_000) => {
    const settings = { ...project, testAccountFilters: [] }
    const read = readSql({ kind: 'HogQLQuery', query }, settings, new Date(now))
    return computeSql({ db, project, stepEvents }, read, new Date(now))
  }
}

/** Writes a number with 12 digits, since the last ones depend on the order of additions. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plain)
  }
  return typeof value === 'number' ? Number(value.toPrecision(12)) + 0 : value
}

/** DuckDB writes whole numbers of 64 bits as texts. */
const likeCell = (wanted: unknown, found: unknown): unknown =>
  typeof wanted === 'string' && typeof found === 'number' ? Number(wanted) : wanted

const likeRows = (wanted: readonly unknown[][], found: readonly unknown[][]): unknown =>
  wanted.map((cells, row) => cells.map((cell, i) => plain(likeCell(cell, found[row]?.[i]))))

async function agree(one: World, statements: readonly ((place: Place) => object)[]) {
  const id = await makeWorld(db, one)
  await duck.load(await readStored(db, id), one)
  await duck.loadPersons(await readStoredPersons(db, id))
  const answer = answering(id, one)
  const { types } = await answer(`SELECT ${PROPERTY_NAMES.join(', ')} FROM events LIMIT 1`)
  const place = {
    types: new Map(PROPERTY_NAMES.map((name, i) => [name, types[i]?.[1] ?? ''])),
    world: one
  }
  const asked = statements.map((write) => write(place) as { ours: string; duck: string })
  const wanted: unknown[][][] = []
  for (const { duck: sql } of asked) {
    wanted.push(await duck.list(sql))
  }
  const compare = async (some = asked, stepEvents?: number) => {
    for (const [i, { ours, duck: sql }] of some.entries()) {
      const { results } = await answer(ours, stepEvents)
      const rows = wanted[i] ?? []
      expect({ ours, sql, rows: results.map(plain) }).toEqual({
        ours,
        sql,
        rows: likeRows(rows, results)
      })
    }
  }
  await compare()
  // Steps of three events take many reads.
  await compare(asked.slice(0, 4), 3)
  await unseal(db, id)
  await compare()
  await sealAll(db, id, one)
  await compare()
}

it("statements match DuckDB's", async () => {
  const statements = fc.array(statement, { minLength: 16, maxLength: 16 })
  const details = await fc.check(fc.asyncProperty(world, statements, agree), deep(40))
  if (details.failed) {
    throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
  }
})
