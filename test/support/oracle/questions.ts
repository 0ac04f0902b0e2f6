import fc from 'fast-check'
import { DAY } from '../../../src/calendar/units.ts'
import type { Stored } from './duck.ts'
import { NAMES, type World } from './world.ts'

/*
 * Random questions about who was active when, and their answers in plain code: each actor's events
 * are looked at one by one. Periods are days, weeks or months on the calendar of the time zone.
 */

export type Property = { key: string; type: 'event' | 'person' }
type Condition = Property & { value: string }
export type Wanted = { event: string | null; properties: Condition[] }
export type Period = 'day' | 'week' | 'month'

/** A range of periods: the days before the world's end at which it begins and ends. */
type Range = { period: Period; from: number; to: number }

export type AskedLifecycle = Range & { wanted: Wanted }
export type AskedStickiness = Range & {
  wanted: Wanted
  isCumulative: boolean
  criteria: { operator: 'gte' | 'lte' | 'exact'; value: number } | undefined
  compare: boolean
}
export type AskedRetention = {
  period: Period
  /** Undefined for as many periods as columns. */
  from: number | undefined
  to: number
  target: Wanted
  returning: Wanted
  type: 'retention_recurring' | 'retention_first_time' | 'retention_first_ever_occurrence'
  intervals: number
  brackets: number[]
  minimum: number
  isCumulative: boolean
  breakdown: (Property & { limit: number; hidesOther: boolean }) | undefined
}

const condition = fc.constantFrom<Condition>(
  { key: 'color', type: 'event', value: 'a' },
  { key: 'color', type: 'event', value: 'b' },
  { key: 'plan', type: 'person', value: 'pro' }
)
const wanted: fc.Arbitrary<Wanted> = fc.record({
  event: fc.constantFrom(...NAMES, null),
  properties: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Condition[]>([]) },
    { weight: 1, arbitrary: fc.array(condition, { minLength: 1, maxLength: 2 }) }
  )
})
const period = fc.constantFrom<Period>('day', 'day', 'week', 'month')
const range = fc
  .record({ period, from: fc.integer({ min: 0, max: 24 }), to: fc.integer({ min: 0, max: 3 }) })
  .map(({ from, to, ...rest }) => ({ ...rest, from: Math.max(from, to), to }))

export const askedLifecycle: fc.Arbitrary<AskedLifecycle> = fc
  .record({ range, wanted })
  .map(({ range: own, ...rest }) => ({ ...own, ...rest }))

export const askedStickiness: fc.Arbitrary<AskedStickiness> = fc
  .record({
    range,
    wanted,
    isCumulative: fc.boolean(),
    criteria: fc.option(
      fc.record({
        operator: fc.constantFrom('gte' as const, 'lte' as const, 'exact' as const),
        value: fc.integer({ min: 1, max: 3 })
      }),
      { nil: undefined }
    ),
    compare: fc.boolean()
  })
  // A range of whole weeks up to today is compared with the same weekdays.
  .map(({ range: own, ...rest }) => ({
    ...own,
    ...rest,
    compare: rest.compare && own.from % 7 > 0
  }))

export const askedRetention: fc.Arbitrary<AskedRetention> = fc
  .record({
    period,
    from: fc.option(fc.integer({ min: 3, max: 24 }), { nil: undefined }),
    to: fc.integer({ min: 0, max: 3 }),
    entities: fc.oneof(
      wanted.map((one) => ({ target: one, returning: one })),
      fc.record({ target: wanted, returning: wanted })
    ),
    type: fc.constantFrom<AskedRetention['type']>(
      'retention_recurring',
      'retention_first_time',
      'retention_first_ever_occurrence'
    ),
    intervals: fc.integer({ min: 1, max: 9 }),
    brackets: fc.oneof(
      { weight: 3, arbitrary: fc.constant<number[]>([]) },
      {
        weight: 1,
        arbitrary: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
      }
    ),
    minimum: fc.constantFrom(1, 1, 2),
    isCumulative: fc.boolean(),
    breakdown: fc.option(
      fc
        .tuple(
          fc.constantFrom<Property>(
            { key: 'color', type: 'event' },
            { key: 'plan', type: 'person' }
          ),
          fc.integer({ min: 1, max: 3 }),
          fc.boolean()
        )
        .map(([property, limit, hidesOther]) => ({ ...property, limit, hidesOther })),
      { nil: undefined }
    )
  })
  .map(({ entities, ...rest }) => ({ ...rest, ...entities }))

/** Returns a series of a node. */
export const seriesOf = ({ event, properties }: Wanted) => ({
  kind: 'EventsNode',
  event,
  properties
})

export const dateRangeOf = ({ from, to }: { from: number | undefined; to: number }) => ({
  ...(from !== undefined && { date_from: `-${from}d` }),
  ...(to > 0 && { date_to: `-${to}d` })
})

/** The events of a world with its calendar. Days are numbers of days since 1970. */
export class Calendar {
  readonly #world: Pick<World, 'zone' | 'weekStart' | 'now'>
  readonly #format: Intl.DateTimeFormat

