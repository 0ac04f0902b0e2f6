import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { redriveDeadLetter } from '../../../src/dead-letters/redrive.ts'
import { type DeadLetterRow, listDeadLetters } from '../../../src/dead-letters/store.ts'
import { retryDelay } from '../../../src/queues/failure.ts'
import { failingDatabase } from '../../support/bindings.ts'
import { contentsOf } from '../../support/contents.ts'
import { aroundCalls, beforeCall } from '../../support/faults.ts'
import {
  consume,
  db,
  deliverBatch,
  newProject,
  type TestEvent,
  type TestProject
} from '../../support/project.ts'
import { until } from '../../support/until.ts'

const AT = Date.UTC(2026, 10, 1)
const uuid = (n: number) => `01a1fc8a-9c75-738f-a5ff-${String(n).padStart(12, '0')}`

/**
 * A story with every kind of write: an anonymous visitor with a profile becomes Ada, who has a
 * second device.
 */
const story: TestEvent[] = [
  {
    uuid: uuid(1),
    timestamp: AT + 1,
    distinct_id: 'anon-1',
    properties: { $set: { theme: 'dark' }, $browser: 'Firefox' }
  },
  {
    uuid: uuid(2),
    timestamp: AT + 2,
    distinct_id: 'anon-2',
    properties: { $process_person_profile: false }
  },
  {
    uuid: uuid(3),
    timestamp: AT + 3,
    event: '$identify',
    distinct_id: 'ada',
    properties: {
      $anon_distinct_id: 'anon-1',
      $set: { email: 'ada@example.com' },
      $set_once: { plan: 'free' }
    }
  },
  {
    uuid: uuid(4),
    timestamp: AT + 4,
    event: '$create_alias',
    distinct_id: 'ada',
    properties: { alias: 'anon-2' }
  },
  {
    uuid: uuid(5),
    timestamp: AT + 5,
    event: 'bought',
    distinct_id: 'ada',
    properties: { $set: { plan: 'pro' } }
  },
  {
    uuid: uuid(6),
    timestamp: AT + 6,
    event: '$set',
    distinct_id: 'ada',
    properties: { $unset: ['theme'] }
  },
  { uuid: uuid(7), timestamp: AT + 7, distinct_id: 'bob' }
]

/** Stores the story in one batch, and returns what the database then has. */
const contentsOfStory = async (): Promise<Awaited<ReturnType<typeof contentsOf>>> => {
  const project = await newProject()
  await project.ingest(story, AT + 100)
  return contentsOf(project.id)
}

