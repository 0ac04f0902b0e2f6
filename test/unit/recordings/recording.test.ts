import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { addActivity, countActivity, MAX_SLICES } from '../../../src/recordings/activity.ts'
import { Unpacking } from '../../../src/recordings/packed.ts'
import {
  type IncomingPart,
  type KnownRecordings,
  MAX_RECORDING_BYTES,
  MAX_RECORDING_PARTS,
  planParts,
  type Recording,
  type StoredRecording
} from '../../../src/recordings/plan.ts'
import { readRetentionDays, retentionDaysOf } from '../../../src/recordings/retention.ts'
import { readSnapshot, type Snapshot } from '../../../src/recordings/snapshot.ts'
import { firstUrls, summarize } from '../../../src/recordings/summary.ts'
import older from '../../fixtures/posthog-js-1.300.0.json'
import current from '../../fixtures/posthog-js-1.449.2.json'
import { deep } from '../../support/depth.ts'

const AT = Date.UTC(2026, 10, 21)
const SESSION = '01a1fc87-dc26-71e7-8a25-7ac44254cc16'

const incremental = (timestamp: number, data: { source: number; type?: number }): Snapshot => ({
  type: 3,
  timestamp,
  data
})
const move = (timestamp: number) => incremental(timestamp, { source: 1 })
const mutate = (timestamp: number) => incremental(timestamp, { source: 0 })
const log = (timestamp: number, level: Json): Snapshot => ({
  type: 6,
  timestamp,
  data: { plugin: 'rrweb/console@1', payload: { level, payload: ['"text"'] } }
})
const page = (timestamp: number, href: Json): Snapshot => ({ type: 4, timestamp, data: { href } })

const NOTHING: KnownRecordings = {
  recordings: new Map(),
  seen: new Set(),
  identities: new Map(),
  erasedIdentities: new Set(),
  keptSince: 0,
  lastErasure: 0,
  tombstones: new Map()
}

const TOMBSTONE = { key: 5, erasureId: 1, erasedAt: AT, isOpen: true, deletesEvents: true }

const stored = (recording: Recording, more: Partial<StoredRecording> = {}): StoredRecording => ({
  ...recording,
  deleted: false,
  revision: 0,
  ...more
})

/**
 * Plans batches one after the other, each with the result of the previous batches. Returns the
 * recordings, with distinct ids in place of identities.
 */
function storeInOrder(batches: IncomingPart[][]) {
  const recordings = new Map<string, StoredRecording>()
  const seen = new Set<string>()
  const identities = new Map<string, number>()
  for (const batch of batches) {
    let next = identities.size
    const changes = planParts(batch, { ...NOTHING, recordings, seen, identities }, () => next++)
    for (const { key, distinct_id } of changes.newIdentities) {
      identities.set(distinct_id, key)
    }
    for (const { sessionId, partId } of changes.parts) {
      seen.add(`${sessionId}/${partId}`)
    }
    for (const recording of [...changes.created, ...changes.updated]) {
      recordings.set(recording.sessionId, stored(recording))
    }
  }
  const names = new Map([...identities].map(([name, key]) => [key, name]))
  return [...recordings.values()]
    .toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1))
    .map((recording) => ({
      ...recording,
      identity: names.get(recording.identity),
      isMoved: null,
      movedBy: null
    }))
}

type Recorded = { t: number; url: string; json?: unknown }

/** Reads the parts that a browser has sent, as the endpoint and the consumer do. */
async function partsOf(recorded: Recorded[]): Promise<IncomingPart[]> {
  const parts: IncomingPart[] = []
  for (const { t, json } of recorded.filter(({ url }) => url.startsWith('/s/'))) {
    for (const raw of json as Json[]) {
      const read = await readSnapshot(raw, undefined, t, new Unpacking())
      if (!read || !('lines' in read)) {
        throw new Error('A snapshot cannot be read.')
      }
      const {
        session_id: sessionId,
        part_id: partId,
        distinct_id: distinctId,
        source,
        skew,
        received_at
      } = read.part
      const lines = read.lines.trimEnd().split('\n')
      const summary = summarize(lines.map((line) => JSON.parse(line)[1]))
      parts.push({
        sessionId,
        partId,
        distinctId,
        source,
        receivedAt: received_at,
        bytes: 100,
        skew,
        summary
      })
    }
  }
  return parts
}

