import { expect, it } from 'vitest'
import { draftIn, requestOf } from '../../../console/privacy/draft.ts'
import { receiptTextIn } from '../../../console/privacy/saved-page.ts'
import { spellingsOf } from '../../../console/privacy/spellings.ts'

const matches = (address: string, other: string): boolean =>
  new RegExp((spellingsOf(address) ?? '').replace('(?i)', ''), 'i').test(other)

it.each([
  ['ada.l@example.com', true],
  ['AdaL@example.com', true],
  ['adal+news@example.com', true],
  ['adam@example.com', false],
  ['adal@example.company', false],
  ['adal@exampleXcom', false]
])('finds %s by another spelling: %s', (other, isFound) => {
  expect(matches('A.da.L+work@example.com', other)).toBe(isFound)
})

it.each(['', 'ada', '@example.com', '+x@example.com', 'a b@example.com'])(
  'has no spellings of %j',
  (text) => {
    expect(spellingsOf(text)).toBeUndefined()
  }
)

it.each([null, '', '{', '[]', '1', 'null', '{"events":"x","filters":[1],"what":2}'])(
  'reads an empty form from %j',
  (text) => {
    expect(draftIn(text)).toEqual({ ...draftIn(null), events: [], filters: [], what: 'events' })
    expect(requestOf(draftIn(text))).toBeUndefined()
  }
)

it('makes the request of a form', () => {
  const draft = draftIn('{"events":["cake"],"after":"2026-11-01","properties":["email"]}')

  expect(requestOf(draft)).toEqual({ events: ['cake'], after: '2026-11-01' })
  expect(requestOf({ ...draft, what: 'properties' })).toMatchObject({ properties: ['email'] })
})

it('makes no request that would delete events instead of properties', () => {
  const draft = draftIn('{"events":["cake"],"what":"properties"}')

  expect(requestOf(draft)).toBeUndefined()
})

it('finds the receipt in its saved page', () => {
  const json = '{"id":1,"by":"\\u003cb>"}'
  const page = `<!doctype html><script type="application/json" id="receipt">${json}</script>`

  expect(receiptTextIn(page)).toBe(json)
  expect(receiptTextIn(json)).toBeUndefined()
})
