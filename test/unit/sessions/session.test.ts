import { expect, it } from 'vitest'
import { foldEvents } from '../../../src/sessions/session.ts'

const entryPathOf = (url: string) => {
  const event = {
    uuid: '01a1fc8a-9c75-738f-a5ff-738e5ee9d210',
    name: '$pageview',
    timestamp: 1,
    receivedAt: 1,
    identity: 1,
    sessionId: 'session',
    properties: { $current_url: url }
  }
  return foldEvents([event]).get('session')?.entry?.value.$entry_pathname
}

it.each([
  ['https://shop.example/größe', '/gr%C3%B6%C3%9Fe'],
  ['https://shop.example/a%20b?c=d', '/a%20b'],
  [`https://a/${'<'.repeat(100)}`, `/${'%3C'.repeat(36)}%`]
])('the path of %s is escaped, and no longer than the URL', (url, path) => {
  expect(entryPathOf(url)).toBe(path)
})
