import { expect, it } from 'vitest'
import { ROLE_SCOPES } from '../../../src/access/roles.ts'
import { hasScope, Scopes } from '../../../src/access/scopes.ts'

const roles = Object.values(ROLE_SCOPES)

it.each(Object.entries(ROLE_SCOPES))('the role %s has scopes that exist', (_, scopes) => {
  expect(Scopes.parse(scopes)).toEqual(scopes)
})

it('each role may do what the role before it may do', () => {
  for (const [i, scopes] of roles.entries()) {
    const lesser = roles[i - 1] ?? []
    expect(lesser.filter((scope) => !hasScope(scopes, scope))).toEqual([])
  }
})

it('a viewer reads no person, event or recording, and changes nothing', () => {
  const { viewer } = ROLE_SCOPES
  expect(viewer.filter((scope) => !scope.endsWith(':read'))).toEqual([])
  for (const scope of ['person:read', 'query:read', 'session_recording:read']) {
    expect(hasScope(viewer, scope)).toBe(false)
  }
})
