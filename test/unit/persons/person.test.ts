import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import type { Write } from '../../../src/persons/last-write.ts'
import {
  isAnonymous,
  MAX_PROPERTIES_BYTES,
  mergePersons,
  nameOf,
  newPerson,
  type Person,
  searchText,
  sortDistinctIds,
  storePerson,
  writePerson
} from '../../../src/persons/person.ts'
import { nextWriteTime, toObject } from '../../../src/persons/properties.ts'

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

  const once = (key: string, value: string, at: number): Write => ({
    kind: 'once',
    key,
    value,
    stamp: { at, id: '' }
  })
  const large = (n: number) => `${n}${'x'.repeat(200_000)}`
  const storedBytes = (person: Person) => JSON.stringify(storePerson(person).writes).length

  it('includes values that are not shown: an event that would exceed it with them writes nothing', () => {
    const person = newPerson(1, 'uuid', 0)
    writePerson(person, [set('plan', 'pro', 0)])

    const results = [1, 2, 3, 4, 5, 6, 7, 8].map((n) =>
      writePerson(person, [once('plan', large(n), n)])
    )

    expect(results.map(({ refused }) => refused)).toEqual([
      ...[false, false],
      ...Array(6).fill(true)
    ])
    expect(storedBytes(person)).toBeLessThanOrEqual(MAX_PROPERTIES_BYTES)
    expect(writePerson(person, [set('plan', 'free', 9)])).toEqual({ changed: true, refused: false })
    expect(storedBytes(person)).toBeLessThan(1_000)
  })

  it('includes removals of properties that the person lacks', () => {
    const person = newPerson(1, 'uuid', 0)
    const unset = (n: number): Write => ({
      kind: 'unset',
      key: `${n} is the number of this property`,
      stamp: { at: n, id: '' }
    })

    const results = [0, 1, 2].map((part) =>
      writePerson(
        person,
        Array.from({ length: 5_000 }, (_, n) => unset(part * 5_000 + n))
      )
    )

    expect(results.map(({ refused }) => refused)).toEqual([false, true, true])
    expect(storedBytes(person)).toBeLessThanOrEqual(MAX_PROPERTIES_BYTES)
  })

  it('is kept by a merge: with too many values that are not shown, the target keeps its own', () => {
    const personWith = (from: number) => {
      const person = newPerson(from, 'uuid', 0)
      writePerson(person, [set('plan', 'pro', 0)])
      for (const n of [from, from + 1]) {
        writePerson(person, [once('plan', large(n), n)])
      }
      return person
    }
    const target = personWith(1)

    expect(mergePersons(target, personWith(3))).toEqual({ changed: false, refused: true })

    expect(storedBytes(target)).toBeLessThanOrEqual(MAX_PROPERTIES_BYTES)
    expect(target).toMatchObject({ isIdentified: true, touched: true })
  })
})
