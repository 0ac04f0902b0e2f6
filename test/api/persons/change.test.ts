import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { MAX_PROPERTIES_BYTES } from '../../../src/persons/person.ts'
import { aroundCalls, beforeCall } from '../../support/faults.ts'
import { expectSound } from '../../support/invariants.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const AT = Date.UTC(2026, 10, 1)
const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null }
const refusal = (code: string, detail: string, attr: string) => ({
  type: 'validation_error',
  code,
  detail,
  attr
})

/** Creates a project with Ada, who has two distinct ids and these properties. */
async function newAda(set: JsonObject = { plan: 'free', theme: 'dark' }) {
  const project = await newProject()
  await project.ingest(
    [
      {
        event: '$identify',
        distinct_id: 'ada',
        timestamp: AT,
        properties: { $anon_distinct_id: 'ada-phone', $set: set, $set_once: { origin: 'ad' } }
      }
    ],
    AT
  )
  const [row] = await db.all<{ id: number; uuid: string }>(
    sql`select id, uuid from persons where project_id = ${project.id}`
  )
  if (!row) {
    throw new Error('There is no Ada.')
  }
  return { project, ada: row, path: `persons/${row.id}/` }
}

const propertiesOf = async (project: TestProject, path: string): Promise<JsonObject> => {
  const { $creator_event_uuid: _, ...properties } = (await project.call('GET', path)).body
    .properties
  return properties
}