describe('the capture consumer', () => {
  it('stores the persons and events of a story', async () => {
    const { persons, events, count } = await contentsOfStory()

    expect(persons).toEqual([
      {
        distinct_ids: ['ada', 'anon-1', 'anon-2'],
        created_at: AT + 1,
        is_identified: 1,
        properties: {
          $creator_event_uuid: uuid(1),
          $browser: 'Firefox',
          $initial_browser: 'Firefox',
          email: 'ada@example.com',
          plan: 'pro'
        }
      },
      {
        distinct_ids: ['bob'],
        created_at: AT + 7,
        is_identified: 0,
        properties: { $creator_event_uuid: uuid(7) }
      }
    ])
    expect(count).toBe(2)
    expect(events).toHaveLength(7)
    expect(events.map(({ version }) => version?.plan)).toEqual([
      undefined,
      undefined,
      'free',
      'free',
      'pro',
      'pro',
      undefined
    ])
  })

  it('is not affected by a message that arrives twice, at once or later', async () => {
    const project = await newProject()
    const message = project.message(story, AT + 100)
    await consume([message, message])
    const result = await consume([message])

    expect(result.explicitAcks).toHaveLength(1)
    expect(await contentsOf(project.id)).toEqual(await contentsOfStory())
  })

  it('gives the same persons when events arrive one by one in reverse order', async () => {
    const project = await newProject()
    for (const event of story.toReversed()) {
      await project.ingest([event], AT + 100)
    }

    const { persons, events, count } = await contentsOf(project.id)
    const straight = await contentsOfStory()
    expect({ persons, count }).toEqual({ persons: straight.persons, count: straight.count })
    expect(events).toHaveLength(7)
  })

  it('updates the search text of several persons in one batch', async () => {
    const project = await newProject()
    const identify = (email: string) =>
      ['ada', 'bob', 'eve'].map((distinct_id) => ({
        event: '$identify',
        distinct_id,
        properties: { $set: { email: `${distinct_id}@${email}` } }
      }))
    await project.ingest([{ distinct_id: 'ada' }, { distinct_id: 'bob' }, { distinct_id: 'eve' }])
    for (const domain of ['first.example', 'second.example']) {
      const result = await project.ingest(identify(domain))
      expect(result.explicitAcks).toHaveLength(1)
    }

    expect((await project.call('GET', 'persons/?search=second.ex')).body.count).toBe(3)
    expect((await project.call('GET', 'persons/?search=first.ex')).body.count).toBe(0)
  })

  it('treats one uuid in two projects as two events', async () => {
    const [one, other] = [await newProject(), await newProject()]
    await consume([one.message([{ uuid: uuid(1) }]), other.message([{ uuid: uuid(1) }])])

    expect((await contentsOf(one.id)).events).toHaveLength(1)
    expect((await contentsOf(other.id)).events).toHaveLength(1)
  })
})

/** Delivers `first`, with `second` delivered in full just before the given database call of `first`. */
const interleave = async (first: TestEvent[], second: TestEvent[], call: number) => {
  const project = await newProject()
  await project.ingest(story.slice(0, 3), AT + 100)
  const { DB, isReached } = beforeCall(env.DB, call, () => project.ingest(second, AT + 100))
  const result = await consume([project.message(first, AT + 100)], 1, { DB })
  expect(isReached()).toBe(true)
  expect(result.explicitAcks).toHaveLength(1)
  return contentsOf(project.id)
}

describe('two consumers at once', () => {
  it.each([2, 3])('lose no property write to the same person (call %i)', async (call) => {
    const { persons } = await interleave(
      [
        {
          timestamp: AT + 10,
          event: 'new to all',
          distinct_id: 'ada',
          properties: { $set: { one: 1 } }
        }
      ],
      [
        {
          timestamp: AT + 11,
          event: 'new as well',
          distinct_id: 'ada',
          properties: { $set: { two: 2 } }
        }
      ],
      call
    )

    expect(persons[0]?.properties).toMatchObject({ one: 1, two: 2 })
  })

  it.each([2, 3])('store an event that both receive only once (call %i)', async (call) => {
    const event = {
      uuid: uuid(50),
      timestamp: AT + 10,
      event: 'shared',
      distinct_id: 'eve',
      properties: { $set: { n: 1 } }
    }
    const { persons, events, count } = await interleave([event], [event], call)

    expect(events.filter(({ event }) => event === 'shared')).toHaveLength(1)
    expect(persons).toHaveLength(2)
    expect(count).toBe(2)
  })

  it.each([2, 3])(
    'create one person for a distinct id that is new to both (call %i)',
    async (call) => {
      const { persons, count } = await interleave(
        [
          {
            timestamp: AT + 10,
            event: 'left',
            distinct_id: 'eve',
            properties: { $set: { left: 1 } }
          }
        ],
        [
          {
            timestamp: AT + 11,
            event: 'right',
            distinct_id: 'eve',
            properties: { $set: { right: 1 } }
          }
        ],
        call
      )

      expect(count).toBe(2)
      expect(
        persons.find(({ distinct_ids }) => distinct_ids[0] === 'eve')?.properties
      ).toMatchObject({
        left: 1,
        right: 1
      })
    }
  )

  it.each([2, 3])(
    'keep an id that joins a person while that person is folded into another (call %i)',
    async (call) => {
      const join = {
        timestamp: AT + 10,
        event: '$create_alias',
        distinct_id: 'ada',
        properties: { alias: 'phone' }
      }
      const fold = {
        timestamp: AT + 11,
        event: '$merge_dangerously',
        distinct_id: 'boss',
        properties: { alias: 'ada' }
      }
      const boss = { timestamp: AT + 9, event: 'seen', distinct_id: 'boss' }
      const { persons, count } = await interleave([join], [boss, fold], call)

      expect(persons.map(({ distinct_ids }) => distinct_ids)).toEqual([
        ['ada', 'anon-1', 'boss', 'phone']
      ])
      expect(count).toBe(1)
    }
  )
})

