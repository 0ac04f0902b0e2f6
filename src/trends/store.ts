import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import { type Db, isTooBig } from '../db/client.ts'
import { pause } from '../pause.ts'
import { tooManyValues } from '../properties/decide.ts'
import { leavesOf, type PropertyFilter } from '../properties/filter.ts'
import { matcherOf } from '../properties/match.ts'
import type { Work } from '../properties/work.ts'
import { SLOT } from '../rollups/store.ts'
import {
  type Cell,
  type Found,
  Gathering,
  isJoined,
  joinCells,
  MAX_TEXT,
  type Value
} from './cells.ts'
import { countsSessions, isAdditive, MAX_BREAKDOWN_VALUES, type Property } from './query.ts'
import {
  actorsSql,
  cellsSql,
  countsActors,
  extremesSql,
  isByJson,
  isSpelled,
  type Matching,
  named,
  type Scan,
  spelledSql,
  subjectsSql,
  textsSql
} from './scan/store.ts'
import { countSpelled, findFrequent, type Known, toValue } from './spelling.ts'
import { type Step, statementsOf, type Window } from './windows.ts'

/** So long others have the database after each statement that looks at events. */
const REST_MS = 1

/** So many identities are kept in mind with whose they are. */
const MAX_KNOWN = 200_000
/** Whose so many are is asked at once, which takes 150 ms at most. */
const MAX_ASKED = 40_000

/** How many events there are in each window, from the counts of quarters of an hour: a little more than exactly if a window cuts one. */
export async function countWindows(
  db: Db,
  { projectId, event }: Scan,
  windows: readonly Window[]
): Promise<number[]> {
  const slots = windows.map(({ from, until }) => [Math.floor(from / SLOT), Math.ceil(until / SLOT)])
  const [row] = await read<{ counts: string }>(
    db,
    sql`select json_group_array((
          select coalesce(sum(c.count), 0)
          from event_names n cross join event_counts c
            on c.project_id = n.project_id and c.event_id = n.id and c.slot >= w.since and c.slot < w.until
          where n.project_id = ${projectId} ${named(event)})) as counts
        from (select value ->> 0 as since, value ->> 1 as until from json_each(${JSON.stringify(slots)}) limit -1) w`
  )
  return JSON.parse(row?.counts ?? '[]')
}

/** When the project's first event was; undefined without any. */
export async function findFirst(db: Db, projectId: number): Promise<number | undefined> {
  const [row] = await read<{ first: number | null }>(
    db,
    sql`select min((select timestamp from events e where e.project_id = n.project_id and e.event_id = n.id
                    order by timestamp limit 1)) as first
        from event_names n where n.project_id = ${projectId}`
  )
  return row?.first ?? undefined
}

/** How texts are compared; the work of all series counts together. */
type Comparing = { timezone: string; now: Date; work: Work }

/**
 * For the filters whose operators SQL lacks, the texts among those of the windows' events that fulfil them.
 * @throws query_too_large for a property with too many different texts, or when comparing them takes too much work
 */
export async function readMatching(
  db: Db,
  scan: Scan,
  statements: readonly Window[][],
  { timezone, now, work }: Comparing
): Promise<Matching> {
  const asked = leavesOf(scan.filters).flatMap((filter) => {
    const match = matcherOf(filter, timezone, now)
    return match ? [{ filter, match }] : []
  })
  const texts = new Map<string, Set<string>>()
  for (const { filter } of asked) {
    const name = JSON.stringify([filter.type, filter.key])
    if (texts.has(name)) {
      continue
    }
    const found = new Set<string>()
    let length = 0
    texts.set(name, found)
    for (const windows of statements) {
      const limited = sql`${textsSql(scan, windows, filter)} limit ${MAX_BREAKDOWN_VALUES + 1}`
      for (const { text } of await look<{ text: string }>(db, limited)) {
        if (!found.has(text)) {
          length += text.length
        }
        found.add(text)
      }
      if (found.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT) {
        throw tooManyValues(filter.key)
      }
    }
  }
  let length = 0
  const matching = new Map<PropertyFilter, string[]>()
  for (const { filter, match } of asked) {
    const found = texts.get(JSON.stringify([filter.type, filter.key])) ?? []
    const fulfilling = await match([...found], work)
    // They are bound values of every statement, which takes only so many.
    for (const text of fulfilling) {
      length += text.length
    }
    if (length > MAX_TEXT) {
      throw tooManyValues(filter.key)
    }
    matching.set(filter, fulfilling)
  }
  return matching
}

type FoundRow = { point: number; value: Value; subjects: string; numbers?: string }

/** What each statement finds, whole points or parts of them; of actors who they are, and not their identities. */
export async function* readFound(
  db: Db,
  scan: Scan,
  statements: readonly Window[][],
  values?: readonly string[]
): AsyncGenerator<Found[]> {
  // One statement by itself looks actors up; of several, many would look up the same.
  const actors = countsActors(scan.math) && statements.length > 1 ? new Actors(db) : undefined
  for (const windows of statements) {
    const statement = subjectsSql(scan, windows, values, actors !== undefined)
    const rows = await look<FoundRow>(db, statement)
    const found = rows.map(
      ({ point, value, subjects, numbers }): Found => ({
        point,
        value: isByJson(scan, values) ? toValue(value) : value,
        subjects: JSON.parse(subjects),
        ...(numbers && { numbers: JSON.parse(numbers) })
      })
    )
    yield actors ? await actors.of(found) : found
  }
}

/** Whose the identities are: each has a slot, where its actor is found without looking it up once more. */
class Actors {
  readonly #db: Db
  readonly #slots = new Map<number, number>()
  readonly #actors: number[] = []

  constructor(db: Db) {
    this.#db = db
  }