describe('PATCH persons/{id}/', () => {
  it('sets properties at once, keeps all others, and returns the person', async () => {
    const { project, ada, path } = await newAda()

    const { status, body } = await project.send('PATCH', path, {
      properties: { plan: 'pro', seats: 5, address: { city: 'Rome' } }
    })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: ada.id,
      uuid: ada.uuid,
      name: 'ada',
      distinct_ids: ['ada', 'ada-phone']
    })
    expect(body.properties).toMatchObject({
      plan: 'pro',
      theme: 'dark',
      origin: 'ad',
      seats: 5,
      address: { city: 'Rome' }
    })
    expect((await project.call('GET', path)).body).toEqual(body)
    await expectSound(project.id)
  })

  it('finds the person by uuid; the list then finds the person by the new property', async () => {
    const { project, ada } = await newAda()

    await project.send('PATCH', `persons/${ada.uuid}`, { properties: { email: 'ada@example.com' } })

    for (const query of ['email=ada@example.com', 'search=ADA@EX']) {
      expect((await project.call('GET', `persons?${query}`)).body.results).toMatchObject([
        { id: ada.id }
      ])
    }
  })

  it('returns an unpaired surrogate as it is stored', async () => {
    const { project, path } = await newAda()

    const { body } = await project.send('PATCH', path, { properties: { plan: 'a\ud83db' } })

    expect(body.properties.plan).toBe('a\ufffdb')
    expect((await project.call('GET', path)).body).toEqual(body)
  })

  it('stores null as null', async () => {
    const { project, path } = await newAda()

    const { body } = await project.send('PATCH', path, { properties: { plan: null, other: null } })

    expect(body.properties).toMatchObject({ plan: null, other: null, theme: 'dark' })
  })

  it.each<[string, JsonObject]>([
    ['no property', {}],
    ['a value that the person has already', { plan: 'free' }]
  ])('changes nothing for %s', async (_, properties) => {
    const { project, path } = await newAda()
    const before = await project.call('GET', path)

    const { status, body } = await project.send('PATCH', path, { properties })

    expect([status, body]).toEqual([200, before.body])
    expect(await entriesOf(project)).toEqual([])
    await expectSound(project.id)
  })

  it('accepts a whole person and changes only the properties', async () => {
    const { project, path } = await newAda()
    const { body: person } = await project.call('GET', path)

    const { status, body, headers } = await project.send('PATCH', path, {
      ...person,
      created_at: person.created_at.replace('Z', '+00:00'),
      is_identified: true,
      properties: { ...person.properties, plan: 'pro' }
    })

    expect([status, body]).toEqual([
      200,
      { ...person, properties: { ...person.properties, plan: 'pro' } }
    ])
    expect(headers.get('X-Ignored-Fields')).toBe(
      'id, name, distinct_ids, created_at, uuid, is_identified'
    )
  })

  it.each([
    { id: 999 },
    { distinct_ids: ['ada', 'ada-phone', 'eve'] },
    { name: 'Ada' },
    { created_at: '2020-01-01T00:00:00Z' }
  ])('refuses a change of a read-only field: %j', async (field) => {
    const { project, path } = await newAda()

    const { status, body } = await project.send('PATCH', path, { ...field, properties: {} })

    expect([status, body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'invalid_input',
        detail: 'This field is read-only: leave it out, or send it back as it is.',
        attr: Object.keys(field)[0]
      }
    ])
  })

  it.each([
    ['9007199254740993', 'n', 'properties__n'],
    ['1e400', 'n', 'properties__n'],
    ['[1, {"deep": 12345678901234567890}]', 'n', 'properties__n__1__deep']
  ])('refuses a number that cannot be stored exactly: %s', async (json, key, attr) => {
    const { project, path } = await newAda()
    const before = await propertiesOf(project, path)

    const { status, body } = await request(
      'PATCH',
      `/api/environments/${project.id}/${path}`,
      { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
      `{"properties":{"plan":"pro","${key}":${json}}}`
    )

    expect([status, body]).toEqual([
      400,
      refusal('invalid_input', 'This number cannot be stored exactly: send it as a string.', attr)
    ])
    expect(await propertiesOf(project, path)).toEqual(before)
  })

  it.each([
    ['{"properties":{"plan":"free","plan":"pro"}}', 'properties__plan'],
    ['{"properties":{"plan":"free"},"properties":{"plan":"pro"}}', 'properties']
  ])('refuses a repeated field: %s', async (text, attr) => {
    const { project, path } = await newAda()

    const { status, body } = await request(
      'PATCH',
      `/api/environments/${project.id}/${path}`,
      { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
      text
    )

    expect([status, body]).toEqual([
      400,
      refusal('invalid_input', 'This field occurs twice: send it once.', attr)
    ])
  })

  it.each(['__proto__', 'constructor', 'toString', '$set', '', 'a.b', '$["x"]', '\u0000', 'ключ'])(
    'accepts the key %j like any other',
    async (key) => {
      const { project, path } = await newAda()

      const { status, text } = await project.send('PATCH', path, {
        properties: JSON.parse(`{${JSON.stringify(key)}:[1]}`)
      })

      expect(status).toBe(200)
      expect(Object.entries(JSON.parse(text).properties)).toContainEqual([key, [1]])
      await expectSound(project.id)
    }
  )

  it.each([
    [{}, 'required', 'This field is required.'],
    [{ other: 1 }, 'required', 'This field is required.'],
    [undefined, 'required', 'This field is required.'],
    [{ properties: null }, 'null', 'This field may not be null.'],
    [{ properties: [] }, 'invalid_input', 'Expected an object.'],
    [{ properties: 'plan' }, 'invalid_input', 'Expected an object.']
  ])('refuses the body %j', async (json, code, detail) => {
    const { project, path } = await newAda()

    const { status, body } = await project.send('PATCH', path, json)

    expect([status, body]).toEqual([400, refusal(code, detail, 'properties')])
  })

  it('refuses a change that would make the person too large, and changes nothing', async () => {
    const { project, path } = await newAda()
    const before = await project.call('GET', path)

    const { status, body } = await project.send('PATCH', path, {
      properties: { plan: 'pro', big: 'x'.repeat(MAX_PROPERTIES_BYTES) }
    })

    expect([status, body]).toEqual([
      400,
      refusal(
        'invalid_input',
        "A person's properties may take at most 524288 bytes of JSON, and the times at which they were set as much again.",
        'properties'
      )
    ])
    expect((await project.call('GET', path)).body).toEqual(before.body)
    await expectSound(project.id)
  })

  it.each(['persons/999999999/', 'persons/00000000-0000-7000-8000-ffffffffffff/'])(
    'does not find %s',
    async (path) => {
      const { project } = await newAda()

      const { status, body } = await project.send('PATCH', path, { properties: { plan: 'pro' } })

      expect([status, body]).toEqual([404, NOT_FOUND])
    }
  )

  it('refuses an id that is neither an integer nor a UUID', async () => {
    const { project } = await newAda()

    const { status, body } = await project.send('PATCH', 'persons/ada/', { properties: {} })

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'id' })
  })

  it('has no PUT', async () => {
    const { project, path } = await newAda()

    expect((await project.send('PUT', path, { properties: {} })).status).toBe(405)
  })

  it('answers one row as CSV', async () => {
    const { project, path } = await newAda({ plan: 'free' })

    const { status, text } = await project.send('PATCH', `${path}?format=csv`, {
      properties: { plan: 'pro' }
    })

    const [header, row, end] = text.split('\r\n')
    expect([status, end]).toEqual([200, ''])
    expect(header).toBe(
      'created_at,distinct_ids,id,name,properties.$creator_event_uuid,properties.origin,properties.plan,uuid'
    )
    expect(row).toContain('2026-11-01T00:00:00Z,"[""ada"",""ada-phone""]"')
    expect(row).toContain(',ad,pro,')
  })

  it('sends its documented answer even to a client that prefers an empty body', async () => {
    const { project, path } = await newAda()

    const { status, body } = await request(
      'PATCH',
      `/api/environments/${project.id}/${path}`,
      {
        Authorization: `Bearer ${project.key}`,
        'Content-Type': 'application/json',
        Prefer: 'return=minimal'
      },
      '{"properties":{"plan":"pro"}}'
    )

    expect(status).toBe(200)
    expect(body.properties).toMatchObject({ plan: 'pro', theme: 'dark' })
  })
})

