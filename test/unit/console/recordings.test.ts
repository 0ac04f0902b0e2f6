import { expect, it } from 'vitest'
import { barsOf } from '../../../console/recordings/api.ts'
import {
  addWords,
  type FromWords,
  PERIOD,
  queryOf,
  readWanted,
  type Wanted,
  writeWanted
} from '../../../console/recordings/filters.ts'

const NOTHING: Wanted = {
  filters: [],
  groups: [],
  from: PERIOD,
  to: '',
  person: '',
  distinctIds: [],
  order: ''
}

const clicks = { key: 'click_count', type: 'recording', operator: 'gt', value: ['10'] }
const firefox = { key: '$browser', type: 'event', operator: 'exact', value: ['Firefox'] }
const either = { type: 'OR' as const, values: [clicks, firefox] }

const answer = (data: Partial<FromWords['data']>): FromWords => ({
  result: 'filter',
  data: {
    question: '',
    date_from: '',
    date_to: '',
    distinct_ids: [],
    filter_group: { type: 'AND', values: [] },
    ...data
  }
})

it('what an address says is what is written to it', () => {
  const wanted: Wanted = {
    filters: [clicks],
    groups: [either],
    from: 'all',
    to: '2026-11-20',
    person: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
    distinctIds: ['ada', 'a"b'],
    order: 'click_count'
  }

  for (const one of [wanted, NOTHING]) {
    const parameters = Object.entries(writeWanted(one)).filter(([, value]) => value)
    expect(readWanted(new URLSearchParams(parameters as [string, string][]))).toEqual(one)
  }
})

it('asks the list for what the address says', () => {
  expect(queryOf(NOTHING)).toMatchObject({ date_from: '-7d', properties: undefined })
  expect(queryOf({ ...NOTHING, from: 'all', order: 'oldest' })).toMatchObject({
    date_from: undefined,
    order: undefined,
    order_direction: 'asc'
  })
  expect(
    JSON.parse(queryOf({ ...NOTHING, filters: [clicks], groups: [either] }).properties ?? '')
  ).toEqual({ type: 'AND', values: [clicks, either] })
})

it('words add filters, each once, and groups where one of several is enough', () => {
  const group = {
    type: 'AND' as const,
    values: [{ type: 'AND' as const, values: [clicks] }, either]
  }
  const said = answer({ filter_group: group, date_from: '-3d', distinct_ids: ['ada'] })
  const once = addWords(NOTHING, said)

  expect(once).toEqual({
    ...NOTHING,
    filters: [clicks],
    groups: [either],
    from: '-3d',
    distinctIds: ['ada']
  })
  expect(addWords(once, said)).toEqual(once)
  expect(addWords(once, answer({ date_to: '2026-11-20' }))).toMatchObject({
    from: 'all',
    to: '2026-11-20'
  })
  expect(addWords(once, answer({}))).toEqual(once)
})

it('draws a strip of at most 32 bars, in which little activity is seen', () => {
  expect(barsOf([])).toEqual([])
  expect(barsOf([0])).toEqual([0])
  expect(barsOf([100, 0, 1])).toEqual([1, 0, 0.1])
  expect(barsOf([...new Array<number>(62).fill(1), 8])).toHaveLength(32)
  expect(barsOf(new Array<number>(64).fill(1))).toEqual(new Array<number>(32).fill(1))
})
