import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import { NIGHTLY } from '../../../src/jobs/cron.ts'
import { foldEvents } from '../../../src/sessions/session.ts'
import { verifySessions } from '../../../src/sessions/upkeep/verify.ts'
import { deep } from '../../support/depth.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, db, newProject, type TestEvent } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { AT, sessionsOf } from '../../support/sessions.ts'
import { numberedUuid } from '../../support/text.ts'
import worker from '../../support/worker.ts'

afterAll(untilQuiet)

const SESSION = '0198a0f0-0000-7000-8000-000000000001'

describe('a session', () => {
  it('is the aggregate of its events', async () => {
    const project = await newProject()
    const view = (seconds: number, url: string, more: JsonObject = {}): TestEvent => ({
      timestamp: AT + seconds * 1000,
      properties: { $session_id: SESSION, $current_url: url, ...more }
    })
    await project.ingest([
      view(20, 'https://shop.example/cart?step=2'),
      { ...view(-5, 'https://shop.example/early'), event: '$autocapture' },
      view(0, 'https://shop.example/landing?utm_source=google', {
        $referrer: 'https://www.google.com/',
        $referring_domain: 'www.google.com',
        utm_source: 'google',
        utm_medium: 'cpc',
        gad_source: 1,
        gclid: 'abc',
        utm_term: null
      }),
      {
        ...view(25, ''),
        event: '$web_vitals',
        properties: { $session_id: SESSION, $web_vitals_LCP_value: 812.5 }
      },
      { ...view(40, 'https://shop.example/cart'), event: 'left', distinct_id: 'other' },
      {
        ...view(30, 'https://shop.example/cart'),
        event: '$autocapture',
        properties: { $session_id: SESSION, $external_click_url: 'https://pay.example/' }
      },
      { timestamp: AT + 90_000, properties: {} }
    ])

    expect(await sessionsOf(project.id)).toEqual([
      {
        session_id: SESSION,
        identities: ['other', 'someone'],
        start_time: AT - 5_000,
        end_time: AT + 40_000,
        events: 6,
        pageviews: 2,
        autocaptures: 2,
        screens: 0,
        entry: {
          $entry_current_url: 'https://shop.example/landing?utm_source=google',
          $entry_pathname: '/landing',
          $entry_hostname: 'shop.example',
          $entry_referrer: 'https://www.google.com/',
          $entry_referring_domain: 'www.google.com',
          $entry_utm_source: 'google',
          $entry_utm_medium: 'cpc',
          $entry_gclid: 'abc',
          $entry_gad_source: '1',
          $channel_type: 'Paid Search'
        },
        exit: {
          $end_current_url: 'https://shop.example/cart?step=2',
          $end_pathname: '/cart',
          $end_hostname: 'shop.example'
        },
        click: 'https://pay.example/',
        lcp: 812.5
      }
    ])
  })

  it('begins and ends with events that have a URL if there is no page and no screen', async () => {
    const project = await newProject()
    const at = (seconds: number, path: string): TestEvent => ({
      event: 'clicked',
      timestamp: AT + seconds * 1000,
      properties: {
        $session_id: SESSION,
        $current_url: path,
        $host: 'app.example',
        $pathname: '/app'
      }
    })

    await project.ingest([
      at(1, 'app://two'),
      at(0, 'not a url'),
      { ...at(2, ''), event: '$screen', properties: {} }
    ])

    const [session] = await sessionsOf(project.id)
    expect(session).toMatchObject({
      events: 2,
      entry: {
        $entry_current_url: 'not a url',
        $entry_hostname: 'app.example',
        $entry_pathname: '/app'
      },
      exit: { $end_current_url: 'app://two', $end_hostname: 'two' }
    })
  })

  it.each([
    ['null', null],
    ['a number', 7],
    ['an empty text', ''],
    ['longer than 200 characters', 'x'.repeat(201)],
    ['a text with NUL', 'a\0b'],
    ['a text with a lone surrogate', 'a\ud800']
  ])('cannot have an id that is %s', async (_, id) => {
    const project = await newProject()

    const { explicitAcks } = await project.ingest([{ properties: { $session_id: id } }])

    expect([explicitAcks.length, await sessionsOf(project.id)]).toEqual([1, []])
  })

  it('belongs to one project', async () => {
    const [one, other] = [await newProject(), await newProject()]
    await one.ingest([{ properties: { $session_id: SESSION } }])
    await other.ingest([
      { properties: { $session_id: SESSION } },
      { properties: { $session_id: SESSION } }
    ])

    expect(await sessionsOf(one.id)).toMatchObject([{ events: 1 }])
    expect(await sessionsOf(other.id)).toMatchObject([{ events: 2 }])
  })
})

