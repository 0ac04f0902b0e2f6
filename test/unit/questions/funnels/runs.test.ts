import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FunnelOrder, FunnelRules } from '../../../../src/questions/funnels/rules.ts'
import { type Attribution, FunnelRuns } from '../../../../src/questions/funnels/runs.ts'
import { deep } from '../../../support/depth.ts'
import {
  bestAttempt,
  type OracleEvent,
  type OracleFunnel,
  sortEvents
} from '../../../support/oracle/funnel.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** An event of an actor; its group is 0 without a value. */
type Event = OracleEvent & { actor: number; group: number }

type Followed = { reached: number; times: number[]; isExcluded: boolean; group: number }

const rulesOf = (funnel: Partial<OracleFunnel>, groupStep?: number): FunnelRules => ({
  order: 'ordered',
  steps: 3,
  window: HOUR,
  exclusions: [],
  ...funnel,
  groupStep
})

/** Follows actors; the events are in order. Returns the runs of each actor. */
function follow(
  events: readonly Event[],
  rules: FunnelRules,
  { attribution = 'first_touch' as Attribution, ends = [Number.MAX_SAFE_INTEGER] } = {}
): (Followed & { actor: number; period: number })[] {
  const runs = new FunnelRuns(rules, attribution, ends)
  const timed = {
    length: events.length,
    times: Float64Array.from(events, ({ time }) => time),
    marks: Int32Array.from(events, ({ steps, exclusions }) =>
      [...steps, ...exclusions.map((i) => rules.steps + i)].reduce((all, i) => all | (1 << i), 0)
    ),
    subjects: Int32Array.from(events, ({ actor }) => actor),
    groups: Int32Array.from(events, ({ group }) => group)
  }
  // In pieces, as events of several names come.
  const middle = Math.ceil(events.length / 3)
  runs.add(timed, 0, middle)
  runs.add(timed, middle, events.length)
  return Array.from({ length: runs.size }, (_, place) => {
    const reached = runs.attempts.reached(place)
    const times = Array.from({ length: reached }, (__, step) => runs.attempts.timeTo(place, step))
    return {
      actor: runs.actorOf(place),
      period: runs.periodOf(place),
      reached,
      times,
      isExcluded: runs.attempts.isExcluded(place),
      group: runs.groupOf(place)
    }
  })
}

/** `A 10:00, X 10:05` → events of an actor: A, B and C are steps, X is an exclusion or nothing. */
const read = (text: string, actor = 2): Event[] =>
  text.split(', ').map((one) => {
    const [name = '', clock = ''] = one.split(' ')
    const [hours = 0, minutes = 0] = clock.split(':').map(Number)
    const step = 'ABC'.indexOf(name)
    return {
      actor,
      time: hours * HOUR + minutes * MINUTE,
      steps: step < 0 ? [] : [step],
      exclusions: name === 'X' ? [0] : [],
      value: null,
      group: 0
    }
  })

/** Follows one actor. Returns the steps and the seconds from each step to the next. */
function followOne(text: string, funnel: Partial<OracleFunnel> = {}): [number, ...number[]] {
  const [run] = follow(read(text), rulesOf(funnel))
  if (!run || run.isExcluded) {
    return [0]
  }
  const seconds = run.times.map((time, i) => (time - (run.times[i - 1] ?? 0)) / 1_000)
  return [run.reached, ...seconds.slice(1)]
}

const P = [
  'A 10:00, B 10:10, C 10:30',
  'A 10:00, X 10:05, B 10:20',
  'B 10:00, A 10:10, C 10:20',
  'A 10:00, B 10:50, C 11:10',
  'A 10:00, A 10:40, B 10:50, C 11:30'
]
const NEVER = { exclusions: [{ from: 0, to: 0 }] }

