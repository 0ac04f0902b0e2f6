import { Actors } from '../columns/actors.ts'
import type { Batch, Span, WantedColumns } from '../columns/batch.ts'
import { beginScan, type Scan } from '../columns/cache.ts'
import { type Deciders, Filter } from '../columns/filter.ts'
import type { Grouping } from '../columns/grouping.ts'
import type { Overview } from '../columns/overview.ts'
import { Reader } from '../columns/read.ts'
import { Scratch } from '../columns/scratch.ts'
import { type Dimension, EventSelection } from '../columns/selection.ts'
import { SLOT } from '../columns/slots/store.ts'
import { type Cohorts, Values } from '../columns/values.ts'
import type { Db } from '../db/client.ts'
import { numberOfValue } from '../properties/decide.ts'
import { type FilterGroup, leavesOf, type Property } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import type { Accumulator, Counted, NumberColumn, Piece, Rows, Sink } from './maths/accumulator.ts'
import { STEP_EVENTS } from './query.ts'
import { Sessions } from './sessions.ts'

/** Which events a sink gets, in which pieces of time, and with which columns. */
export type Feed = {
  /** Of a range that contains all pieces. */
  overview: Overview
  /** In the order of time. */
  pieces: readonly Piece[]
  filters: FilterGroup
  /** The properties whose values are the groups. */
  dimensions: readonly Dimension[]
  /** What the column `subjects` has the numbers of; nothing if undefined. */
  subjects: 'actors' | 'sessions' | undefined
  /** The property whose numbers the column `numbers` has; none if undefined. */
  numbers: Property | undefined
  /** Whether the column `actors` has the actors, whatever the subjects are. */
  listsActors: boolean
  /** Whether the events must come in the order of time and uuid, whatever their names. */
  inOrder: boolean
}

/** What is needed of events. */
export type EventNeeds = {
  /** In filters, dimensions and numbers. */
  properties: readonly Property[]
  actors: boolean
  sessions: boolean
  /** Whether the name of each event is needed. */
  names?: boolean
  /** Whether the identity of each event is needed, whatever its actor is. */
  identities?: boolean
  /** Whether the version of the person is needed, besides the person properties. */
  versions?: boolean
  uuids?: boolean
  /** Whether all properties of each event are needed. */
  bodies?: boolean
  /** Whether the time of each event is needed to the millisecond. */
  times: boolean
  /** Whether the events must come in the order of time and uuid, whatever their names. */
  inOrder: boolean
}

/**
 * Actors, property values and sessions of a project that were looked up for a computation, and the
 * work that it has done so far. All feeds of a computation share them.
 */
export class Knowledge {
  readonly scan: Scan
  readonly actors: Actors
  readonly values: Values
  readonly sessions = new Sessions()
  readonly work = new Work()
  readonly deciders: Deciders
  readonly stepEvents: number
  readonly #scratch = new Scratch()

  /**
   * @param filtering the deciders of all filters of the computation, and the cohorts in them
   * @param stepEvents approximate number of events read at once; it does not change the result
   */
  constructor(
    db: Db,
    projectId: number,
    { deciders, cohorts }: { deciders: Deciders; cohorts: Cohorts },
    stepEvents = STEP_EVENTS
  ) {
    this.scan = beginScan(db, projectId)
    this.actors = new Actors(this.scan)
    this.values = new Values(this.scan, this.actors, cohorts)
    this.deciders = deciders
    this.stepEvents = stepEvents
  }

  /**
   * Looks up what is needed of some batches, in as few statements as if they were one.
   */
  async learn({ actors, properties }: EventNeeds, batches: readonly Batch[]): Promise<void> {
    if (actors) {
      await this.actors.learn(batches.map(({ identities }) => identities))
    }
    for (const property of properties) {
      await this.values.learn(batches, property)
    }
  }