describe('POST persons/{id}/delete_property/', () => {
  it.each<[string, string, JsonObject | undefined]>([
    ['the body', 'delete_property/', { $unset: 'plan' }],
    ['the query', 'delete_property/?$unset=plan', undefined],
    ['the query, escaped', 'delete_property?%24unset=plan', {}],
    ['the body and the query', 'delete_property/?$unset=plan', { $unset: 'plan' }],
    ['a body as documented', 'delete_property/?$unset=plan', { properties: { theme: 'x' } }]
  ])('deletes the property named in %s', async (_, action, json) => {
    const { project, path } = await newAda()

    const { status, body } = await project.send('POST', path + action, json)

    expect([status, body]).toEqual([200, { success: true }])
    expect(await propertiesOf(project, path)).toEqual({ theme: 'dark', origin: 'ad' })
    await expectSound(project.id)
  })

  it('deletes a $set_once property permanently', async () => {
    const { project, path } = await newAda()

    await project.send('POST', `${path}delete_property/`, { $unset: 'origin' })
    await project.ingest(
      [{ distinct_id: 'ada', timestamp: AT + 5, properties: { $set_once: { origin: 'late' } } }],
      AT + 5
    )

    expect(await propertiesOf(project, path)).toEqual({ plan: 'free', theme: 'dark' })
  })

  it.each(['nothing', 'toString', '__proto__', 'PLAN'])(
    'succeeds for a key that the person does not have: %s',
    async (key) => {
      const { project, path } = await newAda()

      const { status, body } = await project.send('POST', `${path}delete_property/`, {
        $unset: key
      })

      expect([status, body]).toEqual([200, { success: true }])
      expect(await propertiesOf(project, path)).toEqual({
        plan: 'free',
        theme: 'dark',
        origin: 'ad'
      })
      expect(await entriesOf(project)).toEqual([])
    }
  )

  it('shrinks even a person of the largest size', async () => {
    const { project, path } = await newAda({})
    const room = MAX_PROPERTIES_BYTES - 400
    await project.send('PATCH', path, { properties: { big: 'x'.repeat(room), plan: 'pro' } })
    const fill = await project.send('PATCH', path, { properties: { more: 'x'.repeat(400) } })
    expect(fill.status).toBe(400)

    const { status } = await project.send('POST', `${path}delete_property/`, { $unset: 'big' })

    expect(status).toBe(200)
    expect(await propertiesOf(project, path)).toEqual({ plan: 'pro', origin: 'ad' })
  })

  it.each<[JsonObject | undefined, string, string]>([
    [undefined, 'required', 'This field is required.'],
    [{}, 'required', 'This field is required.'],
    [{ $unset: null }, 'null', 'This field may not be null.'],
    [{ $unset: ['plan'] }, 'invalid_input', 'Not a valid string.'],
    [{ $unset: '' }, 'blank', 'This field may not be blank.']
  ])('refuses the body %j', async (json, code, detail) => {
    const { project, path } = await newAda()

    const { status, body } = await project.send('POST', `${path}delete_property/`, json)

    expect([status, body]).toEqual([400, refusal(code, detail, '$unset')])
  })

  it('does not find an unknown person', async () => {
    const { project } = await newAda()

    const { status, body } = await project.send('POST', 'persons/999999999/delete_property/', {
      $unset: 'plan'
    })

    expect([status, body]).toEqual([404, NOT_FOUND])
  })

  it('answers one row as CSV', async () => {
    const { project, path } = await newAda()

    const { text } = await project.send('POST', `${path}delete_property/?format=csv&$unset=plan`)

    expect(text).toBe('success\r\ntrue\r\n')
  })

  it('deletes for a client that prefers the empty body, too', async () => {
    const { project, path } = await newAda()

    const { status, text, headers } = await project.call(
      'POST',
      `${path}delete_property/?$unset=plan`,
      {
        Prefer: 'return=minimal'
      }
    )

    expect([status, text, headers.get('Preference-Applied')]).toEqual([200, '', 'return=minimal'])
    expect(await propertiesOf(project, path)).not.toHaveProperty('plan')
  })
})

