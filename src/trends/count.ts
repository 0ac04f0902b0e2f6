import { Actors } from '../columns/actors.ts'
import type { Batch, Wanted } from '../columns/batch.ts'
import { Reader } from '../columns/read.ts'
import { beginScan, type Scan } from '../columns/recent.ts'
import { Scratch } from '../columns/scratch.ts'
import type { Db } from '../db/client.ts'
import { type Decider, numberOfValue } from '../properties/decide.ts'
import { isOneOf, leavesOf, type PropertyFilter } from '../properties/filter.ts'
import type { Work } from '../properties/work.ts'
import { SLOT } from '../rollups/store.ts'
import type { Grouping } from './grouping.ts'
import type { Accumulator, Counted, Piece, Rows } from './maths/accumulator.ts'
import { countsActors } from './maths/choose.ts'
import type { NumberColumn } from './maths/numbers.ts'
import type { Part } from './plan.ts'
import { type Breakdown, countsSessions, FIRSTS, type Property } from './query.ts'
import { Selection } from './selection.ts'
import { Sessions } from './sessions.ts'
import { Values } from './values.ts'

/** Events that are read in one step, before they are computed. */
export const STEP_EVENTS = 131_072

/** The actors, property values and sessions of a project that were looked up for a trend. All parts of the trend share them. */
export class Knowledge {
  readonly scan: Scan
  readonly actors: Actors
  readonly values: Values
  readonly sessions = new Sessions()
  readonly #scratch = new Scratch()

  constructor(db: Db, projectId: number) {
    this.scan = beginScan(db, projectId)
    this.actors = new Actors(this.scan)
    this.values = new Values(this.scan)
  }

  /** Returns the number of each identity's actor, in a list that is good until the next `forget`. */
  async actorsOf(identities: Uint32Array): Promise<Int32Array> {
    const numbers = this.#scratch.take(identities.length)
    await this.actors.list(identities, numbers)
    return numbers
  }

  /** Ends the use of all lists of actors. */
  forget(): void {
    this.#scratch.release()
  }
}

/** The rules by which the events of a part are divided: filters, and the values of a breakdown. */
export type Split = {
  breakdowns: readonly Breakdown[]
  grouping: Grouping
  deciders: ReadonlyMap<PropertyFilter, Decider>
  work: Work
  /** Approximate number of events read at once. */
  stepEvents: number
}

/** A batch, and those of its columns that the accumulator gets. */
type Read = { batch: Batch; rows: Rows }

/** Some events of a batch, all of which lie in one piece of time. */
type Run = { piece: Piece; rows: Rows; from: number; until: number }

/**
 * Computes a part: reads its events step by step, and gives them to the accumulator in the order of its points. Yields the
 * numbers of each point as soon as they are known, and computes those of overlapping windows while they are read.
 */
export async function* countPart(
  knowledge: Knowledge,
  part: Part,
  split: Split,
  accumulator: Accumulator
): AsyncGenerator<Iterable<Counted>> {
  let point: number | undefined
  for await (const runs of readRuns(knowledge, part, split)) {
    for (const { piece, rows, from, until } of runs) {
      if (point !== undefined && piece.point !== point) {
        yield [...accumulator.finish(point)]
      }
      point = piece.point
      accumulator.add(rows, from, until, piece)
    }
    knowledge.forget()
  }
  if (point !== undefined) {
    yield [...accumulator.finish(point)]
  }
  yield accumulator.end()
}