  /**
   * Returns the number of each identity's actor, in a list that is good until the next `forget`.
   */
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

/** The events of a batch, with the columns that the sink gets. */
type Read = Pick<Batch, 'length' | 'since' | 'place'> & { rows: Rows }

/** Some events of a batch, all of which lie in one piece of time. */
type Run = { piece: Piece; rows: Rows; from: number; until: number }

/**
 * Gives the events of a feed to an accumulator, in the order of its points. Yields the numbers of
 * each point as soon as they are known, and computes those of overlapping windows while they are
 * read.
 */
export async function* countFeed(
  knowledge: Knowledge,
  feed: Feed,
  grouping: Grouping,
  accumulator: Accumulator
): AsyncGenerator<Iterable<Counted>> {
  let point: number | undefined
  for await (const runs of readRuns(knowledge, feed, grouping)) {
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

/** Gives the events of a feed to a sink, in the order of its points. */
export async function feedSink(
  knowledge: Knowledge,
  feed: Feed,
  grouping: Grouping,
  sink: Sink
): Promise<void> {
  for await (const runs of readRuns(knowledge, feed, grouping)) {
    for (const { piece, rows, from, until } of runs) {
      sink.add(rows, from, until, piece)
    }
    knowledge.forget()
  }
}

/** Steps of a section. Segments that go on stay in memory: two million events in 40 MB. */
const SECTION_STEPS = 16

/** Divides a feed into sections. A segment in several sections is read for each of them. */
export function sectionsOf(
  { overview, pieces }: Pick<Feed, 'overview' | 'pieces'>,
  stepEvents = STEP_EVENTS
): Span[] {
  const [since, until] = [pieces[0]?.since ?? 0, pieces.at(-1)?.until ?? 0]
  return overview.steps(since, until, SECTION_STEPS * stepEvents)
}

/** What `readSteps` knows of a batch that was evaluated. */
type Placed = Pick<Batch, 'length' | 'since' | 'place'>

/** Events to read, and a function that evaluates batches of them as they are read. */
export type StepSource<Evaluated extends Placed> = {
  overview: Overview
  needs: EventNeeds
  evaluate: (batches: readonly Batch[]) => Promise<Evaluated[]>
  /** Makes an evaluated batch last longer than until the next `forget`. */
  keep: (evaluated: Evaluated) => Evaluated
}

/**
 * Reads the events of several sources in common steps of time, and yields the evaluated batches of
 * each step, which may have other events too. Segments of different names overlap in time, so those
 * that reach into the next step are kept until then: each is read once per section.
 */
export async function* readSteps<Evaluated extends Placed>(
  knowledge: Knowledge,
  whole: Pick<Feed, 'overview' | 'pieces'>,
  sources: readonly StepSource<Evaluated>[]
): AsyncGenerator<{ step: Span; read: Evaluated[] }> {
  const { scan, work, stepEvents } = knowledge
  const readers = sources.map((source) => ({
    ...source,
    reader: new Reader(scan, wantedBy(source.needs), stepEvents)
  }))
  let isBegun = false
  for (const section of sectionsOf(whole, stepEvents)) {
    let kept: Evaluated[] = []
    for (const step of whole.overview.steps(section.since, section.until, stepEvents)) {
      if (isBegun) {
        await work.turns.give()
      }
      isBegun = true
      const goesOn = ({ place, length }: Evaluated) => place(step.until) < length
      const read = [...kept]
      kept = kept.filter(goesOn)
      for (const { reader, overview, evaluate, keep } of readers) {
        for await (const batches of reader.read(overview, step, section)) {
          const fresh = await evaluate(batches)
          read.push(...fresh)
          kept.push(...fresh.filter(goesOn).map(keep))
        }
      }
      yield { step, read: read.sort((a, b) => a.since - b.since) }
    }
  }
}

/** Reads the events of a feed, and yields the runs of each step. */
async function* readRuns(
  knowledge: Knowledge,
  feed: Feed,
  grouping: Grouping
): AsyncGenerator<Run[]> {
  const needs = needsOf(feed)
  const evaluate = evaluatorOf(knowledge, feed, needs, grouping)
  const source = { overview: feed.overview, needs, evaluate, keep }
  for await (const { step, read } of readSteps(knowledge, feed, [source])) {
    yield runsOf(feed, read, step)
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
  feed: Feed,
  needs: EventNeeds,
  grouping: Grouping
): (batches: readonly Batch[]) => Promise<Read[]> {
  const { deciders, work, values } = knowledge
  const selection = new EventSelection(new Filter(feed.filters, deciders, work), feed.dimensions)
  return async (batches) => {
    if (batches.length > 1) {
      await knowledge.learn(needs, batches)
    }
    const read: Read[] = []
    for (const batch of batches) {
      // A step takes about 20 ms. `give`, which always pauses, would make trends a fifth slower
      // here.
      await work.turns.giveIfAwaited()
      const groups = await selection.groupsOf(batch, values, grouping)
      const { length, since, place } = batch
      const rows = { groups, ...(await columnsFor(knowledge, feed, batch)) }
      read.push({ length, since, place, rows })
    }
    return read
  }
}

const needsOf = ({
  pieces,
  filters,
  dimensions,
  subjects,
  numbers,
  listsActors,
  inOrder
}: Feed): EventNeeds => ({
  properties: [
    ...(numbers ? [numbers] : []),
    ...dimensions.map(({ property }) => property),
    ...leavesOf(filters)
  ],
  actors: listsActors || subjects === 'actors',
  sessions: subjects === 'sessions',
  // If all pieces begin and end with a slot, the slot of each event is enough.
  times: pieces.some(({ since, until }) => since % SLOT !== 0 || until % SLOT !== 0),
  inOrder
})

/** Returns the columns to read for what is needed. */
export function wantedBy({
  properties,
  actors,
  identities = false,
  versions: needsVersions = false,
  sessions,
  names = false,
  uuids = false,
  bodies = false,
  times,
  inOrder
}: EventNeeds): WantedColumns {
  const keys = properties.filter(({ type }) => type === 'event').map(({ key }) => key)
  const versions = needsVersions || properties.some(({ type }) => type === 'person')
  const isByCohort = properties.some(({ type }) => type === 'cohort')
  return {
    names,
    times,
    identities: versions || actors || identities || isByCohort,
    versions,
    sessions: sessions || properties.some(({ type }) => type === 'session'),
    properties: [...new Set(keys)],
    uuids,
    bodies,
    inOrder
  }
}

async function columnsFor(
  knowledge: Knowledge,
  { subjects, numbers, listsActors }: Feed,
  batch: Batch
): Promise<Omit<Rows, 'groups'>> {
  return {
    numbers: numbers ? await numbersOf(knowledge.values, batch, numbers) : NO_NUMBERS,
    subjects: subjects ? await subjectsOf(knowledge, subjects, batch) : new Int32Array(),
    actors: listsActors ? await knowledge.actorsOf(batch.identities) : new Int32Array()
  }
}

const NO_NUMBERS: NumberColumn = { codes: new Uint8Array(), values: new Float64Array() }

/** Returns the number of each event's actor or session; -1 for none. */
export const subjectsOf = async (
  knowledge: Knowledge,
  subjects: 'actors' | 'sessions',
  { identities, sessions }: Batch
): Promise<Int32Array> =>
  subjects === 'actors' ? knowledge.actorsOf(identities) : knowledge.sessions.of(sessions)

async function numbersOf(values: Values, batch: Batch, property: Property): Promise<NumberColumn> {
  const { codes, values: found } = await values.of(batch, property)
  const numbers = new Float64Array(found.length)
  for (const [code, value] of found.entries()) {
    numbers[code] = numberOfValue(value)
  }
  return { codes, values: numbers }
}

/** Cuts batches at the ends of pieces, in the order of pieces, then of batches. */
function runsOf({ pieces }: Feed, read: readonly Read[], step: Span): Run[] {
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
