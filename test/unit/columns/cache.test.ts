import { expect, it } from 'vitest'
import { Memory, Recent } from '../../../src/columns/cache.ts'

it('keeps the most recently used values, up to a number of bytes', () => {
  const recent = new Recent<string>(new Memory(10))
  recent.set('a', 'A', 4)
  recent.set('b', 'B', 4)
  expect(recent.get('a')).toBe('A')

  recent.set('c', 'C', 4)

  expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['A', undefined, 'C'])
})

it('no longer counts the bytes of a replaced value', () => {
  const recent = new Recent<string>(new Memory(10))
  recent.set('a', 'A', 10)
  recent.set('a', 'small', 1)

  recent.set('b', 'B', 9)

  expect(recent.get('a')).toBe('small')
  expect(recent.get('b')).toBe('B')
})

it('does not keep a value that is larger than the cache', () => {
  const recent = new Recent<string>(new Memory(10))
  recent.set('a', 'A', 11)
  expect(recent.get('a')).toBeUndefined()

  recent.set('b', 'B', 10)
  expect(recent.get('b')).toBe('B')
})

it('shares its memory with other caches', () => {
  const memory = new Memory(10)
  const [names, numbers] = [new Recent<string>(memory), new Recent<number>(memory)]
  names.set('a', 'A', 5)
  numbers.set('a', 1, 5)
  expect([names.get('a'), numbers.get('a')]).toEqual(['A', 1])

  names.set('b', 'B', 5)

  expect([names.get('a'), names.get('b'), numbers.get('a')]).toEqual([undefined, 'B', 1])
})

it('drops nothing that a scan has used to make room for more of its values', () => {
  const memory = new Memory(10)
  const recent = new Recent<string>(memory)
  const scan = () => {
    const since = memory.now
    return ['a', 'b', 'c'].map((key) => {
      const known = recent.get(key)
      if (known === undefined) {
        recent.set(key, key.toUpperCase(), 4, since)
      }
      return known
    })
  }

  expect(scan()).toEqual([undefined, undefined, undefined])
  expect(scan()).toEqual(['A', 'B', undefined])
  expect(scan()).toEqual(['A', 'B', undefined])

  recent.set('d', 'D', 8)
  expect(['a', 'b', 'd'].map((key) => recent.get(key))).toEqual([undefined, undefined, 'D'])
})
