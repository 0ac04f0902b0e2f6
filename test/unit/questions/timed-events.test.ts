import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Grouping } from '../../../src/columns/grouping.ts'
import {
  mergeEvents,
  onlyMarked,
  type Stretched,
  sortSimultaneous,
  type TimedEvents
} from '../../../src/questions/timed-events.ts'
import { deep } from '../../support/depth.ts'

type Event = { time: number; mark: number; actor: number; value: string | null }

const toTimed = (events: readonly Event[], grouping: Grouping): TimedEvents => ({
  length: events.length,
  times: Float64Array.from(events, ({ time }) => time),
  marks: Int32Array.from(events, ({ mark }) => mark),
  subjects: Int32Array.from(events, ({ actor }) => actor),
  groups: Int32Array.from(events, ({ value }) => grouping.groupOf(value))
})

const toEvents = ({ times, marks, subjects, groups }: TimedEvents, grouping: Grouping) =>
  Array.from(times, (time, i) => ({
    time,
    mark: marks[i],
    actor: subjects[i],
    value: grouping.valueOf(groups?.[i] ?? 0)
  }))

function merge(stretched: readonly Stretched[], grouping: Grouping) {
  const merged: ReturnType<typeof toEvents> = []
  mergeEvents(stretched, grouping, {
    add: (events, from, until) => merged.push(...toEvents(events, grouping).slice(from, until))
  })
  return merged
}

const LAST = 2 ** 30

/** Returns the place of the first mark of an event. */
const firstMark = (mark: number): number => [...Array(31).keys()].findIndex((i) => mark & (1 << i))

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b)

const event = fc.record({
  time: fc.integer({ min: 0, max: 6 }),
  mark: fc.constantFrom(1, 2, 3, 4, 6, LAST, LAST + 1),
  actor: fc.constant(2),
  value: fc.constantFrom(null, 'a', 'b')
})

it('merges runs of events in an order that does not depend on the runs', () => {
  fc.assert(
    fc.property(fc.array(fc.array(event, { maxLength: 12 }), { maxLength: 6 }), (runs) => {
      const grouping = new Grouping()
      const sorted = runs.map((run) => [...run].sort((a, b) => a.time - b.time))
      const stretched = sorted.map((run) => {
        const events = toTimed(run, grouping)
        sortSimultaneous(events, grouping)
        return { events, from: 0, until: run.length }
      })

      const merged = merge(stretched, grouping)

      const wanted = runs
        .flat()
        .sort(
          (a, b) =>
            a.time - b.time ||
            firstMark(a.mark) - firstMark(b.mark) ||
            a.mark - b.mark ||
            compareTexts(a.value ?? '', b.value ?? '')
        )
      expect(merged).toEqual(wanted)
    }),
    deep(2_000)
  )
})

it('takes only a stretch of each run, and only events with a mark and a subject', () => {
  const grouping = new Grouping()
  const some = [0, 1, 2, 3].map((time) => ({ time, mark: time % 3, actor: time, value: null }))
  const events = toTimed(some, grouping)

  expect(merge([{ events, from: 1, until: 3 }], grouping)).toEqual(some.slice(1, 3))
  expect(toEvents(onlyMarked(events), grouping)).toEqual(some.slice(1, 3))
  events.subjects[2] = -1
  expect(toEvents(onlyMarked(events), grouping)).toEqual(some.slice(1, 2))
})