describe('the recorded traffic of posthog-js', () => {
  it('gives the same numbers as PostHog: 1.449.2', async () => {
    const [recording, ...others] = storeInOrder([await partsOf(current)])

    expect(others).toEqual([])
    expect(recording).toMatchObject({
      startTime: 1795238124740,
      endTime: 1795238142262,
      activeMs: 67 + 27 + 8,
      clickCount: 3,
      keypressCount: 5,
      mouseActivityCount: 19,
      consoleLogCount: 1,
      consoleWarnCount: 1,
      consoleErrorCount: 1,
      startUrl: 'http://127.0.0.1:8101/start?utm_source=test&gclid=abc#frag',
      snapshotSource: 'web',
      identity: '01a1fc87-dc0c-7fb8-b3b3-5823152c0da6',
      parts: 3
    })
  })

  it('gives the same counts in an older version: 1.300.0', async () => {
    expect(storeInOrder([await partsOf(older)])).toMatchObject([
      {
        clickCount: 3,
        keypressCount: 5,
        consoleLogCount: 1,
        consoleWarnCount: 1,
        consoleErrorCount: 1,
        parts: 3
      }
    ])
  })
})

describe('active time', () => {
  it.each<[number, string, Snapshot[]]>([
    [0, 'nothing', []],
    [
      0,
      'only what the page did by itself',
      [mutate(AT), page(AT + 1_000, 'https://a.test'), log(AT + 2_000, 'log')]
    ],
    [1, 'one movement', [move(AT)]],
    [4_000, 'until the last snapshot of a run', [mutate(AT - 100), move(AT), mutate(AT + 4_000)]],
    [5_000, 'five seconds without activity', [move(AT), move(AT + 5_000)]],
    [2, 'two runs', [move(AT), move(AT + 5_001)]],
    [
      4_000,
      'mutations do not keep a run going',
      [move(AT), mutate(AT + 4_000), mutate(AT + 5_001), mutate(AT + 5_002)]
    ],
    [3_000, 'in any order', [move(AT + 3_000), move(AT), move(AT + 1_000)]]
  ])('is %i ms: %s', (expected, _, snapshots) => {
    expect(summarize([...snapshots, mutate(AT + 60_000)]).activeMs).toBe(expected)
  })
})

describe('activity over time', () => {
  it('counts actions in seconds from the first snapshot to the last', () => {
    const actions = [move(AT), move(AT + 999), incremental(AT + 2_000, { source: 5 })]

    expect(summarize([mutate(AT - 500), ...actions, mutate(AT + 3_500)]).activity).toEqual({
      width: 1_000,
      first: AT / 1_000 - 1,
      counts: [0, 2, 0, 1, 0]
    })
  })

  it('has longer slices in a longer recording', () => {
    const minutes = Array.from({ length: 60 }, (_, i) => move(AT + i * 60_000))
    const { width, counts } = summarize(minutes).activity

    expect(width).toBe(64_000)
    expect(counts.length).toBe(56)
    expect(counts.reduce((sum, count) => sum + count)).toBe(60)
  })

  it('is that of all parts together, whatever their order', () => {
    const Times = fc.array(fc.integer({ min: AT - 1e6, max: AT + 1e7 }), { minLength: 1 })
    const count = (times: number[]) => countActivity(times, Math.min(...times), Math.max(...times))
    fc.assert(
      fc.property(fc.array(Times, { minLength: 1 }), (parts) => {
        const [first, ...others] = parts.map(count)
        const sum = others.reduce(addActivity, first as ReturnType<typeof count>)

        expect(sum).toEqual(count(parts.flat()))
        expect(sum.counts.length).toBeLessThanOrEqual(MAX_SLICES)
      }),
      deep(300)
    )
  })

  it('takes few slices between clocks that are decades apart', () => {
    const sum = addActivity(countActivity([0], 0, 0), countActivity([AT], AT, AT))

    expect(sum.counts.filter((count) => count > 0)).toEqual([1, 1])
    expect(sum.counts.length).toBeLessThanOrEqual(MAX_SLICES)
  })
})

