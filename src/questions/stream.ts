import { type Batch, placeByTimes } from '../columns/batch.ts'
import { Filter } from '../columns/filter.ts'
import type { Grouping } from '../columns/grouping.ts'
import { Overview } from '../columns/overview.ts'
import { type Dimension, EventSelection } from '../columns/selection.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import {
  type EventNeeds,
  type Knowledge,
  readSteps,
  type StepSource,
  subjectsOf
} from '../trends/count.ts'
import {
  type EventSink,
  mergeEvents,
  onlyMarked,
  type Stretched,
  sortSimultaneous,
  type TimedEvents
} from './timed-events.ts'

/** Events of one name, or of any, that match filters. */
export type Entity = {
  /** Null for any name. */
  event: string | null
  filters: FilterGroup
  /** Of the name's events; all entities of any name have the same one. */
  overview: Overview
}

/** The events of some entities in a range of time. */
export type StreamQuery = {
  /** At most 31: each is a bit of `marks`. */
  entities: readonly Entity[]
  /** The properties whose values are the groups. */
  dimensions: readonly Dimension[]
  /** Events without one of these are left out. */
  subjects: 'actors' | 'sessions'
  since: number
  until: number
}

/** An entity and its bit. */
type Marked = { entity: Entity; bit: number }

/** The events of one name, or of all names that no entity has, and the entities they can be. */
type NamedEvents = { overview: Overview; marked: Marked[] }

/**
 * Divides the events of a stream by name, so that each event is read once, with the columns that
 * only the entities of its name need.
 */
export function divide(entities: readonly Entity[]): NamedEvents[] {
  const marked = entities.map((entity, i) => ({ entity, bit: 1 << i }))
  const ofAny = marked.filter(({ entity }) => entity.event === null)
  const named = [...Map.groupBy(marked, ({ entity }) => entity.event)].flatMap(([event, own]) => {
    const overview = own[0]?.entity.overview
    return event !== null && overview ? [{ overview, marked: [...own, ...ofAny] }] : []
  })
  const whole = ofAny[0]?.entity.overview
  const names = new Set(named.flatMap(({ overview }) => [...overview.eventIds]))
  return whole ? [...named, { overview: whole.without(names), marked: ofAny }] : named
}

/**
 * Gives a sink the events of a stream in the order of time, with the actor or the session of each.
 * Simultaneous events come in the order of the first entity that they are. Memory has the events of
 * one step, and those of segments that go on.
 */
export async function streamEvents(
  knowledge: Knowledge,
  query: StreamQuery,
  grouping: Grouping,
  sink: EventSink
): Promise<void> {
  const { entities, since, until } = query
  const divided = divide(entities)
  const overview = Overview.join(divided.map((one) => one.overview))
  const sources = divided.map((one) => sourceOf(knowledge, one, query, grouping))
  const whole = { overview, pieces: [{ since, until, point: 0 }] }
  for await (const { step, read } of readSteps(knowledge, whole, sources)) {
    const stretched = read.map(
      ({ events, place }): Stretched => ({
        events,
        from: place(step.since),
        until: place(step.until)
      })
    )
    mergeEvents(stretched, grouping, sink)
    knowledge.forget()
  }
}

type ReadEvents = Pick<Batch, 'length' | 'since' | 'place'> & { events: TimedEvents }

function sourceOf(
  knowledge: Knowledge,
  { overview, marked }: NamedEvents,
  { dimensions, subjects }: Pick<StreamQuery, 'dimensions' | 'subjects'>,
  grouping: Grouping
): StepSource<ReadEvents> {
  const { deciders, work, values } = knowledge
  const needs: EventNeeds = {
    properties: [
      ...dimensions.map(({ property }) => property),
      ...marked.flatMap(({ entity }) => leavesOf(entity.filters))
    ],
    actors: subjects === 'actors',
    sessions: subjects === 'sessions',
    times: true,
    inOrder: false
  }
  const filters = marked.map(({ entity, bit }) => ({
    bit,
    filter: new Filter(entity.filters, deciders, work)
  }))
  const everything = new Filter({ type: 'AND', values: [] }, deciders, work)
  const selection = new EventSelection(everything, dimensions)

  async function marksOf(batch: Batch): Promise<Int32Array> {
    const marks = new Int32Array(batch.length)
    for (const { filter, bit } of filters) {
      mark(marks, await filter.maskOf(batch, values), bit)
    }
    return marks
  }

  async function evaluate(batches: readonly Batch[]): Promise<ReadEvents[]> {
    if (batches.length > 1) {
      await knowledge.learn(needs, batches)
    }
    const read: ReadEvents[] = []
    for (const batch of batches) {
      await work.turns.giveIfAwaited()
      const events = onlyMarked({
        length: batch.length,
        times: batch.times,
        marks: await marksOf(batch),
        subjects: await subjectsOf(knowledge, subjects, batch),
        groups: await selection.groupsOf(batch, values, grouping)
      })
      sortSimultaneous(events, grouping)
      const place = placeByTimes(events.times)
      read.push({ length: events.length, since: batch.since, place, events })
    }
    return read
  }

  return { overview, needs, evaluate, keep }
}

/** Adds a bit to the marks of the events in a mask; of all events without one. */
function mark(marks: Int32Array, mask: Uint8Array | undefined, bit: number): void {
  if (!mask) {
    for (let i = 0; i < marks.length; i += 1) {
      marks[i] = (marks[i] ?? 0) | bit
    }
    return
  }
  for (let i = 0; i < marks.length; i += 1) {
    marks[i] = (marks[i] ?? 0) | (mask[i] === 0 ? 0 : bit)
  }
}

/** Copies the list that is only good until the next `forget`. */
const keep = ({ events, ...read }: ReadEvents): ReadEvents => ({
  ...read,
  events: { ...events, subjects: events.subjects.slice() }
})