  /** @returns what was found, with the actor in the place of each identity */
  async of(found: readonly Found[]): Promise<Found[]> {
    const known = this.#slots.size
    const fresh: number[] = []
    const slotOf = (identity: number): number => {
      const found = this.#slots.get(identity)
      if (found !== undefined) {
        return found
      }
      const slot = this.#slots.size
      this.#slots.set(identity, slot)
      fresh.push(identity)
      return slot
    }
    const slots = found.map(({ subjects }) => subjects.map((identity) => slotOf(Number(identity))))
    await this.#learn(fresh)
    const actors = slots.map((some) => some.map((slot) => this.#actors[slot] ?? null))
    for (const identity of fresh.slice(Math.max(0, MAX_KNOWN - known))) {
      this.#slots.delete(identity)
    }
    this.#actors.length = this.#slots.size
    return found.map((one, i) => ({ ...one, subjects: actors[i] ?? [] }))
  }

  async #learn(fresh: readonly number[]): Promise<void> {
    for (let from = 0; from < fresh.length; from += MAX_ASKED) {
      const asked = JSON.stringify(fresh.slice(from, from + MAX_ASKED))
      const [row] = await look<{ identities: string; actors: string }>(this.#db, actorsSql(asked))
      const identities: number[] = JSON.parse(row?.identities ?? '[]')
      const actors: number[] = JSON.parse(row?.actors ?? '[]')
      for (const [i, identity] of identities.entries()) {
        const slot = this.#slots.get(identity)
        if (slot !== undefined) {
          this.#actors[slot] = actors[i] ?? -identity
        }
      }
    }
  }
}

/**
 * The cells of each step, with `values` those of these, of none, and of all others together.
 * @throws query_too_large for a bucket of too many subjects
 */
export async function* readSteps(
  db: Db,
  scan: Scan,
  steps: readonly Step[],
  values?: readonly string[]
): AsyncGenerator<Cell[]> {
  const { math } = scan
  const isGathered = countsSessions(scan)
  const reader = new CellReader(db, scan, values)
  for (const step of steps) {
    const statements = statementsOf([step])
    if (isAdditive(scan)) {
      for (const windows of statements) {
        yield await reader.read(windows)
      }
    } else if (isJoined(math) && !isGathered) {
      const cells: Cell[] = []
      for (const windows of statements) {
        for (const cell of await reader.read(windows)) {
          cells.push(cell)
        }
      }
      yield joinCells(cells, math)
    } else {
      const gathering = new Gathering()
      for await (const found of readFound(db, scan, statements, values)) {
        for (const one of found) {
          gathering.add(one)
        }
      }
      yield gathering.cells(scan)
    }
  }
}

/** Reads cells by statements that follow each other. */
class CellReader {
  readonly #db: Db
  readonly #scan: Scan
  readonly #values: readonly string[] | undefined
  /** Those of the first events; undefined if values are not spelled. */
  #known: Known | undefined

  constructor(db: Db, scan: Scan, values: readonly string[] | undefined) {
    this.#db = db
    this.#scan = scan
    this.#values = values
    this.#known = isSpelled(scan, values) ? { values: [], areMost: false } : undefined
  }

  async read(windows: Window[]): Promise<Cell[]> {
    const cells = this.#known && (await this.#spelled(windows, this.#known))
    return cells ?? this.#grouped(windows)
  }

  /** Undefined for values too long, or too many, to be spelled: others are then not spelled either. */
  async #spelled(windows: Window[], known: Known): Promise<Cell[] | undefined> {
    this.#known = undefined
    const statement = spelledSql(this.#scan, windows, known)
    const rows = await look<{ point: number; spelled: string | null }>(this.#db, statement).catch(
      (error: unknown) => {
        if (isTooBig(error)) {
          return undefined
        }
        throw error
      }
    )
    const counted = rows?.map(({ point, spelled }) => ({
      point,
      counts: countSpelled(spelled ?? '', known.values)
    }))
    if (!counted) {
      return undefined
    }
    const cells: Cell[] = []
    for (const { point, counts } of counted) {
      if (!counts) {
        return undefined
      }
      for (const [json, count] of counts) {
        cells.push({ point, value: toValue(json), result: count, size: count })
      }
    }
    this.#known =
      known.values.length > 0 ? known : findFrequent(counted.flatMap(({ counts }) => counts ?? []))
    return cells
  }

  async #grouped(windows: Window[]): Promise<Cell[]> {
    const statement = cellsSql(this.#scan, windows, this.#values)
    const rows = await look<{ point: number; value: Value; counted: string }>(this.#db, statement)
    return rows.map(({ point, value, counted }) => {
      const [result = 0, size = 0]: number[] = JSON.parse(counted)
      return {
        point,
        value: isByJson(this.#scan, this.#values) ? toValue(value) : value,
        result,
        size
      }
    })
  }
}

/** The lowest and the highest number that a property has in each statement's events, where it has any. */
export async function readExtremes(
  db: Db,
  scan: Scan,
  statements: readonly Window[][],
  property: Property
): Promise<number[]> {
  const extremes: number[] = []
  for (const windows of statements) {
    const [row] = await look<{ low: number | null; high: number | null }>(
      db,
      extremesSql(scan, windows, property)
    )
    for (const extreme of [row?.low, row?.high]) {
      if (typeof extreme === 'number') {
        extremes.push(extreme)
      }
    }
  }
  return extremes
}

/** A statement that may take long, and then a rest: a database does one thing at a time, and others wait for it. */
async function look<Row>(db: Db, statement: SQL): Promise<Row[]> {
  const rows = await read<Row>(db, statement)
  await pause(REST_MS)
  return rows
}

const read = async <Row>(db: Db, statement: SQL): Promise<Row[]> =>
  (await readBatch(db, query<Row>(statement)))[0]