describe('the counts of a recording', () => {
  it.each<[string, Snapshot, object]>([
    ['click', incremental(AT, { source: 2, type: 2 }), { clickCount: 1, mouseActivityCount: 1 }],
    ['context menu', incremental(AT, { source: 2, type: 3 }), { clickCount: 1 }],
    ['double click', incremental(AT, { source: 2, type: 4 }), { clickCount: 1 }],
    ['end of a touch', incremental(AT, { source: 2, type: 9 }), { clickCount: 1 }],
    [
      'mouse down',
      incremental(AT, { source: 2, type: 1 }),
      { clickCount: 0, mouseActivityCount: 1 }
    ],
    ['focus', incremental(AT, { source: 2, type: 5 }), { clickCount: 0, mouseActivityCount: 1 }],
    ['move', move(AT), { clickCount: 0, mouseActivityCount: 1 }],
    ['touch', incremental(AT, { source: 6 }), { mouseActivityCount: 1 }],
    ['scrolling', incremental(AT, { source: 3 }), { mouseActivityCount: 0, activeMs: 1 }],
    ['input', incremental(AT, { source: 5 }), { keypressCount: 1, mouseActivityCount: 0 }],
    ['mutation', mutate(AT), { keypressCount: 0, mouseActivityCount: 0, activeMs: 0 }],
    [
      'full snapshot',
      { type: 2, timestamp: AT, data: 'compressed', cv: '2024-10' },
      { mouseActivityCount: 0 }
    ],
    ['another type', { type: 5, timestamp: AT, data: { source: 2, type: 2 } }, { clickCount: 0 }],
    [
      'console.log',
      log(AT, 'log'),
      { consoleLogCount: 1, consoleWarnCount: 0, consoleErrorCount: 0 }
    ],
    ['console.info', log(AT, 'info'), { consoleLogCount: 1 }],
    ['no level', log(AT, null), { consoleLogCount: 1 }],
    ['a level of every object', log(AT, 'constructor'), { consoleLogCount: 1 }],
    ['console.warn', log(AT, 'warn'), { consoleLogCount: 0, consoleWarnCount: 1 }],
    ['console.countReset', log(AT, 'countReset'), { consoleWarnCount: 1 }],
    ['console.error', log(AT, 'error'), { consoleErrorCount: 1 }],
    ['console.assert', log(AT, 'assert'), { consoleErrorCount: 1 }],
    [
      'another plugin',
      { type: 6, timestamp: AT, data: { plugin: 'other' } },
      { consoleLogCount: 0 }
    ],
    [
      'no data',
      { type: 3, timestamp: AT },
      { clickCount: 0, mouseActivityCount: 0, keypressCount: 0 }
    ]
  ])('%s', (_, snapshot, expected) => {
    expect(summarize([snapshot])).toMatchObject(expected)
  })
})

describe('a member of another type than rrweb’s', () => {
  const NO_PRIMITIVE = JSON.parse('{"toString":1,"valueOf":1}')
  const DEEP = JSON.parse(`${'['.repeat(20_000)}5${']'.repeat(20_000)}`)
  const ODD: Json[] = [null, true, '5', [5], [[5]], {}, 1e21, NO_PRIMITIVE, DEEP]
  const nothing = summarize([mutate(AT)])

  it.each(ODD.map((odd, i) => ({ odd, i })))('is like a missing member (%$)', ({ odd }) => {
    const snapshots: Snapshot[] = [
      { type: odd, timestamp: AT, data: { source: 2, type: 2, href: 'https://a.test/' } },
      { type: 3, timestamp: AT, data: odd },
      { type: 3, timestamp: AT, data: { source: odd, type: 2 } },
      { type: 4, timestamp: AT, data: { href: odd, payload: odd } },
      { type: 4, timestamp: AT, data: { payload: { href: odd } } },
      { type: 6, timestamp: AT, data: { plugin: odd, payload: { level: 'warn' } } }
    ].filter((_, i) => typeof odd !== 'string' || (i !== 3 && i !== 4))

    expect(summarize(snapshots)).toEqual(nothing)
    expect(summarize([log(AT, odd)])).toMatchObject({ consoleLogCount: 1, consoleWarnCount: 0 })
    const click = { type: 3, timestamp: AT, data: { source: 2, type: odd } }
    expect(summarize([click])).toMatchObject({ clickCount: 0, mouseActivityCount: 1 })
  })

  it('hides no address beside it', () => {
    const data = { href: 7, payload: { href: 'https://a.test/' } }

    expect(summarize([{ type: 5, timestamp: AT, data }]).urls).toEqual([[AT, 'https://a.test/']])
  })
})

