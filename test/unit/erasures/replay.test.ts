import { describe, expect, it } from 'vitest'
import { groupEntries } from '../../../src/erasures/replay/replay.ts'
import { type Entry, GENESIS, headOf, makeEntry } from '../../../src/ledger/entry.ts'
import { numberedUuid } from '../../support/text.ts'

const erasure = (person: number, ids: string[], project = 1) => ({
  kind: 'erasure',
  project,
  persons: [numberedUuid(person)],
  ids,
  delete_events: false,
  delete_recordings: false,
  requested_at: 1,
  user: 1,
  key: 1
})

/** Makes a ledger of these bodies, one per ms from 1 on. @returns the numbers of the entries of each group */
function group(bodies: { kind: string; project: number }[], until = 1_000): number[][] {
  let head = GENESIS
  const entries = bodies.map((body, i) => {
    const entry = makeEntry(head, body, i + 1) as Entry
    head = headOf(entry)
    return entry
  })
  return groupEntries(entries, until).map((some) => some.map(({ link }) => link.seq))
}

describe('erasures are repeated together', () => {
  it('if they follow each other and are about different persons', () => {
    expect(group([erasure(1, ['a', 'b']), erasure(2, []), erasure(3, ['c'])])).toEqual([[1, 2, 3]])
  })

  it.each([
    ['a person in common', erasure(1, ['b'])],
    ['a distinct id in common', erasure(2, ['b', 'a'])],
    ['different projects', erasure(2, ['b'], 2)],
    ['no person', { ...erasure(2, []), persons: [] }],
    ['a member that is missing', { kind: 'erasure', project: 1 }],
    ['another kind', { kind: 'suppression', project: 1 }]
  ])('but not with %s', (_, other) => {
    expect(group([erasure(1, ['a']), other])).toEqual([[1], [2]])
    expect(group([other, erasure(1, ['a'])])).toEqual([[1], [2]])
  })

  it('but never across another entry, and at most ten', () => {
    const many = Array.from({ length: 12 }, (_, n) => erasure(n, [`${n}`]))
    const [first = erasure(1, []), ...rest] = many
    expect(group(many)).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      [11, 12]
    ])
    expect(group([first, { kind: 'suppression', project: 1 }, ...rest.slice(0, 2)])).toEqual([
      [1],
      [2],
      [3, 4]
    ])
  })

  it('across receipts and other entries that change nothing, which do not count', () => {
    const receipt = { kind: 'receipt', project: 1 }
    const many = Array.from({ length: 11 }, (_, n) => [erasure(n, [`${n}`]), receipt]).flat()

    expect(group(many)).toEqual([Array.from({ length: 20 }, (_, n) => n + 1), [21, 22]])
    expect(group([receipt, receipt, erasure(1, []), { ...receipt, project: 2 }])).toEqual([
      [1, 2],
      [3, 4]
    ])
  })

  it('but not with too many distinct ids', () => {
    const ids = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => `${from + n}`)

    expect(group([erasure(1, ids(0, 99)), erasure(2, ids(100, 99))])).toEqual([[1, 2]])
    expect(group([erasure(1, ids(0, 99)), erasure(2, ids(100, 100))])).toEqual([[1], [2]])
    expect(group([erasure(1, ids(0, 500)), erasure(2, [])])).toEqual([[1], [2]])
  })

  it('as far as their time has come', () => {
    expect(group([erasure(1, ['a']), erasure(2, ['b']), erasure(3, ['c'])], 2)).toEqual([[1, 2]])
  })
})
