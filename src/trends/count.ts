import { Actors } from '../columns/actors.ts'
import type { Batch, Wanted } from '../columns/batch.ts'
import { type Deciders, Filter } from '../columns/filter.ts'
import type { Grouping } from '../columns/grouping.ts'
import { Reader } from '../columns/read.ts'
import { beginScan, type Scan } from '../columns/recent.ts'
import { Scratch } from '../columns/scratch.ts'
import { Selection } from '../columns/selection.ts'
import { SLOT } from '../columns/slots/store.ts'
import { Values } from '../columns/values.ts'
import type { Db } from '../db/client.ts'
import { numberOfValue } from '../properties/decide.ts'
import { leavesOf, type Property } from '../properties/filter.ts'
import type { Work } from '../properties/work.ts'
import { toDimension } from './dimensions.ts'
import type { Accumulator, Counted, NumberColumn, Piece, Rows } from './maths/accumulator.ts'
import { MATHS } from './maths/table.ts'
import { isInOrder, type Part, sectionsOf } from './plan.ts'
import type { Breakdown } from './query.ts'
import { Sessions } from './sessions.ts'

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

  /** Looks up what a part needs to know of some batches, in as few statements as if they were one batch. */
  async learn(part: Part, properties: readonly Property[], batches: readonly Batch[]) {
    if (part.listsActors || MATHS[part.math].over === 'actors') {
      await this.actors.learn(batches.map(({ identities }) => identities))
    }
    for (const property of properties) {
      await this.values.learn(batches, property)
    }
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
  deciders: Deciders
  work: Work
  /** Approximate number of events read at once. */
  stepEvents: number
}

/** The events of a batch, with the columns that the accumulator gets. */
type Read = Pick<Batch, 'length' | 'since' | 'place'> & { rows: Rows }

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

/**
 * Reads the events of a part, and yields the runs of each step. Segments of different names overlap in time, so those that reach
 * into the next step are kept until then: each is read once per section.
 */
async function* readRuns(knowledge: Knowledge, part: Part, split: Split): AsyncGenerator<Run[]> {
  const { overview } = part
  const { work, stepEvents } = split
  const reader = new Reader(knowledge.scan, wantedOf(part, split.breakdowns), stepEvents)
  const evaluate = evaluatorOf(knowledge, part, split)
  let isBegun = false
  for (const section of sectionsOf(part, stepEvents)) {
    let kept: Read[] = []
    for (const step of overview.steps(section.since, section.until, stepEvents)) {
      if (isBegun) {
        await work.turns.give()
      }
      isBegun = true
      const fresh: Read[] = []
      for await (const batches of reader.read(overview, step, section)) {
        fresh.push(...(await evaluate(batches)))
      }
      const read = [...kept, ...fresh].sort((a, b) => a.since - b.since)
      const goesOn = ({ place, length }: Read) => place(step.until) < length
      kept = [...kept.filter(goesOn), ...fresh.filter(goesOn).map(keep)]
      yield runsOf(part, read, step)
    }
  }
}

/** Copies lists that are only good until the next `forget`. */
const keep = ({ rows, ...read }: Read): Read => ({
  ...read,
  rows: { ...rows, subjects: rows.subjects.slice(), actors: rows.actors.slice() }
})

/** Returns a function that decides which events of some batches count, and for what. */
function evaluatorOf(
  knowledge: Knowledge,
  part: Part,
  { breakdowns, grouping, deciders, work }: Split
): (batches: readonly Batch[]) => Promise<Read[]> {
  const filter = new Filter(part.filters, deciders, work)
  const selection = new Selection(filter, breakdowns.map(toDimension))
  const properties = propertiesOf(part, breakdowns)
  return async (batches) => {
    if (batches.length > 1) {
      await knowledge.learn(part, properties, batches)
    }
    const read: Read[] = []
    for (const batch of batches) {
      // A step takes about 20 ms. `give`, which always pauses, would make trends a fifth slower here.
      await work.turns.giveIfAwaited()
      const groups = await selection.groupsOf(batch, knowledge.values, grouping)
      const { length, since, place } = batch
      const rows = { groups, ...(await columnsFor(knowledge, part, batch)) }
      read.push({ length, since, place, rows })
    }
    return read
  }
}

/** Returns the properties that a part reads. */
const propertiesOf = (
  { property, filters }: Part,
  breakdowns: readonly Breakdown[]
): Property[] => [...(property ? [property] : []), ...breakdowns, ...leavesOf(filters)]

/** Returns the columns that a part needs. */
function wantedOf(part: Part, breakdowns: readonly Breakdown[]): Wanted {
  const { math, pieces, listsActors } = part
  const { over } = MATHS[math]
  const properties = propertiesOf(part, breakdowns)
  const keys = properties.filter(({ type }) => type === 'event').map(({ key }) => key)
  const versions = properties.some(({ type }) => type === 'person')
  return {
    // If all pieces begin and end with a slot, the slot of each event is enough.
    times: pieces.some(({ since, until }) => since % SLOT !== 0 || until % SLOT !== 0),
    identities: versions || listsActors || over === 'actors',
    versions,
    sessions: over === 'sessions' || properties.some(({ type }) => type === 'session'),
    properties: [...new Set(keys)],
    inOrder: isInOrder(part, breakdowns)
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
  const { over } = MATHS[math]
  if (over === 'actors') {
    return { subjects: await knowledge.actorsOf(batch.identities), numbers }
  }
  if (over === 'sessions' || property?.type === 'session') {
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
    for (const { place, rows } of read) {
      const [from, end] = [place(since), place(until)]
      if (from < end) {
        runs.push({ piece, rows, from, until: end })
      }
    }
  }
  return runs
}