describe('a change through the API', () => {
  it('wins over events captured before, whatever their clock', async () => {
    const { project, path } = await newAda()
    const timestamp = Date.now() + HOUR
    const ahead = {
      distinct_id: 'ada',
      timestamp,
      properties: { $set: { plan: 'ahead', theme: 'ahead' } }
    }
    await project.ingest([ahead], timestamp)

    await project.send('PATCH', path, { properties: { plan: 'pro' } })
    await project.send('POST', `${path}delete_property/`, { $unset: 'theme' })

    expect(await propertiesOf(project, path)).toEqual({ plan: 'pro', origin: 'ad' })
  })

  it('wins over events captured before that arrive later', async () => {
    const { project, path } = await newAda()

    await project.send('PATCH', path, { properties: { plan: 'pro' } })
    await project.send('POST', `${path}delete_property/`, { $unset: 'theme' })
    await project.ingest([
      {
        distinct_id: 'ada',
        timestamp: AT + 9,
        properties: { $set: { plan: 'late', theme: 'late' }, $set_once: { theme: 'late' } }
      }
    ])

    expect(await propertiesOf(project, path)).toEqual({ plan: 'pro', origin: 'ad' })
    await expectSound(project.id)
  })

  it('gives way to events captured after it', async () => {
    const { project, path } = await newAda()

    await project.send('PATCH', path, { properties: { plan: 'pro' } })
    await project.send('POST', `${path}delete_property/`, { $unset: 'theme' })
    const at = Date.now() + 1
    await project.ingest(
      [
        {
          distinct_id: 'ada',
          timestamp: at,
          properties: { $set: { plan: 'newer' }, $set_once: { theme: 'newer' } }
        }
      ],
      at
    )

    expect(await propertiesOf(project, path)).toEqual({
      plan: 'newer',
      theme: 'newer',
      origin: 'ad'
    })
  })

  it('wins if the person is merged into another', async () => {
    const { project, path } = await newAda()
    await project.ingest([
      { distinct_id: 'eve', timestamp: AT + 7, properties: { $set: { plan: 'eve' } } }
    ])

    await project.send('PATCH', path, { properties: { plan: 'pro' } })
    await project.ingest([
      { event: '$merge_dangerously', distinct_id: 'eve', properties: { alias: 'ada' } }
    ])

    const { body } = await project.call('GET', 'persons?distinct_id=eve')
    expect(body.results).toMatchObject([{ properties: { plan: 'pro' } }])
  })
})

