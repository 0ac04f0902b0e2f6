import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import {
  isAnonymous,
  nameOf,
  newPerson,
  searchText,
  sortDistinctIds,
  writePerson
} from '../../../src/persons/person.ts'
import { nextWriteTime, toObject } from '../../../src/persons/properties.ts'
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

describe('a change through the API', () => {
  it('is at a whole millisecond after writes whose times have a fraction', () => {
    const person = newPerson(1, 'uuid', 0)
    writePerson(person, [{ kind: 'set', key: 'plan', value: 'pro', stamp: { at: 1000.5, id: '' } }])

    expect(nextWriteTime(person.properties, 'plan', 900)).toBe(1002)
    expect(nextWriteTime(person.properties, 'plan', 2000)).toBe(2000)
    expect(nextWriteTime(person.properties, 'theme', 900)).toBe(900)
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
