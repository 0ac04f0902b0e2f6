import { ActorSet } from '../columns/actor-set.ts'
import { Actors } from '../columns/actors.ts'
import type { Batch, Span, WantedColumns } from '../columns/batch.ts'
import { beginScan } from '../columns/cache.ts'
import { decidersOf, Filter } from '../columns/filter.ts'
import type { Overview } from '../columns/overview.ts'
import { Reader } from '../columns/read.ts'
import { findOverviews, keyOfStretch, type Stretch } from '../columns/sealed.ts'
import { Values } from '../columns/values.ts'
import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { leavesOf } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import { type Behavior, isFulfilled } from './definition.ts'
import { Tallies } from './tallies.ts'

/** Events that the behaviours of a question's cohorts may read, ten in columns counting as one. */
const MAX_ROWS = 10_000_000

/** Events that are read at once. */
const STEP_EVENTS = 131_072

/** The earliest time that JavaScript knows, ms: all events are later. */
const BEGINNING = -8.64e15

/** A project's data, and the moment as of which behaviours are counted. */
export type BehaviorCounting = {
  db: Db
  project: { id: number; timezone: string; weekStart: number }
  now: Date
  /** Approximate number of events read at once; it does not change the result. */
  stepEvents?: number | undefined
}

/**
 * Finds who did what some behaviours say. Actors without a person count as well.
 * @throws query_too_large, attr `rows`, before an event is read; the errors of filters
 */
export async function countBehaviors(
  counting: BehaviorCounting,
  behaviors: readonly Behavior[]
): Promise<Map<Behavior, ActorSet>> {
  const { db, project } = counting
  const stretches = new Map(behaviors.map((one) => [one, stretchOf(project.id, one)]))
  const overviews = await findOverviews(db, [...stretches.values()])
  const planned = [...stretches].map(([behavior, stretch]) => {
    const overview = overviews.get(keyOfStretch(stretch))
    if (!overview) {
      throw new Error('The overview of a behaviour was not read.')
    }
    return { behavior, overview, span: stretch }
  })
  expectReadable(planned)
  const knowledge = newKnowledge(counting, behaviors)
  const found = new Map<Behavior, ActorSet>()
  for (const { behavior, overview, span } of planned) {
    found.set(behavior, await countOne(knowledge, behavior, { overview, span }))
  }
  return found
}

function stretchOf(projectId: number, { event, since, until, isFirst }: Behavior): Stretch {
  return { projectId, event, since: isFirst ? BEGINNING : since, until }
}

type Place = { overview: Overview; span: Span }

/** @throws query_too_large, attr `rows` */
function expectReadable(planned: readonly Place[]): void {
  const rows = planned
    .map(({ overview, span }) => overview.countReads([span]))
    .reduce((sum, count) => sum + count, 0)
  if (rows > MAX_ROWS || planned.some(({ overview }) => overview.isCut)) {
    throw new AppError(
      'query_too_large',
      `To find who did what the cohorts say, ${rows} events would be read, counting ten events in columns as one, and at most ${MAX_ROWS} are allowed: let the cohorts look at a shorter time.`,
      'rows'
    )
  }
}

type BehaviorKnowledge = ReturnType<typeof newKnowledge>

function newKnowledge(
  { db, project, now, stepEvents = STEP_EVENTS }: BehaviorCounting,
  behaviors: readonly Behavior[]
) {
  const scan = beginScan(db, project.id)
  const actors = new Actors(scan)
  const filters = behaviors.map((one) => one.filters)
  return {
    scan,
    actors,
    values: new Values(scan, actors, new Map()),
    deciders: decidersOf(filters, project.timezone, now),
    work: new Work(),
    stepEvents
  }
}

async function countOne(
  knowledge: BehaviorKnowledge,
  { filters, since, until, times, isFirst }: Behavior,
  { overview, span }: Place
): Promise<ActorSet> {
  const { actors, values, deciders, work } = knowledge
  const filter = new Filter(filters, deciders, work)
  const tallies = new Tallies(times)
  const before = new ActorSet()
  for await (const batch of readAll(knowledge, filters, { overview, span })) {
    const mask = await filter.maskOf(batch, values)
    const numbers = new Int32Array(batch.length)
    await actors.list(batch.identities, numbers)
    const each = (from: number, end: number, take: (number: number) => void) => {
      for (let i = from; i < end; i += 1) {
        if (mask?.[i] !== 0) {
          take(numbers[i] ?? 0)
        }
      }
    }
    const begin = batch.place(since)
    each(begin, batch.place(until), (number) => tallies.add(number))
    if (isFirst) {
      each(0, begin, (number) => before.note(number))
    }
  }
  const found = tallies.actorsWith((count) => isFulfilled(times, count))
  return isFirst ? ActorSet.join([found, before.inverse()], 'AND') : found
}

/** Yields all events of a range, in batches, in which events of one step may be anywhere. */
async function* readAll(
  { scan, actors, values, work, stepEvents }: BehaviorKnowledge,
  filters: Behavior['filters'],
  { overview, span }: Place
): AsyncGenerator<Batch> {
  const leaves = leavesOf(filters)
  const reader = new Reader(scan, wantedBy(leaves), stepEvents)
  for (const step of overview.steps(span.since, span.until, stepEvents)) {
    await work.turns.give()
    for await (const batches of reader.read(overview, step, span)) {
      if (batches.length > 1) {
        await actors.learn(batches.map(({ identities }) => identities))
        for (const leaf of leaves) {
          await values.learn(batches, leaf)
        }
      }
      for (const batch of batches) {
        await work.turns.giveIfAwaited()
        yield batch
      }
    }
  }
}

const wantedBy = (leaves: readonly { type: string; key: string }[]): WantedColumns => ({
  times: true,
  identities: true,
  versions: leaves.some(({ type }) => type === 'person'),
  sessions: leaves.some(({ type }) => type === 'session'),
  properties: [...new Set(leaves.flatMap(({ type, key }) => (type === 'event' ? [key] : [])))],
  inOrder: false
})