describe('the pages of a recording', () => {
  it('are the pages in its snapshots, each once, earliest first', () => {
    const custom: Snapshot = {
      type: 5,
      timestamp: AT + 1,
      data: { tag: '$url_changed', payload: { href: ' https://a.test/b ' } }
    }
    const other = { type: 3, timestamp: AT, data: { source: 0, href: 'https://not.test' } }

    const { urls } = summarize([
      page(AT + 2, 'https://a.test/'),
      custom,
      page(AT + 3, 'https://a.test/b'),
      page(AT, 7),
      page(AT, ' '),
      other
    ])

    expect(urls).toEqual([
      [AT + 1, 'https://a.test/b'],
      [AT + 2, 'https://a.test/']
    ])
  })

  it('are at most 25 of at most 4,096 characters', () => {
    const visits = Array.from({ length: 30 }, (_, n): [number, string] => [
      AT - n,
      `https://a.test/${n}`
    ])

    expect(firstUrls(visits).map(([at]) => AT - at)).toEqual(
      Array.from({ length: 25 }, (_, n) => 29 - n)
    )
    expect(summarize([page(AT, `https://a.test/${'x'.repeat(5_000)}`)]).urls[0]?.[1]).toHaveLength(
      4_096
    )
  })
})

describe('the correction of a visitor’s clock', () => {
  /** A part that is sent by a clock that is `skew` ms ahead, `at` ms after the first. */
  const sent = (at: number, skew: number, partId = `part ${at}`): IncomingPart => ({
    sessionId: SESSION,
    partId,
    distinctId: 'ada',
    source: 'web',
    receivedAt: AT + at,
    bytes: 10,
    skew,
    summary: summarize([page(AT + at + skew, `https://a.test/${at}`)])
  })
  const durationOf = (...batches: IncomingPart[][]) => {
    const [recording] = storeInOrder(batches)
    return recording && recording.endTime - recording.startTime
  }

  it('is the skew, rounded to five minutes', () => {
    const correctedBy = (skew: number) =>
      AT + skew - (storeInOrder([[sent(0, skew)]])[0]?.startTime ?? 0)

    expect([0, 149_999, 150_000, 450_000, -149_999, -3_600_000].map(correctedBy)).toEqual([
      0, 0, 300_000, 600_000, 0, -3_600_000
    ])
  })

  it.each([149_500, 449_700, -149_500, -450_200, 86_550_000])(
    'is kept by the parts of a recording although their skews would be rounded differently: %i ms',
    (skew) => {
      const [first, second] = [sent(0, skew), sent(1_000, skew + 1_000)]

      expect(durationOf([first], [second])).toBe(2_000)
      expect(durationOf([first, second])).toBe(2_000)
      expect(storeInOrder([[second], [first]])).toEqual(storeInOrder([[first, second]]))
    }
  )

  it('moves stored parts to the correction of an earlier part', () => {
    const [first, second] = [sent(0, 149_500), sent(1_000, 150_500)]
    const [late] = planParts([second], NOTHING, () => 7).created
    const known = { ...NOTHING, recordings: new Map([[SESSION, stored(late as Recording)]]) }

    expect(late).toMatchObject({ skew: 300_000, startTime: AT + 1_000 + 150_500 - 300_000 })
    expect(planParts([first], known, () => 8)).toMatchObject({
      updated: [
        {
          skew: 0,
          startTime: AT + 149_500,
          endTime: AT + 151_500,
          urls: [
            [AT + 149_500, 'https://a.test/0'],
            [AT + 151_500, 'https://a.test/1000']
          ],
          movedBy: 300_000,
          isMoved: true
        }
      ]
    })
  })

  it('follows a clock that is set while the page is recorded', () => {
    const parts = [sent(0, 0), sent(1_000, 10), sent(2_000, 3_600_400), sent(3_000, 3_600_000)]

    expect(durationOf(parts)).toBe(3_000)
    expect(durationOf(...parts.map((part) => [part]))).toBe(3_000)
    expect(durationOf(...parts.toReversed().map((part) => [part]))).toBe(3_000)
  })
})

