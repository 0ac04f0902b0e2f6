import { describe, expect, it } from 'vitest'
import { writeHistory } from '../../../scripts/demo/history.ts'
import { Progress } from '../../../scripts/demo/progress.ts'
import { Random } from '../../../scripts/demo/random.ts'
import { recordSignUps } from '../../../scripts/demo/recordings.ts'
import type { DemoEvent } from '../../../scripts/demo/visitor.ts'

const DAY = 86_400_000
const anchor = new Date('2026-11-21T00:00:00Z')
const full = { seed: 'harbour', anchor, days: 30, persons: 600 }
const small = { seed: 'harbour', anchor, days: 7, persons: 20 }

const count = (events: DemoEvent[], matches: (event: DemoEvent) => boolean) =>
  events.filter(matches).length
const isPersonless = ({ properties }: DemoEvent) => properties.$process_person_profile === false

/** Groups distinct ids into persons by the merges among the events, independently of the generator. */
function groupIdentities(events: DemoEvent[]): string[][] {
  const groups = new Map<string, Set<string>>()
  const groupOf = (id: string) => {
    const group = groups.get(id) ?? new Set([id])
    groups.set(id, group)
    return group
  }
  for (const { event, distinctId, properties } of events.filter((event) => !isPersonless(event))) {
    const own = groupOf(distinctId)
    const other = event === '$create_alias' ? properties.alias : properties.$anon_distinct_id
    if (typeof other !== 'string') {
      continue
    }
    for (const id of groupOf(other)) {
      groups.set(id, own.add(id))
    }
  }
  return [...new Set(groups.values())].map((group) => [...group].sort())
}

describe('the history of the demo', () => {
  const { events, people } = writeHistory(full)

  it('has 600 persons and 20,000 to 40,000 events', () => {
    expect(people).toHaveLength(600)
    expect(events.length).toBeGreaterThan(20_000)
    expect(events.length).toBeLessThan(40_000)
  })

  it('is the same for the same options, and shares no event with another seed, anchor or length', () => {
    const { events: original } = writeHistory(small)

    expect(writeHistory(small).events).toEqual(original)
    const uuids = new Set(original.map(({ uuid }) => uuid))
    const others = [{ seed: 'other' }, { anchor: new Date('2026-11-20T00:00:00Z') }, { days: 8 }]
    for (const other of others) {
      expect(
        writeHistory({ ...small, ...other }).events.filter(({ uuid }) => uuids.has(uuid))
      ).toEqual([])
    }
  })

  it('has the same persons and events when more persons are added', () => {
    const { events: more, people: crowd } = writeHistory({ ...small, persons: 30 })

    expect(crowd.slice(0, 20)).toEqual(writeHistory(small).people)
    expect(more).toEqual(expect.arrayContaining(writeHistory(small).events))
  })

  it('covers the days before the anchor, in order', () => {
    const times = events.map(({ timestamp }) => timestamp.getTime())
    const from = anchor.getTime() - 30 * DAY

    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThanOrEqual(from)
    expect(times[0]).toBeLessThan(from + DAY)
    expect(times.at(-1)).toBeLessThan(anchor.getTime())
    expect(times.at(-1)).toBeGreaterThan(anchor.getTime() - DAY)
  })

  it('gives every event a unique version 7 uuid of its time', () => {
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length)
    for (const { uuid, timestamp } of events) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16)).toBe(timestamp.getTime())
    }
  })

  it('is busier on workdays and during the day', () => {
    const onWeekday = (day: number) =>
      count(events, ({ timestamp }) => timestamp.getUTCDay() === day)
    const berlin = events.filter(({ properties }) => properties.$timezone === 'Europe/Berlin')
    const isDay = ({ timestamp }: DemoEvent) =>
      timestamp.getUTCHours() >= 7 && timestamp.getUTCHours() < 17

    expect(Math.min(...[1, 2, 3, 4, 5].map(onWeekday))).toBeGreaterThan(
      1.5 * Math.max(onWeekday(0), onWeekday(6))
    )
    expect(count(berlin, isDay)).toBeGreaterThan(0.75 * berlin.length)
  })

  it('has several countries, browsers, systems and campaigns', () => {
    const different = (key: string) => new Set(events.map(({ properties }) => properties[key])).size

    expect(new Set(events.map(({ country }) => country.code)).size).toBeGreaterThanOrEqual(10)
    expect(different('$browser')).toBeGreaterThanOrEqual(5)
    expect(different('$os')).toBeGreaterThanOrEqual(5)
    expect(different('utm_source')).toBeGreaterThanOrEqual(4)
  })

  it('has sessions of one visitor and one window each, shorter than two hours', () => {
    const sessions = Map.groupBy(
      events.filter(({ properties }) => properties.$session_id),
      ({ properties }) => properties.$session_id
    )

    expect(sessions.size).toBeGreaterThan(2000)
    const bounced = [...sessions.values()].filter((session) => session.length === 1).length
    expect(bounced / sessions.size).toBeGreaterThan(0.05)
    expect(bounced / sessions.size).toBeLessThan(0.3)
    for (const session of sessions.values()) {
      const times = session.map(({ timestamp }) => timestamp.getTime())
      expect(new Set(session.map(({ distinctId }) => distinctId)).size).toBe(1)
      expect(new Set(session.map(({ properties }) => properties.$window_id)).size).toBe(1)
      expect(Math.max(...times) - Math.min(...times)).toBeLessThan(2 * 3_600_000)
    }
  })

  it('creates exactly the persons in `people`, each with all of its distinct ids', () => {
    const expected = people.map(({ distinctIds }) => distinctIds.toSorted()).sort()

    expect(groupIdentities(events).sort()).toEqual(expected)
    expect(people.filter(({ distinctIds }) => distinctIds.length > 2).length).toBeGreaterThan(50)
  })

  it('has visitors who stay anonymous, and others who identify themselves later', () => {
    const known = new Set(people.flatMap(({ distinctIds }) => distinctIds))
    const anonymous = new Set(events.filter(isPersonless).map(({ distinctId }) => distinctId))
    const joined = [...anonymous].filter((id) => known.has(id))

    expect(joined.length).toBeGreaterThan(200)
    expect(anonymous.size - joined.length).toBeGreaterThan(200)
    expect(count(events, ({ event }) => event === '$create_alias')).toBeGreaterThan(50)
  })

  it('leaves each person with the name, e-mail and plan in `people`', () => {
    const last = new Map<string, Record<string, unknown>>()
    for (const { distinctId, properties } of events) {
      if (typeof properties.$set === 'object') {
        last.set(distinctId, { ...last.get(distinctId), ...properties.$set })
      }
    }

    for (const { distinctIds, name, email, plan } of people) {
      expect(last.get(distinctIds[0] ?? '')).toMatchObject({ name, email, plan })
    }
    expect(new Set(people.map(({ email }) => email)).size).toBe(people.length)
    expect(people.filter(({ name }) => name.includes('-')).length).toBeGreaterThan(20)
    expect(new Set(people.map(({ plan }) => plan))).toEqual(new Set(['free', 'pro', 'team']))
  })

  it('has upgrades, and invoices and purchases with amounts', () => {
    const paid = events.filter(
      ({ event }) => event === 'invoice paid' || event === 'purchase completed'
    )

    expect(count(events, ({ event }) => event === 'plan upgraded')).toBeGreaterThan(30)
    expect(paid.length).toBeGreaterThan(100)
    expect(paid.every(({ properties }) => Number(properties.amount) > 0)).toBe(true)
  })

  it('fits into a single day', () => {
    const { events: day, people: few } = writeHistory({ ...small, days: 1 })

    expect(few).toHaveLength(20)
    expect(
      day.every(
        ({ timestamp }) => timestamp < anchor && timestamp.getTime() >= anchor.getTime() - DAY
      )
    ).toBe(true)
  })
})

