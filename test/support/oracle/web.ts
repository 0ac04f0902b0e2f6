import fc from 'fast-check'
import { DAY } from '../../../src/calendar/units.ts'
import type { Stored } from './duck.ts'
import type { Calendar } from './questions.ts'
import { type World, world } from './world.ts'

/*
 * Random questions about visits, and their answers in plain code: sessions are put together from
 * all their events, and views are looked at one by one.
 */

type Condition = { key: string; type: 'event' | 'person' | 'session'; value: string }

export type AskedWeb = {
  /** Days ago on which the range begins and ends. */
  from: number
  to: number
  compare: boolean
  properties: Condition[]
  breakdownBy: 'Page' | 'InitialPage' | 'ExitPage' | 'InitialUTMSource' | 'Browser'
}

/** Worlds whose sessions last two days at most, with screens, pages and browsers. */
export const webWorld: fc.Arbitrary<World> = world.map((one) => ({
  ...one,
  events: one.events.map((event) => {
    const { $session_id: session, $current_url: url, color } = event.properties
    return {
      ...event,
      name: event.name === 'buy' && url === 'https://b.example/' ? '$screen' : event.name,
      properties: {
        ...event.properties,
        ...(session !== undefined && {
          $session_id: `${session} ${Math.floor(event.at / DAY / 2)}`
        }),
        ...(url && { $pathname: new URL(String(url)).pathname }),
        ...(color !== undefined && { $browser: color })
      }
    }
  })
}))

export const askedWeb: fc.Arbitrary<AskedWeb> = fc
  .record({
    from: fc.integer({ min: 0, max: 24 }),
    to: fc.integer({ min: 0, max: 3 }),
    compare: fc.boolean(),
    properties: fc.oneof(
      { weight: 1, arbitrary: fc.constant<Condition[]>([]) },
      {
        weight: 1,
        arbitrary: fc.array(
          fc.constantFrom<Condition>(
            { key: '$browser', type: 'event', value: 'a' },
            { key: '$pathname', type: 'event', value: '/' },
            { key: 'plan', type: 'person', value: 'pro' },
            { key: '$entry_utm_source', type: 'session', value: 'google' }
          ),
          { minLength: 1, maxLength: 2 }
        )
      }
    ),
    breakdownBy: fc.constantFrom('Page', 'InitialPage', 'ExitPage', 'InitialUTMSource', 'Browser')
  })
  // A range of whole weeks up to today is compared with the same weekdays.
  .map(({ from, to, compare, ...rest }) => ({
    ...rest,
    from: Math.max(from, to),
    to,
    compare: compare && Math.max(from, to) % 7 > 0
  }))

type Session = {
  start: number
  seconds: number
  isBounce: boolean | undefined
  entryPath: string
  exitPath: string
  source: string
}

const isView = ({ name }: Stored) => name === '$pageview' || name === '$screen'