/** Two ways to change Ada while her events are being stored, and her properties afterwards. */
const CHANGES: [
  string,
  (project: TestProject, path: string, bindings?: Partial<Env>) => ReturnType<TestProject['send']>,
  JsonObject
][] = [
  [
    'PATCH',
    (project, path, bindings) =>
      project.send('PATCH', path, { properties: { plan: 'pro', seats: 5 } }, bindings),
    { plan: 'pro', seats: 5, theme: 'dark', origin: 'ad' }
  ],
  [
    'delete_property',
    (project, path, bindings) =>
      project.send('POST', `${path}delete_property/`, { $unset: 'plan' }, bindings),
    { theme: 'dark', origin: 'ad' }
  ]
]

/**
 * The calls to the database of a change, from 1 on; the last call writes. In addition to those of a PATCH, delete_property
 * reads the head of the ledger, and a split reserves the ids of its new persons.
 */
const callsOf = (name: string): number[] => (name === 'PATCH' ? [1, 2, 3] : [1, 2, 3, 4])

describe.each(CHANGES)('%s and capture at once', (name, change, outcome) => {
  const calls = callsOf(name)
  const events = [
    {
      distinct_id: 'ada',
      event: 'new',
      timestamp: AT + 10,
      properties: { $set: { one: 1, plan: 'late' } }
    },
    {
      distinct_id: 'ada-tablet',
      event: 'newer',
      timestamp: AT + 11,
      properties: { $set: { two: 2 } }
    },
    {
      distinct_id: 'ada',
      event: '$create_alias',
      timestamp: AT + 12,
      properties: { alias: 'ada-tablet' }
    }
  ]
  const all = { ...outcome, one: 1, two: 2 }

  const expectAll = async (project: TestProject, path: string) => {
    expect(await propertiesOf(project, path)).toEqual(all)
    expect((await entriesOf(project)).filter(({ activity }) => activity !== 'merged')).toHaveLength(
      1
    )
    await expectSound(project.id)
  }

  it.each(calls)(
    'lose nothing when events are stored before call %i of the request',
    async (call) => {
      const { project, path } = await newAda()
      await project.call('GET', 'persons')
      const { DB, isReached } = beforeCall(env.DB, call, () => project.ingest(events, AT + 100))

      const { status } = await change(project, path, { DB })

      expect([status, isReached()]).toEqual([200, true])
      await expectAll(project, path)
    }
  )

  it.each([1, 2, 3])(
    'lose nothing when the request comes before call %i of the consumer',
    async (call) => {
      const { project, path } = await newAda()
      const { DB, isReached } = beforeCall(env.DB, call, async () => {
        expect((await change(project, path)).status).toBe(200)
      })

      const result = await consume([project.message(events, AT + 100)], 1, { DB })

      expect([isReached(), result.explicitAcks.length]).toEqual([true, 1])
      await expectAll(project, path)
    }
  )

  it.each(calls.flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]))(
    'change all or nothing if the database fails from call %i on, %s that call takes effect',
    async (call, when) => {
      listenToLog()
      const { project, path } = await newAda()
      await project.call('GET', 'persons')
      const before = await propertiesOf(project, path)
      let made = 0
      const DB = aroundCalls(env.DB, async (run, at) => {
        made = at
        if (at < call) {
          return run()
        }
        if (at === call && when === 'after') {
          await run()
        }
        throw new Error('Network connection lost.')
      })

      const { status } = await change(project, path, { DB })

      expect([made, status]).toEqual([call, 503])
      const isDone = call === calls.at(-1) && when === 'after'
      expect(await propertiesOf(project, path)).toEqual(isDone ? outcome : before)
      expect(await entriesOf(project)).toHaveLength(isDone ? 1 : 0)
      await expectSound(project.id)

      expect((await change(project, path)).status).toBe(200)
      expect(await propertiesOf(project, path)).toEqual(outcome)
      expect(await entriesOf(project)).toHaveLength(1)
      await expectSound(project.id)
    }
  )

  it('answer 503 if the person keeps changing', async () => {
    const { project, path } = await newAda()
    await project.call('GET', 'persons')
    let n = 0
    const DB = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements.length > 3) {
        n += 1
        await project.ingest([
          { distinct_id: 'ada', timestamp: AT + n, properties: { $set: { n } } }
        ])
      }
      return run()
    })

    const { status, body, headers } = await change(project, path, { DB })

    expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'unavailable', '5'])
    await expectSound(project.id)
  })
})