/** Reads the events of a part, and yields the runs of each step. */
async function* readRuns(
  knowledge: Knowledge,
  part: Part,
  { breakdowns, grouping, deciders, work, stepEvents }: Split
): AsyncGenerator<Run[]> {
  const { overview, pieces, filters } = part
  const [begin, end] = [pieces[0]?.since ?? 0, pieces.at(-1)?.until ?? 0]
  const reader = new Reader(knowledge.scan, wantedOf(part, breakdowns), stepEvents)
  const selection = new Selection(filters, deciders, breakdowns, work)
  for (const [i, step] of overview.steps(begin, end, stepEvents).entries()) {
    if (i > 0) {
      await work.turns.give()
    }
    const batches = await reader.read(overview, step)
    batches.sort((a, b) => a.since - b.since)
    const read: Read[] = []
    for (const batch of batches) {
      // A step takes about 20 ms. `give`, which always pauses, would make trends a fifth slower here.
      await work.turns.giveIfAwaited()
      const groups = await selection.groupsOf(batch, knowledge.values, grouping)
      read.push({ batch, rows: { groups, ...(await columnsFor(knowledge, part, batch)) } })
    }
    yield runsOf(part, read, step)
  }
}

/** Returns the columns that a part needs. */
function wantedOf(
  { math, property, filters, pieces, listsActors }: Part,
  breakdowns: readonly Breakdown[]
): Wanted {
  const properties: Property[] = [
    ...(property ? [property] : []),
    ...breakdowns,
    ...leavesOf(filters)
  ]
  const keys = properties.filter(({ type }) => type === 'event').map(({ key }) => key)
  const versions = properties.some(({ type }) => type === 'person')
  return {
    // If all pieces begin and end with a slot, the slot of each event is enough.
    times: pieces.some(({ since, until }) => since % SLOT !== 0 || until % SLOT !== 0),
    identities: versions || listsActors || countsActors(math),
    versions,
    sessions: math === 'unique_session' || properties.some(({ type }) => type === 'session'),
    properties: [...new Set(keys)],
    // Without properties it does not matter which event of a point is an actor's first.
    inOrder: isOneOf(FIRSTS, math) && properties.length > 0
  }
}

/** Returns the subjects and the numbers that a math needs, and the actors if the part lists them. */
async function columnsFor(
  knowledge: Knowledge,
  part: Part,
  batch: Batch
): Promise<Omit<Rows, 'groups'>> {
  return {
    ...(await subjectsOf(knowledge, part, batch)),
    actors: part.listsActors ? await knowledge.actorsOf(batch.identities) : new Int32Array()
  }
}

async function subjectsOf(
  knowledge: Knowledge,
  { math, property }: Part,
  batch: Batch
): Promise<Pick<Rows, 'subjects' | 'numbers'>> {
  const numbers: NumberColumn = property
    ? await numbersOf(knowledge.values, batch, property)
    : { codes: new Uint8Array(), values: new Float64Array() }
  if (countsActors(math)) {
    return { subjects: await knowledge.actorsOf(batch.identities), numbers }
  }
  if (math === 'unique_session' || countsSessions({ property })) {
    return { subjects: knowledge.sessions.of(batch.sessions), numbers }
  }
  return { subjects: new Int32Array(), numbers }
}

async function numbersOf(values: Values, batch: Batch, property: Property): Promise<NumberColumn> {
  const { codes, values: found } = await values.of(batch, property)
  const numbers = new Float64Array(found.length)
  for (const [code, value] of found.entries()) {
    numbers[code] = numberOfValue(value)
  }
  return { codes, values: numbers }
}

/** Cuts batches at the ends of pieces. The runs are in the order of pieces and, within a piece, in the order of batches. */
function runsOf(
  { pieces }: Part,
  read: readonly Read[],
  step: { since: number; until: number }
): Run[] {
  const first = pieces.findIndex(({ until }) => until > step.since)
  const last = pieces.findLastIndex(({ since }) => since < step.until)
  const runs: Run[] = []
  for (const piece of pieces.slice(Math.max(0, first), last + 1)) {
    const since = Math.max(piece.since, step.since)
    const until = Math.min(piece.until, step.until)
    for (const { batch, rows } of read) {
      const [from, end] = [batch.place(since), batch.place(until)]
      if (from < end) {
        runs.push({ piece, rows, from, until: end })
      }
    }
  }
  return runs
}