const propertyOf = (json: string | null, key: string): string => {
  const value = JSON.parse(json ?? '{}')[key] ?? ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const before = (a: Stored, b: Stored): number => a.at - b.at || (a.uuid < b.uuid ? -1 : 1)

function toSession(events: readonly Stored[]): Session {
  const times = events.map(({ at }) => at)
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const views = events.filter(isView)
  const clicks = events.filter(({ name }) => name === '$autocapture')
  const pages =
    views.length > 0 ? views : events.filter((one) => propertyOf(one.event, '$current_url'))
  const sorted = pages.toSorted(before)
  const [entry, exit] = [sorted[0]?.event ?? null, sorted.at(-1)?.event ?? null]
  const source = JSON.parse(entry ?? '{}').utm_source
  return {
    start,
    seconds: Math.floor((end - start) / 1_000),
    isBounce:
      views.length > 0 ? views.length + clicks.length <= 1 && end - start < 10_000 : undefined,
    entryPath: propertyOf(entry, '$pathname'),
    exitPath: propertyOf(exit, '$pathname'),
    source: ['string', 'number'].includes(typeof source) ? String(source) : ''
  }
}

/** The numbers of a period: those of the overview, and those of each row. */
type Numbers = {
  overview: [
    visitors: number,
    views: number,
    sessions: number,
    seconds: number | null,
    rate: number | null
  ]
  rows: Map<string, { visitors: number; views: number }>
  rates: Map<string, number | null>
}

const ratioOf = (sum: number, count: number): number | null => (count > 0 ? sum / count : null)

/** Returns the numbers of the period and, with a comparison, of the one before. */
export function answerWeb(
  calendar: Calendar,
  events: readonly Stored[],
  asked: AskedWeb
): Numbers[] {
  const last = calendar.today - asked.to
  const days = asked.from - asked.to + 1
  const inSessions = Map.groupBy(
    events.filter(({ session }) => session),
    ({ session }) => session
  )
  const sessions = new Map([...inSessions].map(([id, some]) => [id, toSession(some)]))
  return [last, ...(asked.compare ? [last - days] : [])].map((end) => {
    const isWithin = (at: number) => calendar.dayOf(at) <= end && calendar.dayOf(at) > end - days
    const candidates = events.flatMap((event) => {
      const session = sessions.get(event.session)
      return session && isView(event) && isWithin(event.at) && isWithin(session.start)
        ? [{ event, session }]
        : []
    })
    return numbersOf(candidates, asked)
  })
}

type View = { event: Stored; session: Session }

function isMatch({ event, session }: View, { key, type, value }: Condition): boolean {
  const found = {
    event: () => propertyOf(event.event, key),
    person: () => propertyOf(event.person, key),
    session: () => session.source
  }
  return found[type]() === value
}

const VALUES: Record<AskedWeb['breakdownBy'], (view: View) => string> = {
  Page: ({ event }) => propertyOf(event.event, '$pathname'),
  InitialPage: ({ session }) => session.entryPath,
  ExitPage: ({ session }) => session.exitPath,
  InitialUTMSource: ({ session }) => session.source,
  Browser: ({ event }) => propertyOf(event.event, '$browser')
}

function numbersOf(candidates: readonly View[], { properties, breakdownBy }: AskedWeb): Numbers {
  const isPage = breakdownBy === 'Page'
  const meant = (conditions: readonly Condition[]) =>
    candidates.filter((view) => conditions.every((one) => isMatch(view, one)))
  const views = meant(properties)
  const rated = isPage ? meant(properties.filter(({ key }) => key !== '$pathname')) : views
  const sessions = sessionsOf(views)
  return {
    overview: [
      visitorsOf(views),
      views.length,
      sessions.length,
      ratioOf(
        sessions.reduce((sum, { seconds }) => sum + seconds, 0),
        sessions.length
      ),
      rateOf(sessions, 100)
    ],
    rows: mapValues(Map.groupBy(views, VALUES[breakdownBy]), (some) => ({
      visitors: visitorsOf(some),
      views: some.length
    })),
    rates: mapValues(Map.groupBy(rated, VALUES[isPage ? 'InitialPage' : breakdownBy]), (some) =>
      rateOf(sessionsOf(some))
    )
  }
}

const mapValues = <A, B>(map: Map<string, A>, change: (value: A) => B): Map<string, B> =>
  new Map([...map].map(([key, value]) => [key, change(value)]))

const visitorsOf = (views: readonly View[]): number =>
  new Set(views.map(({ event }) => event.actor)).size

const sessionsOf = (views: readonly View[]): Session[] => [
  ...new Set(views.map(({ session }) => session))
]

/** Returns how many of `whole` sessions are bounces. */
function rateOf(sessions: readonly Session[], whole = 1): number | null {
  const rated = sessions.filter(({ isBounce }) => isBounce !== undefined)
  return ratioOf(whole * rated.filter(({ isBounce }) => isBounce).length, rated.length)
}

/** Returns the rows of a table, sorted by visitors, views and value. */
export function rowsOf([current, previous]: Numbers[], { breakdownBy }: AskedWeb): unknown[][] {
  const hidesNull = ['Page', 'InitialPage', 'ExitPage'].includes(breakdownBy)
  const values = new Set([...(current?.rows.keys() ?? []), ...(previous?.rows.keys() ?? [])])
  const cells = (numberOf: (numbers: Numbers) => number | null) => [
    current ? numberOf(current) : null,
    previous ? numberOf(previous) : null
  ]
  return [...values]
    .filter((value) => value !== '' || !hidesNull)
    .map((value) => ({
      value,
      visitors: cells(({ rows }) => rows.get(value)?.visitors ?? 0),
      views: cells(({ rows }) => rows.get(value)?.views ?? 0),
      rates: cells(({ rates }) => rates.get(value) ?? null)
    }))
    .sort(
      (a, b) =>
        Number(b.visitors[0]) - Number(a.visitors[0]) ||
        Number(b.views[0]) - Number(a.views[0]) ||
        Number(a.value === '') - Number(b.value === '') ||
        (a.value < b.value ? -1 : 1)
    )
    .map(({ value, visitors, views, rates }) => [value || null, visitors, views, rates])
}
