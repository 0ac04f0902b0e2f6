import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Scopes } from '../../../src/access/keys/schemas.ts'
import { ROLE_SCOPES } from '../../../src/access/roles.ts'
import { hasScope, SCOPES } from '../../../src/access/scopes.ts'

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

it('a viewer reads no person, event, recording or receiver, and changes nothing', () => {
  const { viewer } = ROLE_SCOPES
  expect(viewer.filter((scope) => !scope.endsWith(':read'))).toEqual([])
  for (const object of ['person', 'query', 'session_recording', 'subscription', 'alert']) {
    expect(hasScope(viewer, `${object}:read`)).toBe(false)
  }
})

it('an editor changes everything but the project, its people and its keys', () => {
  const unchangeable = SCOPES.filter(
    (scope) => scope.endsWith(':write') && !hasScope(ROLE_SCOPES.editor, scope)
  )
  expect(unchangeable).toEqual([
    'access_log:write',
    'activity_log:write',
    'person:write',
    'personal_api_key:write',
    'project:write',
    'query:write',
    'user:write'
  ])
})

it('docs/security.md names the scopes of each role', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')
  let before: string[] = []
  for (const [role, scopes] of Object.entries(ROLE_SCOPES)) {
    const [, row = ''] = new RegExp(`^\\| \`${role}\` \\| (.*) \\|$`, 'm').exec(text) ?? []
    const named = [...row.matchAll(/`([^`]+)`/g)].map(([, scope = '']) => scope)
    const all = row.startsWith('the same, and') ? [...before, ...named] : named
    expect(all.toSorted()).toEqual(scopes.toSorted())
    before = all
  }
})