describe('random numbers', () => {
  it('are the same on every machine', () => {
    const random = new Random('harbour')
    expect([random.next(), random.next(), random.next()]).toEqual([
      1803020400, 4084502701, 213525152
    ])
  })

  it('are spread evenly', () => {
    const random = new Random('dice')
    const rolls = Array.from({ length: 60_000 }, () => random.between(1, 6))
    for (const side of [1, 2, 3, 4, 5, 6]) {
      const times = rolls.filter((roll) => roll === side).length
      expect(times).toBeGreaterThan(9_700)
      expect(times).toBeLessThan(10_300)
    }
  })

  it('choose by weight, never an item of weight zero, and refuse an empty list', () => {
    const random = new Random('scales')
    const items = [
      { name: 'light', weight: 1 },
      { name: 'none', weight: 0 },
      { name: 'heavy', weight: 9 }
    ]
    const chosen = Array.from({ length: 10_000 }, () => random.weighted(items).name)
    expect(chosen.filter((name) => name === 'heavy').length).toBeGreaterThan(8_800)
    expect(chosen).not.toContain('none')
    expect(() => random.pick([])).toThrow('The list is empty.')
  })
})

describe('the progress bar', () => {
  const draw = (isTTY: boolean) => {
    const written: string[] = []
    const progress = new Progress({ isTTY, write: (text: string) => written.push(text) > 0 }, 200)
    progress.show(50, 'sending')
    progress.end(200, 'done')
    return written.join('')
  }

  it('is redrawn in place on a terminal', () => {
    expect(draw(true)).toBe(
      `\r[${'█'.repeat(7)}${'░'.repeat(23)}]  25 %  sending\x1b[K\r[${'█'.repeat(30)}] 100 %  done\x1b[K\n`
    )
  })

  it('is one line in a file', () => {
    expect(draw(false)).toBe(`[${'█'.repeat(30)}] 100 %  done\n`)
  })
})

describe('the recordings of the demo', () => {
  const { events } = writeHistory(full)
  const recordings = recordSignUps(events, anchor.getTime() + DAY / 2)
  const snapshotsOf = ({ properties }: (typeof recordings)[number]) =>
    properties.$snapshot_data as { type: number; timestamp: number; data: { tag?: string } }[]

  it('show sign-ups that are recent enough for the service to accept their recordings', () => {
    const oldest = Math.min(...recordings.flatMap(snapshotsOf).map(({ timestamp }) => timestamp))
    const sessions = new Set(
      events
        .filter(({ event }) => event === 'signed up')
        .map(({ properties }) => properties.$session_id)
    )

    expect(recordings.length).toBeGreaterThan(50)
    expect(recordings.filter(({ sessionId }) => !sessions.has(sessionId))).toEqual([])
    expect(oldest).toBeGreaterThan(anchor.getTime() - 6.5 * DAY)
    expect(recordSignUps(events, anchor.getTime() + 30 * DAY)).toEqual([])
  })

  it('begin with a whole page, and show each event of their session whose name does not begin with $', () => {
    for (const recording of recordings) {
      const snapshots = snapshotsOf(recording)
      const own = events.filter(({ properties }) => properties.$session_id === recording.sessionId)

      expect(snapshots.slice(0, 2).map(({ type }) => type)).toEqual([4, 2])
      expect(snapshots.flatMap(({ type, data }) => (type === 5 ? [data.tag] : []))).toEqual(
        own.map(({ event }) => event).filter((event) => !event.startsWith('$'))
      )
    }
  })
})
