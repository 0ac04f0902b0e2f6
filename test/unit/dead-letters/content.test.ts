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
