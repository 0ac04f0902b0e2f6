import { expect, it } from 'vitest'
import { Grouping } from '../../../src/columns/grouping.ts'
import { Work } from '../../../src/properties/work.ts'
import { countFeed } from '../../../src/trends/count.ts'
import type { Counted } from '../../../src/trends/maths/accumulator.ts'

it('computes the numbers of overlapping windows one by one, while they are read', async () => {
  let computed = 0
  const accumulator = {
    add: () => {},
    finish: () => [],
    *end(): Generator<Counted> {
      for (const point of [0, 1, 2]) {
        computed += 1
        yield { point, group: 0, result: 1 }
      }
    }
  }
  const feed = {
    overview: { steps: () => [] },
    pieces: [],
    filters: { type: 'AND', values: [] },
    dimensions: [],
    subjects: 'actors',
    numbers: undefined,
    listsActors: false,
    inOrder: false
  }
  const knowledge = { scan: {}, work: new Work(), deciders: new Map() }

  const seen: [number, number][] = []
  // Without steps to read, the database is not used.
  for await (const some of countFeed(
    knowledge as never,
    feed as never,
    new Grouping(),
    accumulator
  )) {
    for (const { point } of some) {
      seen.push([point, computed])
    }
  }

  expect(seen).toEqual([
    [0, 1],
    [1, 2],
    [2, 3]
  ])
})
