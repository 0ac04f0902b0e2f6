import { expect, it } from 'vitest'
import { describeFilters } from '../../../src/access-log/filters.ts'

it.each<[string, object]>([
  ['email=ada@example.com&limit=5', { email: '…', limit: '5' }],
  ['search=ada&format=csv&cohort=3', { search: '…', format: 'csv', cohort: '3' }],
  [
    'properties=[{"key":"email","operator":"exact","value":["ada"],"type":"person"}]',
    { properties: [{ key: 'email', operator: 'exact', type: 'person' }] }
  ],
  [
    'properties={"type":"OR","values":[{"key":"name","value":"ada","operator":"regex"}]}',
    { properties: { type: 'OR', values: [{ key: 'name', operator: 'regex' }] } }
  ],
  ['properties={"values":"ada","key":{"ada":1}}', { properties: { values: '…' } }],
  ['properties=["ada",1,null]', { properties: ['…', '…', '…'] }],
  ['session_ids=["a"]&session_ids=b', { session_ids: [['…'], '…'] }],
  ['distinct_id=17', { distinct_id: '…' }]
])('%s', (query, described) => {
  expect(describeFilters([...new URLSearchParams(query)])).toEqual(described)
})

it('keeps no more than 200 characters of a value', () => {
  expect(describeFilters([['event', 'x'.repeat(999)]])).toEqual({ event: 'x'.repeat(200) })
})
