import { describe, expect, it } from 'vitest'
import { splitEvents } from '../../../src/capture/message.ts'
import { writesOf } from '../../../src/capture/person-writes.ts'
import { flatten } from '../../../src/http/csv.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import {
  isAnonymous,
  nameOf,
  newPerson,
  searchText,
  sortDistinctIds,
  writePerson
} from '../../../src/persons/person.ts'
import { toObject } from '../../../src/persons/properties.ts'
import type { Write } from '../../../src/persons/register.ts'

describe('a person’s name', () => {
  it.each([
    [{ email: 'ada@example.com', name: 'Ada' }, ['x'], 'ada@example.com'],
    [{ email: '', name: 'Ada' }, ['x'], 'Ada'],
    [{ email: null, username: 'ada' }, ['x'], 'ada'],
    [{ email: { nested: true }, UserName: 'Ada' }, ['x'], 'Ada'],
    [{ name: 42 }, ['x'], '42'],
    [{}, ['0191aaaa-0000-7000-8000-000000000000', 'ada'], 'ada'],
    [{}, ['0191aaaa-0000-7000-8000-000000000000'], '0191aaaa-0000-7000-8000-000000000000'],
    [{}, [], '']
  ] as [JsonObject, string[], string][])(
    'of %j with %j is %s',
    (properties, distinctIds, expected) => {
      expect(nameOf(properties, distinctIds)).toBe(expected)
    }
  )

  it('prefers ids that no SDK generated', () => {
    expect(isAnonymous('0191aaaa-0000-7000-8000-000000000000')).toBe(true)
    expect(isAnonymous('Ada-a-b-c-d')).toBe(false)
    expect(sortDistinctIds(['a-b-c-d-e', 'zoe', 'ada'])).toEqual(['zoe', 'ada', 'a-b-c-d-e'])
  })
})

describe('the searchable text', () => {
  it('contains every name-like property, independent of case and composition', () => {
    const properties = { email: 'ADA@Example.com', name: 'E\u0301lan', plan: 'pro' }

    expect(searchText(new Map(Object.entries(properties)))).toBe('ada@example.com\u001félan')
  })
})

describe('the writes of an event to its person', () => {
  const device = {
    $browser: 'Firefox',
    $current_url: 'https://a.test/',
    utm_source: 'news',
    gclid: null
  }
  const written = (event: string, properties: JsonObject) =>
    Object.fromEntries(
      writesOf({ event, uuid: 'id', properties }, 1).map((write: Write) => [write.key, write.kind])
    )

  it('are, for an ordinary event, the campaign and missing device properties', () => {
    expect(written('$pageview', device)).toEqual({
      $creator_event_uuid: 'seed',
      $browser: 'seed',
      $initial_browser: 'seed',
      $current_url: 'seed',
      $initial_current_url: 'seed',
      utm_source: 'set',
      $initial_utm_source: 'seed',
      gclid: 'set'
    })
  })

  it('are all device properties for an event about the person', () => {
    expect(written('$identify', device)).toMatchObject({
      $browser: 'set',
      $current_url: 'set',
      utm_source: 'set'
    })
  })

  it('prefer the event’s own $set to the device properties', () => {
    const said = { $set: { $browser: 'Lynx' }, $set_once: { $initial_browser: 'Mosaic' } }

    expect(
      writesOf({ event: '$set', uuid: 'id', properties: { ...device, ...said } }, 1).filter(
        ({ key }) => /browser$/.test(key)
      )
    ).toEqual([
      { kind: 'once', key: '$initial_browser', value: 'Mosaic', stamp: { at: 1, id: 'id' } },
      { kind: 'set', key: '$browser', value: 'Lynx', stamp: { at: 1, id: 'id' } }
    ])
  })

  it.each([['$exception'], ['$groupidentify'], ['$$heatmap']])(
    'only create the person for %s',
    (event) => {
      expect(written(event, { ...device, $set: { plan: 'pro' } })).toEqual({
        $creator_event_uuid: 'seed'
      })
    }
  )

  it('are empty without person processing', () => {
    expect(
      written('$pageview', { ...device, $process_person_profile: false, $set: { plan: 'pro' } })
    ).toEqual({})
  })

  it('leave out a server’s operating system, and otherwise contain its name', () => {
    expect(written('seen', { $os: 'Linux', $is_server: true })).toEqual({
      $creator_event_uuid: 'seed'
    })
    expect(written('$set', { $os_name: 'Linux' })).toMatchObject({
      $os: 'set',
      $initial_os: 'seed'
    })
  })

  it('accept $unset as a list and as an object', () => {
    expect(written('$set', { $unset: ['a', 1, 'b'] })).toMatchObject({ a: 'unset', b: 'unset' })
    expect(written('$set', { $unset: { a: null } })).toMatchObject({ a: 'unset' })
  })
})

describe('a person’s size', () => {
  const set = (key: string, value: string, at: number): Write => ({
    kind: 'set',
    key,
    value,
    stamp: { at, id: '' }
  })

  it('is limited to 512 KiB: an event that would exceed it writes nothing', () => {
    const person = newPerson(1, 'uuid', 0)

    expect(writePerson(person, [set('a', 'x'.repeat(300_000), 1)])).toEqual({
      changed: true,
      refused: false
    })
    expect(writePerson(person, [set('plan', 'pro', 2), set('b', 'x'.repeat(300_000), 2)])).toEqual({
      changed: false,
      refused: true
    })
    expect(Object.keys(toObject(person.properties))).toEqual(['a'])
    expect(writePerson(person, [set('a', 'small', 3), set('b', 'x'.repeat(300_000), 3)])).toEqual({
      changed: true,
      refused: false
    })
  })
})

describe('the parts of a large request', () => {
  const event = (bytes: number) => ({
    uuid: '01a1fc8a-9c75-738f-a5ff-738e5ee9d210',
    event: 'e',
    distinct_id: 'd',
    timestamp: 0,
    properties: { pad: 'é'.repeat(bytes / 2) }
  })

  it('hold at most 1 MB or 1,000 events each, in order and without loss', () => {
    const sizes = (events: ReturnType<typeof event>[]) =>
      [...splitEvents(events)].map((part) => part.events.length)

    expect(sizes(Array.from({ length: 2_500 }, () => event(10)))).toEqual([1_000, 1_000, 500])
    expect(sizes([event(600_000), event(300_000), event(300_000), event(900_000)])).toEqual([
      2, 1, 1
    ])
    expect(sizes([])).toEqual([])
  })
})

describe('a row of CSV', () => {
  it('joins nested names with dots, keeps lists whole and leaves out empty objects', () => {
    expect(
      Object.fromEntries(flatten({ a: { b: { c: 1 }, d: [1, { e: 2 }] }, f: {}, g: null }))
    ).toEqual({
      'a.b.c': 1,
      'a.d': [1, { e: 2 }],
      g: null
    })
  })
})
