import { expect, it } from 'vitest'
import { Work } from '../../../src/properties/work.ts'
import { countPart } from '../../../src/trends/count.ts'
import { Grouping } from '../../../src/columns/grouping.ts'
import type { Counted } from '../../../src/trends/maths/accumulator.ts'
import { STEP_EVENTS } from '../../../src/trends/query.ts'

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
  const part = {
    math: 'weekly_active',
    filters: { type: 'AND', values: [] },
    pieces: [],
    overview: { steps: () => [] }
  }
  const split = {
    breakdowns: [],
    grouping: new Grouping(),
    deciders: new Map(),
    work: new Work(),
    stepEvents: STEP_EVENTS
  }

  const seen: [number, number][] = []
  // Without steps to read, neither the database nor the rest of the part is used.
  for await (const some of countPart({} as never, part as never, split, accumulator)) {
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