const SPLIT: (typeof CHANGES)[number] = [
  'split',
  (project, path, bindings) => project.send('POST', `${path}split/`, {}, bindings),
  {}
]

describe.each([...CHANGES, SPLIT])('%s and DELETE at once', (name, change) => {
  const stateOf = async (project: TestProject) => {
    const { body: persons } = await project.call('GET', 'persons')
    const { body: activity, text } = await project.call('GET', 'persons/activity')
    const [counted] = await db.all<{ n: number }>(sql`
      select count(*) as n from persons where project_id = ${project.id}`)
    const log = activity.results.map((entry: { activity: string }) => entry.activity)
    return {
      persons: persons.count,
      rows: counted?.n,
      log,
      entries: activity.count,
      values: /"(pro|free)"/.test(text)
    }
  }

  it.each(callsOf(name).slice(1))(
    'do not bring back a person who is deleted before call %i of the request',
    async (call) => {
      const { project, path } = await newAda()
      await project.call('GET', 'persons')
      const { DB, isReached } = beforeCall(env.DB, call, async () => {
        expect((await project.call('DELETE', path)).status).toBe(204)
      })

      const { status, body } = await change(project, path, { DB })

      expect([isReached(), status, body]).toEqual([true, 404, NOT_FOUND])
      expect(await stateOf(project)).toEqual({
        persons: 0,
        rows: 0,
        log: ['deleted'],
        entries: 1,
        values: false
      })
    }
  )

  it.each([2, 3])(
    'leave no value of the deleted person if the change comes before call %i of DELETE',
    async (call) => {
      const { project, path } = await newAda()
      await project.call('GET', 'persons')
      const { DB, isReached } = beforeCall(env.DB, call, async () => {
        expect((await change(project, path)).status).toBe(200)
      })

      const { status } = await project.send('DELETE', path, undefined, { DB })

      const parts = change === SPLIT[1] ? 1 : 0
      expect([isReached(), status]).toEqual([true, 204])
      expect(await stateOf(project)).toMatchObject({
        persons: parts,
        rows: parts,
        entries: 2,
        values: false
      })
      expect((await stateOf(project)).log[0]).toBe('deleted')
    }
  )
})

it('keeps each of many concurrent changes', async () => {
  const { project, path } = await newAda({})
  // Eight writers: each loses at most seven races, and has eight tries.
  const keys = Array.from({ length: 4 }, (_, n) => `key${n}`)

  const answers = await Promise.all([
    ...keys.map((key) => project.send('PATCH', path, { properties: { [key]: true } })),
    ...keys.map((key) =>
      project.ingest([
        {
          distinct_id: 'ada',
          timestamp: AT + 1,
          properties: { $set: { [`captured-${key}`]: true } }
        }
      ])
    )
  ])

  expect(
    answers.map((answer) => ('status' in answer ? answer.status : answer.explicitAcks.length))
  ).toEqual([...keys.map(() => 200), ...keys.map(() => 1)])
  expect(Object.keys(await propertiesOf(project, path)).sort()).toEqual(
    [...keys, ...keys.map((key) => `captured-${key}`), 'origin'].sort()
  )
  expect(await entriesOf(project)).toHaveLength(keys.length)
  await expectSound(project.id)
})

const entriesOf = (project: TestProject) =>
  db.all<{ activity: string }>(
    sql`select activity from activity where project_id = ${project.id} order by id`
  )