describe('two consumers at once, in the narrowest gap', () => {
  it('let the later of two writes win even if the earlier write did not see a change', async () => {
    const { persons } = await interleave(
      [
        {
          timestamp: AT + 20,
          event: '$identify',
          distinct_id: 'ada',
          properties: { $set: { email: 'ada@example.com' } }
        }
      ],
      [
        {
          timestamp: AT + 15,
          event: '$identify',
          distinct_id: 'ada',
          properties: { $set: { email: 'other@example.com' } }
        }
      ],
      3
    )

    expect(persons[0]?.properties).toMatchObject({ email: 'ada@example.com' })
  })

  it('create one person for an id to which both give its first person', async () => {
    const { persons, count } = await interleave(
      [
        {
          timestamp: AT + 10,
          event: '$create_alias',
          distinct_id: 'ada',
          properties: { alias: 'anon-2' }
        }
      ],
      [
        {
          timestamp: AT + 11,
          event: 'seen',
          distinct_id: 'anon-2',
          properties: { $set: { device: 'phone' } }
        }
      ],
      3
    )

    expect(persons).toMatchObject([
      { distinct_ids: ['ada', 'anon-1', 'anon-2'], properties: { device: 'phone' } }
    ])
    expect(count).toBe(1)
  })
})

it('an event whose identity disappears while it is planned goes to the next identity of its distinct id', async () => {
  const project = await newProject()
  await project.ingest([
    { uuid: uuid(70), distinct_id: 'ada', properties: { $process_person_profile: false } }
  ])
  const key = async () =>
    (
      await db.all<{ key: number }>(
        sql`select key from distinct_ids where project_id = ${project.id}`
      )
    )[0]?.key
  const before = await key()
  const { DB, isReached } = beforeCall(env.DB, 3, () =>
    db.run(sql`delete from distinct_ids where project_id = ${project.id}`)
  )
  const again = {
    uuid: uuid(71),
    distinct_id: 'ada',
    properties: { $process_person_profile: false }
  }
  await consume([project.message([again])], 1, { DB })

  expect(isReached()).toBe(true)
  expect(await key()).not.toBe(before)
  expect((await contentsOf(project.id)).events.map((event) => event.uuid)).toEqual([
    uuid(71).replaceAll('-', '')
  ])
})

describe('a crash at any step', () => {
  class Crash extends Error {}

  /** Delivers the story with the consumer dying before or after one database call, then delivers it again. */
  const crashAt = async (call: number, when: 'before' | 'after') => {
    const project = await newProject()
    const message = project.message(story, AT + 100)
    let crashed = false
    const DB = aroundCalls(env.DB, async (run, at) => {
      if (at < call) {
        return run()
      }
      crashed = true
      if (at === call && when === 'after') {
        await run()
      }
      throw new Crash('the consumer died')
    })
    const first = await consume([message], 1, { DB })
    expect(first.retryMessages).toHaveLength(crashed ? 1 : 0)
    await consume([message])
    return { contents: await contentsOf(project.id), crashed }
  }

  it.each([
    [1, 'before'],
    [1, 'after'],
    [2, 'before'],
    [2, 'after'],
    [3, 'before'],
    [3, 'after']
  ] as const)('at call %i, %s it ran, leaves nothing half done', async (call, when) => {
    const { contents, crashed } = await crashAt(call, when)

    expect(crashed).toBe(true)
    expect(contents).toEqual(await contentsOfStory())
  })

  it('stores the story in three calls', async () => {
    expect((await crashAt(4, 'before')).crashed).toBe(false)
  })
})