describe('the worked example: steps A, B and C within an hour', () => {
  it.each([
    ['ordered', NEVER, [[3, 600, 1200], [2, 1200], [1], [2, 3000], [3, 600, 2400]]],
    ['strict', NEVER, [[3, 600, 1200], [1], [1], [2, 3000], [3, 600, 2400]]],
    [
      'unordered',
      { exclusions: [] },
      [
        [3, 600, 1200],
        [2, 1200],
        [3, 600, 600],
        [2, 3000],
        [3, 600, 2400]
      ]
    ],
    [
      'ordered',
      { exclusions: [{ from: 0, to: 1 }] },
      [[3, 600, 1200], [0], [1], [2, 3000], [3, 600, 2400]]
    ],
    [
      'unordered',
      { exclusions: [{ from: 0, to: 2 }] },
      [[3, 600, 1200], [1], [3, 600, 600], [2, 3000], [3, 600, 2400]]
    ]
  ] as const)('%s, excluding %j', (order, more, wanted) => {
    expect(P.map((text) => followOne(text, { order, ...more }))).toEqual(wanted)
  })
})

describe('an ordered funnel', () => {
  const between = (from: number, to: number) => ({ exclusions: [{ from, to }] })

  it.each([
    ['excludes who does it and nothing more', 'A 10:00, X 10:05', between(0, 1), [0]],
    [
      'restores a later clean attempt',
      'A 10:00, X 10:05, A 10:30, B 10:40',
      between(0, 1),
      [2, 600]
    ],
    ['is not restored by fewer steps', 'A 10:00, X 10:05, B 10:20, A 10:30', between(0, 1), [0]],
    [
      'ignores an exclusion before the first step',
      'X 9:00, A 10:00, B 10:20',
      between(0, 1),
      [2, 1200]
    ],
    [
      'takes an exclusion at the very instant of a step as after it',
      'A 10:00, X 10:00, B 10:10',
      between(0, 1),
      [0]
    ],
    [
      'ignores an exclusion at the very instant of its last step',
      'A 10:00, B 10:10, X 10:10',
      between(0, 1),
      [2, 600]
    ],
    ['ignores an exclusion after the window', 'A 10:00, X 11:01', between(0, 1), [1]],
    [
      'ignores an exclusion after its last step',
      'A 10:00, B 10:05, X 10:10',
      between(0, 1),
      [2, 300]
    ],
    ['spoils a later step', 'A 10:00, B 10:05, X 10:10', between(1, 2), [0]],
    ['has a window whose end belongs to it', 'A 10:00, B 10:20, C 11:00', {}, [3, 1200, 2400]],
    ['counts the window from the first step', 'A 10:00, B 10:50, C 11:01', {}, [2, 3000]],
    ['takes the first B after the latest A', 'A 10:00, A 10:10, B 10:15, B 10:20', {}, [2, 300]],
    [
      'stops at the first complete attempt',
      'A 10:00, B 10:01, C 10:02, A 10:03, B 10:09, C 10:10',
      {},
      [3, 60, 60]
    ],
    ['needs the first step', 'B 10:00, C 10:10', {}, [0]]
  ] as const)('%s', (_, text, funnel, wanted) => {
    expect(followOne(text, funnel)).toEqual(wanted)
  })

  it('needs two events for the same step twice', () => {
    const twice = (text: string) =>
      read(text).map((event) => ({ ...event, steps: event.steps.flatMap(() => [0, 1]) }))
    const reached = (text: string) =>
      follow(twice(text), rulesOf({ steps: 2 })).map((run) => run.reached)

    expect(reached('A 10:00')).toEqual([1])
    expect(reached('A 10:00, A 10:00')).toEqual([2])
    expect(reached('A 10:00, A 11:01')).toEqual([1])
  })
})

describe('a strict funnel', () => {
  it.each([
    ['is broken by another event', 'A 10:00, B 10:05, X 10:06, C 10:10', [2, 300]],
    ['begins anew with a repeated first step', 'A 10:00, A 10:05, B 10:06', [2, 60]],
    ['goes on after a repeated step', 'A 10:00, B 10:05, B 10:06, C 10:10', [3, 300, 300]]
  ] as const)('%s', (_, text, wanted) => {
    expect(followOne(text, { order: 'strict', ...NEVER })).toEqual(wanted)
  })
})