const Part = fc
  .record({
    session: fc.constantFrom('a', 'b'),
    id: fc.integer({ min: 0, max: 30 }),
    distinctId: fc.constantFrom('ada', 'bob', 'eve'),
    start: fc.integer({ min: 0, max: 20 }),
    length: fc.integer({ min: 0, max: 20_000 }),
    receivedAt: fc.integer({ min: 0, max: 9 }),
    skew: fc.constantFrom(0, 149_500, 150_500, 299_000),
    urls: fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 40 })), {
      maxLength: 40
    })
  })
  .map(
    ({ session, id, distinctId, start, length, receivedAt, skew, urls }): IncomingPart => ({
      sessionId: `${SESSION}-${session}`,
      partId: `00000000-0000-7000-8000-0000000000${String(id).padStart(2, '0')}`,
      distinctId,
      source: id % 2 === 0 ? 'web' : 'mobile',
      receivedAt: AT + receivedAt,
      bytes: id,
      skew,
      summary: summarize([
        move(AT + start),
        move(AT + start + length),
        ...urls.map(([at, url]) => page(AT + start + at, `https://a.test/${url}`))
      ])
    })
  )

/** Parts that differ in their ids: an SDK never sends two different parts with the same id. */
const Parts = fc.uniqueArray(Part, {
  maxLength: 20,
  selector: ({ sessionId, partId }) => sessionId + partId
})

