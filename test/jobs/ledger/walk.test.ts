import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { digestOf, LISTS_PREFIX, writeList } from '../../../src/erasures/events/list.ts'
import { openSigningKey, publishKey } from '../../../src/erasures/receipts/keys.ts'
import { checkNamed } from '../../../src/erasures/replay/named.ts'
import { NIGHTLY } from '../../../src/jobs/cron.ts'
import { ENTRIES_PREFIX, GENESIS, headOf, keyOf } from '../../../src/ledger/entry.ts'
import { Ledger, readAfter } from '../../../src/ledger/ledger.ts'
import { noteApplied, readApplied } from '../../../src/ledger/store.ts'
import { giveUpObject, readKept, walkLedger } from '../../../src/ledger/walk.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, request } from '../../support/project.ts'
import worker from '../../support/worker.ts'

const REMOVAL = '01a1fc87-0000-7000-8000-000000000001'
const UUIDS = ['0'.repeat(32), 'f'.repeat(32)]
const LIST = `${LISTS_PREFIX}7/${REMOVAL}.json`

/** The number of entries that `beforeEach` writes. */
const LENGTH = 8
/** The entry that names a list of events. */
const WITH_LIST = 4

/** Writes a ledger that every database has applied. */
beforeEach(async () => {
  for (const prefix of ['ledger/', 'marks/', 'sweeps/']) {
    const { objects } = await env.BUCKET.list({ prefix })
    await env.BUCKET.delete(objects.map(({ key }) => key))
  }
  await db.run(sql`delete from ledger_head`)
  const ledger = new Ledger(env.BUCKET, GENESIS)
  for (let seq = 1; seq < LENGTH; seq += 1) {
    await ledger.append(seq === WITH_LIST ? await newRemoval() : { kind: 'note', project: seq }, 1)
  }
  const key = await openSigningKey(env)
  if (!key) {
    throw new Error('There is no key.')
  }
  await publishKey(env.BUCKET, key, new Ledger(env.BUCKET, GENESIS), 1)
  const last = (await readAfter(env.BUCKET, GENESIS, 100)).at(-1)
  expect(last?.link.seq).toBe(LENGTH)
  await noteApplied(db, last ? headOf(last) : GENESIS)
})

async function newRemoval() {
  await writeList(env.BUCKET, { projectId: 7, id: REMOVAL }, UUIDS)
  return {
    kind: 'event_removal',
    project: 7,
    id: REMOVAL,
    events: UUIDS.length,
    digest: digestOf(UUIDS),
    properties: null,
    requested_at: 1,
    user: 0,
    key: 0
  }
}

const night = async (most = 100) =>
  walkLedger(env.BUCKET, { checkNamed, most, applied: [await readApplied(db)] })

const health = async () => {
  const { status, body } = await request('GET', '/readyz', {}, undefined, { HEALTH_SECONDS: '0' })
  return [status, body.ledger, body.ledger_fault]
}

const textOf = async (key: string) => (await (await env.BUCKET.get(key))?.text()) ?? ''

/** Changes a character in the middle of an object. */
async function flip(key: string): Promise<void> {
  const text = await textOf(key)
  const middle = text.length >> 1
  const other = text[middle] === '0' ? '1' : '0'
  await env.BUCKET.put(key, `${text.slice(0, middle)}${other}${text.slice(middle + 1)}`)
}

async function swap(a: string, b: string): Promise<void> {
  const [first, second] = [await textOf(a), await textOf(b)]
  await env.BUCKET.put(a, second)
  await env.BUCKET.put(b, first)
}

/** Changes a member of an entry's link, which the digest of the entry does not cover. */
async function relink(seq: number, member: 'at' | 'prev'): Promise<void> {
  const { link, body } = JSON.parse(await textOf(keyOf(seq)))
  const value = member === 'at' ? link.at + 1 : 'f'.repeat(64)
  await env.BUCKET.put(keyOf(seq), JSON.stringify({ link: { ...link, [member]: value }, body }))
}

/** Changes the hashes in an object. */
const swapDigits = async (key: string) =>
  env.BUCKET.put(key, (await textOf(key)).replace(/[0-9a-f]{60}/g, '0'.repeat(60)))

const publicKey = async () =>
  (await env.BUCKET.list({ prefix: 'ledger/keys/' })).objects[0]?.key ?? ''

