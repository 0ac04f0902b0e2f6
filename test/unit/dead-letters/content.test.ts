import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readContent, stringsIn } from '../../../src/dead-letters/content.ts'
import { deep } from '../../support/depth.ts'
import { text } from '../../support/generate.ts'

const part = {
  project_id: 1,
  session_id: 'session',
  part_id: '01a1fc87-dc26-71e7-8a25-7ac44254cc16',
  distinct_id: 'ada',
  source: 'web',
  skew: 0,
  received_at: 7
}
const event = {
  uuid: part.part_id,
  event: 'seen',
  distinct_id: 'ada',
  timestamp: 7,
  properties: {}
}

it.each<[string, unknown, string]>([
  ['a part', part, 'part'],
  ['events', { project_id: 1, received_at: 7, events: [event] }, 'events'],
  ['recordings to purge', { project_id: 1, purge: ['session'] }, 'purge'],
  [
    'events of which one has no id',
    { project_id: 1, received_at: 7, events: [{}] },
    'isUnreadable'
  ],
  ['a part without its person', { ...part, distinct_id: undefined }, 'isUnreadable'],
  ['a text', 'damaged', 'isUnreadable'],
  ['nothing', undefined, 'isUnreadable']
])('the content of a message: %s', (_, message, kind) => {
  expect(Object.keys(readContent(message))).toEqual([kind])
})

it.each([
  '{"distinct_id":"ada"}',
  '{"distinct_id":"ada","event":"se',
  '{"distinct_id":"ada',
  'istinct_id":"ada","event":"seen"}',
  'one" : "ada"} "',
  '"ada"',
  'ada'
])('finds an id in damaged JSON: %s', (damaged) => {
  expect(stringsIn(damaged)).toContain('ada')
})

it('finds an id that is whole in JSON with damaged bytes, whatever stands beside it', () => {
  const byte = fc.constantFrom(0x00, 0x22, 0x2c, 0x3a, 0x5c, 0x7b, 0x80, 0xff)
  const id = fc.constantFrom('nora', 'ada@example.com', 'u-1 x', '7')
  const property = fc.property(
    id,
    byte,
    fc.nat(),
    fc.nat(8),
    fc.boolean(),
    (own, by, at, length, isQuoted) => {
      const json = JSON.stringify({ project_id: 1, distinct_id: own, received_at: 5 })
      const bytes = new TextEncoder().encode(json)
      const begin = json.indexOf(own, json.indexOf('distinct_id') + 11)
      const from = at % bytes.length
      fc.pre(from + length <= begin || from >= begin + own.length)
      const damaged = new TextDecoder().decode(bytes.fill(by, from, from + length))
      expect(stringsIn(isQuoted ? JSON.stringify({ dead: damaged }) : damaged)).toContain(own)
    }
  )
  fc.assert(property, { numRuns: 5_000 })
})

it('finds every string of JSON, and of JSON in a string of JSON, also when the end is cut off', () => {
  const property = fc.property(text, text, fc.nat(3), (id, other, layers) => {
    let json = JSON.stringify({ [other]: [{ id }, other] })
    for (let i = 0; i < layers; i += 1) {
      json = JSON.stringify({ body: json })
    }
    expect(stringsIn(json)).toContain(id)
    expect(stringsIn(`${json.slice(0, -1)}\\`)).toContain(id)
  })
  fc.assert(property, deep(500))
})