describe('the parts of recordings', () => {
  it('give the same recording in any order, however often and in whatever batches they arrive', () => {
    const Arrival = Parts.chain((parts) =>
      fc.record({
        parts: fc.constant(parts),
        arriving: fc
          .shuffledSubarray([...parts, ...parts], { minLength: parts.length * 2 })
          .chain((all) =>
            fc.tuple(fc.constant(all), fc.array(fc.nat({ max: all.length }), { maxLength: 5 }))
          )
      })
    )
    fc.assert(
      fc.property(Arrival, ({ parts, arriving: [all, cuts] }) => {
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), all.length]
        const batches = bounds.slice(1).map((end, i) => all.slice(bounds[i], end))

        expect(storeInOrder(batches)).toEqual(storeInOrder([parts]))
      }),
      deep(300)
    )
  })

  const part = (more: Partial<IncomingPart> = {}): IncomingPart => ({
    sessionId: SESSION,
    partId: '00000000-0000-7000-8000-000000000001',
    distinctId: 'ada',
    source: 'web',
    receivedAt: AT,
    bytes: 10,
    skew: 0,
    summary: summarize([move(AT)]),
    ...more
  })
  const recordingOf = (more: Partial<StoredRecording> = {}) => {
    const [created] = planParts([part({ partId: 'before' })], NOTHING, () => 7).created
    if (!created) {
      throw new Error('No recording was created.')
    }
    return {
      ...NOTHING,
      recordings: new Map([[SESSION, stored(created, more)]]),
      identities: new Map([['ada', 7]])
    }
  }

  it.each<[string, Partial<StoredRecording>]>([
    ['of a deleted recording', { deleted: true }],
    ['beyond the number that a recording takes', { parts: MAX_RECORDING_PARTS }],
    ['beyond the bytes that a recording takes', { bytes: MAX_RECORDING_BYTES - 9 }]
  ])('are refused: %s', (_, more) => {
    const { parts, created, updated, refused } = planParts([part()], recordingOf(more), () => 8)

    expect({ parts, created, updated, refused }).toEqual({
      parts: [],
      created: [],
      updated: [],
      refused: [part()]
    })
  })

  it('give a recording the identity of the earliest part, unless a user has set it', () => {
    const earlier = part({ distinctId: 'eve', summary: summarize([move(AT - 1)]) })

    expect(planParts([earlier], recordingOf(), () => 8)).toMatchObject({
      newIdentities: [{ key: 8, distinct_id: 'eve' }],
      updated: [{ identity: 8, startTime: AT - 1, isMoved: true }]
    })
    expect(planParts([earlier], recordingOf({ isRelinked: true }), () => 8)).toMatchObject({
      newIdentities: [],
      updated: [{ identity: 7, isMoved: true }]
    })
  })

  it('leave a recording with its erased owner when an earlier part of the same distinct id arrives', () => {
    const earlier = part({ summary: summarize([move(AT - 1)]) })
    const known = { ...recordingOf(), identities: new Map([['ada', 9]]) }

    expect(
      planParts([earlier], { ...known, erasedIdentities: new Set([7]) }, () => 8)
    ).toMatchObject({
      newIdentities: [],
      expectedIdentities: [],
      updated: [{ identity: 7, startTime: AT - 1 }]
    })
    expect(planParts([earlier], known, () => 8)).toMatchObject({ updated: [{ identity: 9 }] })
  })

  it('are not refused if another copy of the part in the batch is stored', () => {
    const tombstone = { ...TOMBSTONE, deletesRecordings: true }
    const known = { ...NOTHING, tombstones: new Map([['ada', [tombstone]]]) }

    const { parts, refused } = planParts([part(), part({ receivedAt: AT + 1 })], known, () => 8)

    expect([parts.length, refused]).toEqual([1, []])
  })

  it('of a person that was erased meanwhile get the erased identity, or are refused if recordings are deleted too', () => {
    const tombstone = { ...TOMBSTONE, deletesRecordings: false }
    const known = { ...NOTHING, tombstones: new Map([['ada', [tombstone]]]) }

    const { created, newIdentities, expectedIdentities } = planParts([part()], known, () => 8)

    expect(created).toMatchObject([{ identity: 5 }])
    expect([newIdentities, expectedIdentities]).toEqual([[], []])
    const gone = {
      ...NOTHING,
      tombstones: new Map([['ada', [{ ...tombstone, deletesRecordings: true }]]])
    }
    expect(planParts([part()], gone, () => 8)).toMatchObject({ created: [], refused: [part()] })
    const later = part({ receivedAt: AT + 1 })
    expect(planParts([later], gone, () => 8)).toMatchObject({
      created: [{ identity: 8 }],
      refused: []
    })
  })
})

it.each([undefined, null, 7, ''])(
  'takes the session id for the window id %j',
  async ($window_id) => {
    const properties = {
      distinct_id: 'ada',
      $session_id: SESSION,
      ...($window_id !== undefined && { $window_id }),
      $snapshot_data: [move(AT)]
    }

    const read = await readSnapshot({ properties }, AT, AT, new Unpacking())

    expect(read).toMatchObject({ lines: `${JSON.stringify([SESSION, move(AT)])}\n` })
  }
)

it('keeps recordings for as many days as the project says, or else the deployment', () => {
  const deployment = { RECORDING_RETENTION_DAYS: '30' }

  expect(retentionDaysOf({ recordingRetentionDays: 7 }, deployment)).toBe(7)
  expect(retentionDaysOf({ recordingRetentionDays: null }, deployment)).toBe(30)
})

it('refuses a retention that would remove every recording', () => {
  expect(['30', '1', '99999'].map(readRetentionDays)).toEqual([30, 1, 99_999])
  for (const text of ['', '0', '-1', '30 days', '1.5', '1e9']) {
    expect(() => readRetentionDays(text)).toThrow('RECORDING_RETENTION_DAYS')
  }
})