  constructor(world: Pick<World, 'zone' | 'weekStart' | 'now'>) {
    this.#world = world
    this.#format = new Intl.DateTimeFormat('sv-SE', { timeZone: world.zone })
  }

  dayOf(at: number): number {
    return Date.parse(this.#format.format(at)) / DAY
  }

  get today(): number {
    return this.dayOf(this.#world.now)
  }

  /** Returns the first day of the period that contains a day. */
  startOf(day: number, period: Period): number {
    if (period === 'day') {
      return day
    }
    const date = new Date(day * DAY)
    return period === 'week'
      ? day - ((date.getUTCDay() - this.#world.weekStart + 7) % 7)
      : day - date.getUTCDate() + 1
  }

  next(start: number, period: Period): number {
    return period === 'day' ? start + 1 : this.startOf(start + (period === 'week' ? 7 : 31), period)
  }

  /** Lists the first days of the periods from one day to another. */
  list(first: number, last: number, period: Period): number[] {
    const starts: number[] = []
    for (let start = this.startOf(first, period); start <= last; start = this.next(start, period)) {
      starts.push(start)
    }
    return starts
  }

  /** Lists as many periods before a day. */
  listBefore(first: number, count: number, period: Period): number[] {
    const starts: number[] = []
    for (let start = first; starts.length < count; ) {
      start = this.startOf(start - 1, period)
      starts.unshift(start)
    }
    return starts
  }
}

const parse = (json: string | null): Record<string, unknown> => JSON.parse(json ?? '{}')

function textOf({ event, person }: Stored, { key, type }: Property): string {
  const value = parse(type === 'event' ? event : person)[key] ?? ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const isNamed = ({ name }: Stored, { event }: Wanted): boolean => (event ?? name) === name

const isMeant = (stored: Stored, one: Wanted): boolean =>
  isNamed(stored, one) &&
  one.properties.every((property) => textOf(stored, property) === property.value)

const inOrder = (a: Stored, b: Stored): number => a.at - b.at || (a.uuid < b.uuid ? -1 : 1)

/** Counts items by a key. */
const countBy = <Item>(items: readonly Item[], keyOf: (item: Item) => unknown) =>
  [...Map.groupBy(items, keyOf)].map(([, some]) => some.length)

const FULFILS = {
  gte: (count: number, value: number) => count >= value,
  lte: (count: number, value: number) => count <= value,
  exact: (count: number, value: number) => count === value
}

export function answerStickiness(
  calendar: Calendar,
  events: readonly Stored[],
  { period: own, from, to, wanted: one, isCumulative, criteria, compare }: AskedStickiness
): number[][] {
  const current = calendar.list(calendar.today - from, calendar.today - to, own)
  const periods = [
    current,
    ...(compare ? [calendar.listBefore(current[0] ?? 0, current.length, own)] : [])
  ]
  const { operator, value } = criteria ?? { operator: 'gte' as const, value: 1 }
  return periods.map((starts) => {
    // Days after the end, in the last week or month, do not count; the earlier range is whole.
    const end = starts === current ? calendar.today - to : (current[0] ?? 0) - 1
    const meant = events.filter((event) => isMeant(event, one) && calendar.dayOf(event.at) <= end)
    const active = [...Map.groupBy(meant, ({ actor }) => actor).values()].map((some) => {
      const inPeriods = some
        .map(({ at }) => calendar.startOf(calendar.dayOf(at), own))
        .filter((start) => starts.includes(start))
      return countBy(inPeriods, (start) => start).filter((count) => FULFILS[operator](count, value))
        .length
    })
    return starts.map(
      (_, i) => active.filter((count) => (isCumulative ? count >= i + 1 : count === i + 1)).length
    )
  })
}

/** @param created the day on which each person was created */
export function answerLifecycle(
  calendar: Calendar,
  events: readonly Stored[],
  created: ReadonlyMap<number, number>,
  { period: own, from, to, wanted: one }: AskedLifecycle
): Record<string, number[]> {
  const end = calendar.today - to
  const starts = calendar.list(calendar.today - from, end, own)
  const before = calendar.startOf((starts[0] ?? 0) - 1, own)
  const all = [before, ...starts]
  const meant = events.filter((event) => event.actor > 0 && isMeant(event, one))
  const statuses = [...Map.groupBy(meant, ({ actor }) => actor)].flatMap(([actor, some]) => {
    const days = some.map(({ at }) => calendar.dayOf(at)).filter((day) => day <= end)
    const active = new Set(days.map((day) => calendar.startOf(day, own)))
    const first = all.find((start) => active.has(start)) ?? Number.NaN
    const isNew = (created.get(actor) ?? Number.NEGATIVE_INFINITY) >= first
    return starts.map((start, i) => ({
      start,
      status: statusOf({
        isActive: active.has(start),
        wasActive: active.has(all[i] ?? Number.NaN),
        isNew: isNew && start === first
      })
    }))
  })
  const count = (wanted: string) =>
    starts.map((own) => statuses.filter((one) => one.start === own && one.status === wanted).length)
  return {
    new: count('new'),
    returning: count('returning'),
    resurrecting: count('resurrecting'),
    dormant: count('dormant').map((persons) => 0 - persons)
  }
}

function statusOf(person: { isActive: boolean; wasActive: boolean; isNew: boolean }): string {
  if (!person.isActive) {
    return person.wasActive ? 'dormant' : 'away'
  }
  if (person.isNew) {
    return 'new'
  }
  return person.wasActive ? 'returning' : 'resurrecting'
}

const OTHER = '$$_posthog_breakdown_other_$$'

/** A row of retention: its value, its numbers, and which of them are complete. */
export type Row = { value: string | null; start: number; counts: number[]; complete: boolean[] }

export function answerRetention(
  calendar: Calendar,
  events: readonly Stored[],
  asked: AskedRetention
): Row[] {
  const last = calendar.startOf(calendar.today - asked.to, asked.period)
  const starts =
    asked.from === undefined
      ? [...calendar.listBefore(last, asked.intervals - 1, asked.period), last]
      : calendar.list(calendar.today - asked.from, last, asked.period)
  const placeOf = ({ at }: Stored) =>
    starts.indexOf(calendar.startOf(calendar.dayOf(at), asked.period))
  const columns = columnsOf(asked)
  const { breakdown } = asked
  const valueIn = (event: Stored) => (breakdown ? textOf(event, breakdown) : null)

  /** The members of each row: an actor with a value. */
  const members = findMembers(events, asked).map((event) => ({
    actor: event.actor,
    value: valueIn(event),
    row: placeOf(event)
  }))
  const inRows = members.filter(({ row }) => row >= 0)
  const sizes = new Map<string | null, number>()
  for (const [value, some] of Map.groupBy(inRows, ({ value: text }) => text)) {
    sizes.set(value, countBy(some, ({ actor, row }) => `${actor} ${row}`).length)
  }
  const ranked = [...sizes]
    .filter(([value]) => value)
    .sort(([a, x], [b, y]) => y - x || (String(a) < String(b) ? -1 : 1))
    .map(([value]) => value)
  const shown = ranked.slice(0, breakdown?.limit)
  const lineOf = (value: string | null) => (!value || shown.includes(value) ? value : OTHER)

  const returns = events
    .filter((event) => isMeant(event, asked.returning))
    .map((event) => ({ actor: event.actor, line: lineOf(valueIn(event)), period: placeOf(event) }))
  const isAnyValue = asked.type !== 'retention_recurring'
  const lines = [...new Set(inRows.map(({ value }) => lineOf(value)))]
  const order = [...shown, '', OTHER].filter(
    (line) => lines.includes(line) && !(line === OTHER && breakdown?.hidesOther)
  )
  return (breakdown ? order : [null]).flatMap((line) =>
    starts.map((start, row) => {
      const actors = new Set(
        inRows
          .filter((member) => member.row === row && lineOf(member.value) === line)
          .map(({ actor }) => actor)
      )
      const came = [...actors].map((actor) =>
        cameBack(
          returns.filter(
            (one) => one.actor === actor && one.period > row && (isAnyValue || one.line === line)
          ),
          { asked, columns, row }
        )
      )
      const counts = columns.map((_, i) => came.filter((own) => own[i]).length)
      const complete = columns.map((column) => {
        const end = starts[row + (column.at(-1) ?? 0)]
        return end !== undefined && calendar.startOf(calendar.today, asked.period) > end
      })
      return { value: line, start, counts, complete }
    })
  )
}

/** Tells for each column whether it counts a member of a row, by the member's later events. */
function cameBack(
  events: readonly { period: number }[],
  { asked, columns, row }: { asked: AskedRetention; columns: number[][]; row: number }
): boolean[] {
  const distances = [...Map.groupBy(events, ({ period: place }) => place)]
    .filter(([, some]) => some.length >= asked.minimum)
    .map(([place]) => place - row)
  const came = columns.map(
    (column, i) => i === 0 || distances.some((distance) => column.includes(distance))
  )
  const until = came.lastIndexOf(true)
  return asked.isCumulative ? came.map((_, i) => i <= until) : came
}

/** Lists the distances of each column: `[[0], [1], [2, 3]]`. */
function columnsOf({ brackets, intervals }: AskedRetention): number[][] {
  const lengths = brackets.length > 0 ? brackets : Array.from({ length: intervals - 1 }, () => 1)
  const columns = [[0]]
  let next = 1
  for (const length of lengths) {
    columns.push(Array.from({ length }, (_, i) => next + i))
    next += length
  }
  return columns
}

/** Returns the events that make their actors members of a row. */
function findMembers(events: readonly Stored[], { target, type }: AskedRetention): Stored[] {
  const meant = events.filter((event) => isMeant(event, target))
  if (type === 'retention_recurring') {
    return meant
  }
  const candidates =
    type === 'retention_first_time' ? meant : events.filter((event) => isNamed(event, target))
  const firsts = [...Map.groupBy(candidates, ({ actor }) => actor).values()].flatMap(
    (some) => some.toSorted(inOrder)[0] ?? []
  )
  return firsts.filter((event) => isMeant(event, target))
}