describe('messages that cannot be stored', () => {
  const parked = async (error: string) => {
    const rows = await db.all<{ id: string; object: string; error: string; attempts: number }>(sql`
      select id, object, error, attempts from dead_letters where error like ${error}`)
    const object = rows[0] && (await env.BUCKET.get(rows[0].object))
    return { rows, content: object && (await object.json()) }
  }

  it('are parked in R2 with the reason if they are not capture messages', async () => {
    const poison = { project_id: 'one', note: crypto.randomUUID() }
    const result = await consume([poison])

    expect(result.explicitAcks).toHaveLength(1)
    await until(async () => (await parked('%Not a capture%')).rows.length > 0)
    expect((await parked('%Not a capture%')).content).toMatchObject({ attempts: 1, dead: poison })
  })

  it('do not affect other messages', async () => {
    const project = await newProject()
    const broken = project.message([{ uuid: uuid(60) }])
    const message = {
      ...broken,
      events: broken.events.map((event) => ({ ...event, properties: deep(1_200) }))
    }
    const result = await consume([
      project.message([{ uuid: uuid(61) }]),
      message,
      project.message([{ uuid: uuid(62) }])
    ])

    expect(result.explicitAcks).toHaveLength(2)
    expect(result.retryMessages).toHaveLength(1)
    expect((await contentsOf(project.id)).events).toHaveLength(2)
  })

  it('are tried again, after a longer delay each time, while the database cannot answer', async () => {
    const DB = failingDatabase('D1_ERROR: Network connection lost')
    const project = await newProject()
    const result = await consume([project.message(story), project.message(story)], 11, { DB })

    expect(result.retryMessages).toHaveLength(2)
    expect([1, 2, 3, 11, 12].map(retryDelay)).toEqual([2, 4, 8, 2048, 3600])
  })

  it('become dead letters at the last delivery, with the reason', async () => {
    const DB = failingDatabase('D1_ERROR: storage caused object to be reset')
    const project = await newProject()
    const result = await consume([project.message(story)], 12, { DB })

    expect(result.explicitAcks).toHaveLength(1)
    const found = () => parked('%storage caused object to be reset')
    await until(async () => (await found()).rows.length > 0)
    expect((await found()).rows).toMatchObject([{ attempts: 12 }])

    const letter = (await listDeadLetters(db)).find(({ projectId }) => projectId === project.id)
    expect(await redrive(letter)).toBe(7)
    expect(await contentsOf(project.id)).toEqual(await contentsOfStory())
    expect(await listDeadLetters(db)).not.toContainEqual(letter)
    expect(await redrive(letter)).toBe(0)
  })

  it('are parked with their events even if the platform moved them and their events were in R2', async () => {
    const project = await newProject()
    const id = crypto.randomUUID()
    const spill = `capture/${project.id}/2026-11-01T00:00:00.000Z/${id}.json`
    await env.BUCKET.put(spill, JSON.stringify(project.message(story, AT + 100)))
    await deliverBatch('edge-analytics-capture-dead', [{ spill }])

    expect(await env.BUCKET.head(spill)).toBeNull()
    const letter = (await listDeadLetters(db)).find((row) => row.id === id)
    expect(letter).toMatchObject({
      projectId: project.id,
      error:
        'Every delivery ended without a reason: the consumer probably crashed or ran out of time.'
    })
    expect(await redrive(letter)).toBe(7)
  })
})

const deep = (levels: number): { [key: string]: never } =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