it('a session is compared with its events every night, and a difference is an error in the log', async () => {
  const project = await newProject()
  const events = Array.from({ length: 402 }, (_, i) => ({
    distinct_id: `p${i % 3}`,
    timestamp: AT + i,
    properties: { $session_id: `s${Math.floor(i / 2)}` }
  }))
  await project.ingest(events, AT)
  const mine = async () =>
    (await verifySessions(db, 10_000)).first.filter(({ project_id }) => project_id === project.id)

  expect(await mine()).toEqual([])
  await db.run(
    sql`update sessions set events = 9 where project_id = ${project.id} and session_id = 's0'`
  )
  await db.run(
    sql`update sessions set end_time = end_time + 5 where project_id = ${project.id} and session_id = 's9'`
  )
  await db.run(
    sql`update sessions set events = 7, is_stale = 1 where project_id = ${project.id} and session_id = 's7'`
  )
  const log = listenToLog()
  await worker.scheduled(
    createScheduledController({ cron: NIGHTLY, scheduledTime: new Date(AT) }),
    env
  )

  expect(await mine()).toEqual([
    {
      project_id: project.id,
      session_id: 's9',
      from_row: [2, AT + 18, AT + 24],
      from_events: [2, AT + 18, AT + 19]
    },
    {
      project_id: project.id,
      session_id: 's0',
      from_row: [9, AT, AT + 1],
      from_events: [2, AT, AT + 1]
    }
  ])
  expect(log.lines('nightly verification of sessions')).toContainEqual(
    expect.objectContaining({ level: 'error', database: 'DB', wrong: 2 })
  )
  await db.run(sql`delete from sessions where project_id = ${project.id}`)
})

const text = fc.constantFrom(
  'a',
  'b',
  'https://x.example/p',
  'https://y.example/q?r=1',
  '',
  null,
  3
)
const event = fc.record({
  event: fc.constantFrom('$pageview', '$screen', '$autocapture', '$web_vitals', 'bought'),
  distinct_id: fc.constantFrom('ada', 'bob', 'cyd'),
  // Often the same moment, so that uuids decide; some times are long before 1970.
  timestamp: fc.constantFrom(AT, AT, AT + 1, AT - 1, AT + 60_000, -1, -86_400_000_000_000),
  properties: fc.record(
    {
      $session_id: fc.constantFrom<string | null>('s1', 's2', null),
      $current_url: text,
      $referrer: text,
      $referring_domain: text,
      utm_source: text,
      $external_click_url: text,
      $web_vitals_LCP_value: fc.constantFrom(0, 1.5, 900, 'x')
    },
    { requiredKeys: ['$session_id'] }
  )
})

it('a session is the same in whatever order and batches its events arrive, and counts a repeated event once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 12 }).chain((events) => {
        const places = events.map((_, i) => i)
        const batch = fc.array(fc.subarray(places, { minLength: 1 }), {
          minLength: 1,
          maxLength: 3
        })
        return fc.tuple(
          fc.constant(events),
          fc.array(batch, { minLength: 1, maxLength: 3 }),
          fc.shuffledSubarray(places, { minLength: places.length })
        )
      }),
      async ([events, some, all]) => {
        const project = await newProject()
        const numbered = events.map((one, i) => ({ ...one, uuid: numberedUuid(i) }))
        // Some events arrive several times, in messages of several batches. At the end, each event
        // arrives once more, in random order.
        const rest = all.map((place) => [[place]])
        for (const batch of [...some, ...rest]) {
          await consume(
            batch.map((places) =>
              project.message(
                places.flatMap((place) => numbered[place] ?? []),
                AT
              )
            )
          )
        }

        const parts = foldEvents(
          numbered.map(({ event: name, timestamp, properties, uuid, distinct_id }) => ({
            uuid,
            name,
            timestamp,
            receivedAt: AT,
            identity: ['ada', 'bob', 'cyd'].indexOf(distinct_id),
            sessionId: properties.$session_id,
            properties
          }))
        )
        const wanted = [...parts.values()].map((part) => ({
          session_id: part.sessionId,
          identities: [...part.identities].sort().map((i) => ['ada', 'bob', 'cyd'][i]),
          start_time: part.startTime,
          end_time: part.endTime,
          events: part.events,
          pageviews: part.pageviews,
          autocaptures: part.autocaptures,
          screens: part.screens,
          entry: part.entry?.value ?? null,
          exit: part.exit?.value ?? null,
          click: part.click?.value ?? null,
          lcp: part.vitals?.value ?? null
        }))
        expect(await sessionsOf(project.id)).toEqual(
          wanted.sort((a, b) => (a.session_id < b.session_id ? -1 : 1))
        )
      }
    ),
    deep(40)
  )
})