/** Ways to damage a ledger that every database has applied, and what is said about it. */
const FAULTS: [string, () => Promise<unknown>, RegExp][] = [
  ...[1, 3, LENGTH - 1, LENGTH].flatMap((seq): (typeof FAULTS)[number][] => [
    [`entry ${seq} is changed`, () => flip(keyOf(seq)), new RegExp(`^Entry ${seq} .* damaged`)],
    [
      `entry ${seq} is cut`,
      async () => env.BUCKET.put(keyOf(seq), (await textOf(keyOf(seq))).slice(0, -9)),
      new RegExp(`^Entry ${seq} .* damaged`)
    ],
    [
      `entry ${seq} is deleted`,
      () => env.BUCKET.delete(keyOf(seq)),
      new RegExp(`^Entry ${seq} .* missing`)
    ]
  ]),
  ['two entries are swapped', () => swap(keyOf(2), keyOf(3)), /^Entry 2 .* damaged/],
  ...[2, 3, LENGTH - 1].flatMap((seq): (typeof FAULTS)[number][] => [
    [
      `the time of entry ${seq} is changed`,
      () => relink(seq, 'at'),
      new RegExp(`^Entry ${seq} .* damaged: entry ${seq + 1} does not follow entry ${seq}`)
    ],
    [
      `the hash in entry ${seq} is changed`,
      () => relink(seq, 'prev'),
      new RegExp(`^Entry ${seq} .* damaged: entry ${seq} does not follow entry ${seq - 1}`)
    ]
  ]),
  ['the hash in the last entry is changed', () => relink(LENGTH, 'prev'), /^Entry 8 .* damaged/],
  ['the time of the last entry is changed', () => relink(LENGTH, 'at'), /^Entry 8 .* is not the/],
  ['a list of events is changed', () => flip(LIST), /^The list .* damaged/],
  [
    'a list of events is cut',
    () => env.BUCKET.put(LIST, `["${UUIDS[0]}"]`),
    /^The list .* damaged/
  ],
  ['a list of events is empty', () => env.BUCKET.put(LIST, ''), /^The list .* damaged/],
  ['a list of events is deleted', () => env.BUCKET.delete(LIST), /^The list .* missing/],
  ['a public key is changed', async () => flip(await publicKey()), /^The public key .* damaged/],
  [
    'a public key is deleted',
    async () => env.BUCKET.delete(await publicKey()),
    /^The public key .* missing/
  ]
]