it('takes a strict step once more if the next one was interrupted by a repeated step', () => {
  const steps = [[0], [1], [1, 2], [1], [1, 2], [3]]
  const events = steps.map((own, time) => ({ ...read('A 0:00')[0], steps: own, time }) as Event)

  const [run] = follow(events, rulesOf({ order: 'strict', steps: 4 }))

  expect(run).toMatchObject({ reached: 4, times: [0, 1, 4, 5] })
})

describe('the group of an actor', () => {
  const [NONE, CHROME, FIREFOX] = [0, 1, 2]
  const signUps = (groups: readonly number[]): Event[] =>
    read('A 10:00, A 10:10, B 10:20').map((event, i) => ({ ...event, group: groups[i] ?? NONE }))
  const grouped = (groups: readonly number[], attribution: Attribution, groupStep?: number) =>
    follow(signUps(groups), rulesOf({ steps: 2 }, groupStep), { attribution }).map(
      ({ group, reached }) => [group, reached]
    )

  it.each([
    ['first_touch', undefined, [CHROME, FIREFOX, CHROME], [[CHROME, 2]]],
    ['first_touch', undefined, [NONE, FIREFOX, CHROME], [[FIREFOX, 2]]],
    ['first_touch', undefined, [NONE, NONE, NONE], [[NONE, 2]]],
    ['last_touch', undefined, [CHROME, FIREFOX, NONE], [[FIREFOX, 2]]],
    ['step', 0, [CHROME, FIREFOX, NONE], [[FIREFOX, 2]]],
    ['step', 1, [CHROME, CHROME, FIREFOX], [[FIREFOX, 2]]]
  ] as const)('%s, step %s, of %j', (attribution, step, groups, wanted) => {
    expect(grouped(groups, attribution, step)).toEqual(wanted)
  })

  it('has a run of its own with `all_events`', () => {
    expect(grouped([CHROME, FIREFOX, CHROME], 'all_events')).toEqual([
      [1, 2],
      [2, 1]
    ])
  })

  it('is not given by an event before the first step', () => {
    const events = read('B 9:50, A 10:00').map((event, i) => ({ ...event, group: 1 - i }))

    expect(follow(events, rulesOf({})).map(({ group }) => group)).toEqual([NONE])
  })
})

describe('periods', () => {
  it('count an actor once in each, with its own attempts', () => {
    const events = read('A 10:00, A 11:10, B 11:20, B 12:30')
    const ends = [11, 12, 13].map((hour) => hour * HOUR)
    const runs = follow(events, rulesOf({ steps: 2, window: 2 * HOUR }), { ends })

    expect(runs.map(({ period, times }) => [period, times])).toEqual([
      [0, [0, 80 * MINUTE]],
      [1, [0, 10 * MINUTE]]
    ])
  })
})

it('gives a run no value of a first step in another period', () => {
  const events = read('A 10:50, A 11:00').map((event, i) => ({ ...event, group: i }))
  const ends = [11 * HOUR, 12 * HOUR]

  expect(follow(events, rulesOf({}), { ends }).map(({ group }) => group)).toEqual([0, 1])
})

it('refuses more actors than fit into memory', () => {
  const rules = rulesOf({ steps: 26 })
  const runs = new FunnelRuns(rules, 'first_touch', [1])
  const length = 100_000
  const events = {
    length,
    times: new Float64Array(length),
    marks: new Int32Array(length).fill(1),
    subjects: Int32Array.from({ length }, (_, i) => i),
    groups: undefined
  }

  expect(() => runs.add(events, 0, length)).toThrow(
    expect.objectContaining({ code: 'query_too_large', attr: 'actors' })
  )
})