const redrive = (letter: DeadLetterRow | undefined) =>
  letter && redriveDeadLetter(letter, { env, usage: newUsage(), clock: () => new Date() })

describe('large messages', () => {
  const spilled = async (project: TestProject) => {
    const spill = `capture/2026-11-01/${crypto.randomUUID()}.json`
    await env.BUCKET.put(spill, JSON.stringify(project.message(story, AT + 100)))
    return spill
  }

  it('are read from R2, and deleted there once their events are stored', async () => {
    const project = await newProject()
    const spill = await spilled(project)
    const result = await consume([{ spill }])

    expect(result.explicitAcks).toHaveLength(1)
    expect(await contentsOf(project.id)).toEqual(await contentsOfStory())
    expect(await env.BUCKET.head(spill)).toBeNull()
    expect((await consume([{ spill }])).explicitAcks).toHaveLength(1)
  })

  it('stay in R2 while they cannot be stored', async () => {
    const DB = failingDatabase('D1_ERROR: Network connection lost')
    const project = await newProject()
    const spill = await spilled(project)
    const result = await consume([{ spill }], 1, { DB })

    expect(result.retryMessages).toHaveLength(1)
    expect(await env.BUCKET.head(spill)).not.toBeNull()
  })
})

it('a batch that needs too many queries leaves the messages of some projects to a later batch', async () => {
  const projects = await Promise.all(Array.from({ length: 60 }, () => newProject()))
  const messages = projects.map((project) => project.message([{ distinct_id: 'ada' }]))

  const { explicitAcks, retryMessages } = await consume(messages)
  expect(explicitAcks.length + retryMessages.length).toBe(60)
  expect(retryMessages.length).toBeGreaterThan(0)
  await consume(messages.toReversed())

  const [row] = await db.all<{ count: number }>(sql`select count(*) as count from events
    where project_id in (select value from json_each(${JSON.stringify(projects.map(({ id }) => id))}))`)
  expect(row?.count).toBe(60)
})

describe('the cost of a batch', () => {
  const persons = Array.from({ length: 10 }, (_, i) => `person-${i}`)
  const pageviews = (count: number, minute: number): TestEvent[] =>
    Array.from({ length: count }, (_, i) => ({
      timestamp: AT + minute * 60_000 + i,
      distinct_id: persons[i % 10] ?? '',
      properties: {
        $current_url: `https://example.com/${minute}/${i}`,
        $pathname: `/${minute}/${i}`,
        $session_id: `0198a0f0-0000-7000-8000-00000000000${i % 10}`,
        $window_id: `0198a0f0-0000-7000-8000-10000000000${i % 10}`,
        $browser: 'Firefox',
        $lib: 'web',
        utm_source: null
      }
    }))

  const cost = async (project: TestProject, events: TestEvent[]) => {
    const log = vi.spyOn(console, 'info')
    let statements = 0
    const DB = aroundCalls(env.DB, (run, _, batch) => {
      statements += batch.length
      return run()
    })
    await consume([project.message(events)], 1, { DB })
    const line = log.mock.calls
      .map(([text]) => JSON.parse(String(text)))
      .find(({ message }) => message === 'queue batch')
    log.mockRestore()
    return { statements, written: line.rows_written as number, stored: line.stored as number }
  }

  it('is at most 450 rows written for 100 plain pageviews of 10 known persons', async () => {
    const project = await newProject()
    await project.ingest(pageviews(100, 0))

    const { written, stored } = await cost(project, pageviews(100, 30))

    expect(stored).toBe(100)
    expect(written).toBeLessThanOrEqual(450)
  })

  it('is the same number of statements for 10 events as for 500', async () => {
    const project = await newProject()
    await project.ingest(pageviews(100, 0))

    const few = await cost(project, pageviews(10, 30))
    const many = await cost(project, pageviews(500, 60))

    expect([few.stored, many.stored]).toEqual([10, 500])
    expect(many.statements).toBe(few.statements)
  })
})