describe('the walk', () => {
  it('finds nothing wrong in an intact ledger, night after night', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await night()).toEqual({ entries: LENGTH, fault: null, isDone: true })
      expect(await health()).toEqual([200, 'ok', null])
    }
  })

  it.each(FAULTS)('says that %s', async (_, damage, text) => {
    await night()
    await damage()

    const { fault } = await night()

    expect(fault?.text).toMatch(text)
    const [status, state, sentence] = await health()
    expect([status, state]).toEqual([503, 'damaged'])
    const isEntry = fault?.key.startsWith(ENTRIES_PREFIX)
    expect(sentence).toMatch(isEntry ? text : /^An object that an entry of the ledger names is/)
  })

  it.each([
    ['the last entry', [LENGTH]],
    ['the last two entries', [LENGTH - 1, LENGTH]]
  ])(
    'says that %s, which a database has applied, are missing, in its first night',
    async (_, lost) => {
      await env.BUCKET.delete(lost.map(keyOf))

      expect((await night()).fault?.text).toBe(`Entry ${lost[0]} of the ledger is missing.`)
    }
  )

  it('says that the last entry is not the one that a database has applied', async () => {
    const { project } = JSON.parse(await textOf(keyOf(LENGTH))).body
    await env.BUCKET.delete(keyOf(LENGTH))
    await new Ledger(env.BUCKET, GENESIS).append({ kind: 'note', project }, 2)

    expect((await night()).fault?.key).toBe(keyOf(LENGTH))
    await giveUpObject(env.BUCKET, keyOf(LENGTH))
    expect((await night()).fault).toBeNull()
  })

  it('stops after some requests, and continues the next night where it was', async () => {
    await flip(keyOf(6))
    const nights: number[] = []
    for (let i = 0; i < 10; i += 1) {
      const { entries, fault } = await night(3)
      nights.push(entries)
      if (fault) {
        expect(fault.text).toContain('Entry 6')
        expect(nights.reduce((sum, count) => sum + count, 0)).toBe(5)
        return expect(nights.length).toBeGreaterThan(2)
      }
      expect((await health())[1]).toBe('ok')
    }
    throw new Error('The walk has not found the damaged entry.')
  })

  it('says nothing more once the entry is put back', async () => {
    const text = await textOf(keyOf(2))
    await env.BUCKET.delete(keyOf(2))
    await night()
    expect((await health())[1]).toBe('damaged')

    await env.BUCKET.put(keyOf(2), text)

    expect(await night()).toMatchObject({ fault: null, isDone: true })
    expect(await health()).toEqual([200, 'ok', null])
  })

  it.each([
    ['an entry', keyOf(2)],
    ['two entries', keyOf(2), keyOf(3)],
    ['the last entry', keyOf(LENGTH)],
    ['a list', LIST]
  ])('passes %s that an operator has given up, and finds the next fault', async (_, ...keys) => {
    await night()
    for (const key of keys) {
      await flip(key)
    }
    for (const key of keys) {
      expect((await night()).fault?.key).toBe(key)
      await giveUpObject(env.BUCKET, key)
    }
    expect(await night()).toMatchObject({ fault: null, isDone: true })
    expect(await night()).toMatchObject({ fault: null, isDone: true })
    const places: (number | string)[] = []
    for await (const kept of readKept(env.BUCKET)) {
      places.push(typeof kept === 'number' ? keyOf(kept) : kept.link.seq)
    }
    const seqs = Array.from({ length: LENGTH }, (_, i) => i + 1)
    expect(places).toEqual(seqs.map((seq) => (keys.includes(keyOf(seq)) ? keyOf(seq) : seq)))

    expect(await health()).toEqual([200, 'ok', null])

    await flip(keyOf(5))

    expect((await night()).fault?.key).toBe(keyOf(5))
  })

  it.each([
    ['at', 2],
    ['prev', 3],
    ['at', LENGTH - 1],
    ['at', LENGTH],
    ['prev', LENGTH]
  ] as const)(
    'passes an entry whose %s is changed, and that is given up: %i',
    async (member, seq) => {
      await night()
      await relink(seq, member)
      expect((await night()).fault?.key).toBe(keyOf(seq))
      expect((await health())[1]).toBe('damaged')

      await giveUpObject(env.BUCKET, keyOf(seq))

      expect(await health()).toEqual([200, 'ok', null])
      expect(await night()).toMatchObject({ fault: null, isDone: true })
      expect(await night()).toMatchObject({ fault: null, isDone: true })
      expect(await health()).toEqual([200, 'ok', null])
    }
  )

  it('names the entry that is missing after one that was given up', async () => {
    await flip(keyOf(2))
    await giveUpObject(env.BUCKET, keyOf(2))

    await env.BUCKET.delete(keyOf(3))

    expect((await night()).fault).toEqual({
      key: keyOf(3),
      text: 'Entry 3 of the ledger is missing.'
    })
  })

  it('begins anew if its note is damaged', async () => {
    const note = 'sweeps/ledger.json'
    for (const damage of [() => env.BUCKET.put(note, '{"progress":'), () => swapDigits(note)]) {
      await night(3)
      await damage()

      expect(await night()).toEqual({ entries: LENGTH, fault: null, isDone: true })
    }
  })

  it('still passes what was given up if its note is damaged', async () => {
    await env.BUCKET.delete(keyOf(2))
    await giveUpObject(env.BUCKET, keyOf(2))
    await env.BUCKET.put('sweeps/ledger.json', '{"progress":')

    expect(await night()).toMatchObject({ fault: null, isDone: true })
  })

  it.each([2, LENGTH])(
    'is part of the nightly run, whose job fails without entry %i',
    async (seq) => {
      await newProject()
      await env.BUCKET.delete(keyOf(seq))
      const log = listenToLog()

      await worker.scheduled(
        createScheduledController({ cron: NIGHTLY, scheduledTime: new Date() }),
        env
      )

      expect(log.lines('scheduled job failed')).toMatchObject([
        { job: 'walk of the ledger', error: expect.stringContaining(`Entry ${seq} of the ledger`) }
      ])
      log.stop()
      expect((await health())[1]).toBe('damaged')
      const { objects } = await env.BUCKET.list({ prefix: ENTRIES_PREFIX })
      expect(objects).toHaveLength(LENGTH - 1)
    }
  )
})