it('follows two million actors in three steps', () => {
  const runs = new FunnelRuns(rulesOf({}), 'first_touch', [HOUR])
  const length = 2_000_000
  const subjects = new Int32Array(length)
  for (let i = 0; i < length; i += 1) {
    subjects[i] = i
  }
  for (const mark of [1, 2]) {
    const marks = new Int32Array(length).fill(mark)
    const times = new Float64Array(length)
    runs.add({ length, times, marks, subjects, groups: undefined }, 0, length)
  }

  expect(runs.size).toBe(length)
  const reached = runs.listReached()
  expect([0, 4_095, 4_096, length - 1].map((place) => reached[place])).toEqual([2, 2, 2, 2])
})

const some = <Item>(items: readonly Item[]) => fc.subarray([...items])

/** Events of three actors, close to each other, many of them simultaneous. */
const worlds = (steps: number) =>
  fc.array(
    fc.record({
      actor: fc.integer({ min: 0, max: 2 }),
      time: fc.integer({ min: 0, max: 24 }),
      steps: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 0, max: steps - 1 }).map((step) => [step]) },
        { weight: 1, arbitrary: some(Array.from({ length: steps }, (_, i) => i)) }
      ),
      exclusions: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, some([0, 1])),
      value: fc.constantFrom(null, 'a', 'b')
    }),
    { maxLength: 40 }
  )

const funnels = (order: FunnelOrder) =>
  fc.integer({ min: 2, max: 4 }).chain((steps) => {
    const range = fc
      .tuple(fc.integer({ min: 0, max: steps - 2 }), fc.integer({ min: 1, max: steps - 1 }))
      .map(([from, length]) => ({ from, to: Math.min(from + length, steps - 1) }))
    return fc.record({
      events: worlds(steps),
      funnel: fc.record({
        order: fc.constant(order),
        steps: fc.constant(steps),
        window: fc.integer({ min: 1, max: 20 }),
        exclusions: fc.array(range, { minLength: 2, maxLength: 2 })
      })
    })
  })

const GROUPS: readonly (string | null)[] = [null, 'a', 'b']

const NO_STEPS: Followed = { reached: 0, times: [], isExcluded: false, group: 0 }

/** An actor who is excluded counts nowhere: which of the spoilt attempts is the best does not matter. */
const counted = ({ reached, times, isExcluded, group }: Followed) =>
  isExcluded ? 'excluded' : { reached, times, group }

it.each([
  ['ordered', 0],
  ['strict', 0],
  ['unordered', 0],
  // Without exclusions and groups, in an order of its own.
  ['ordered', undefined]
] as const)('finds the attempts of plain code in random worlds, %s', (order, groupStep) => {
  fc.assert(
    fc.property(funnels(order), ({ events, funnel: drawn }) => {
      const isGrouped = groupStep !== undefined
      const funnel = { ...drawn, exclusions: isGrouped ? drawn.exclusions : [] }
      const byActor = [0, 1, 2].map((actor) =>
        sortEvents(
          events
            .filter((e) => e.actor === actor)
            .map((e) => ({ ...e, exclusions: isGrouped ? e.exclusions : [] }))
        )
      )
      const wanted = byActor.map((own) => {
        const { taken, isSpoilt } = bestAttempt(own, funnel) ?? { taken: [], isSpoilt: false }
        return {
          reached: taken.length,
          times: taken.map(({ time }) => time - (taken[0]?.time ?? 0)),
          isExcluded: isSpoilt,
          group: isGrouped ? GROUPS.indexOf(taken[0]?.value ?? null) : 0
        }
      })
      const merged = byActor.flatMap((own, actor) =>
        own.map((event) => ({
          ...event,
          actor,
          group: isGrouped ? GROUPS.indexOf(event.value) : 0
        }))
      )
      const followed = follow(
        merged.sort((a, b) => a.time - b.time),
        rulesOf(funnel, groupStep),
        { attribution: isGrouped ? 'step' : 'first_touch' }
      )
      const found = [0, 1, 2].map(
        (actor) => followed.find((one) => one.actor === actor) ?? NO_STEPS
      )

      expect(found.map(counted)).toEqual(wanted.map(counted))
    }),
    deep(3_000)
  )
})
