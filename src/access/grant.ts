import { toIso } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { hasScope } from './scopes.ts'
import type { KeyRow } from './store.ts'

/** What a key allows: its scopes, in its projects, until it expires, ms UTC; null: for ever. */
export type Grant = Pick<KeyRow, 'scopes' | 'projectIds' | 'expiresAt'>

/** Whether a key allows everything that another one allows, however long. */
export const covers = (key: Grant, other: Omit<Grant, 'expiresAt'>): boolean =>
  other.scopes.every((scope) => hasScope(key.scopes, scope)) &&
  other.projectIds.every((id) => key.projectIds.includes(id))

/**
 * Checks that a key makes no key that allows more than itself: neither more scopes, nor other
 * projects, nor longer. A project without access is refused like an unknown one.
 * @param attr the field with the scopes
 * @throws permission_denied, does_not_exist or invalid_input
 */
export function expectCovered(key: Grant, wanted: Grant, attr: string): void {
  const missing = wanted.scopes.find((scope) => !hasScope(key.scopes, scope))
  if (missing !== undefined) {
    throw new AppError(
      'permission_denied',
      `This key cannot grant the scope '${missing}', because it does not have it.`,
      attr
    )
  }
  const unknown = wanted.projectIds.find((id) => !key.projectIds.includes(id))
  if (unknown !== undefined) {
    throw new AppError('does_not_exist', `There is no project ${unknown}.`, 'scoped_teams')
  }
  const { expiresAt } = key
  if (expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > expiresAt)) {
    throw new AppError(
      'invalid_input',
      `This key expires at ${toIso(expiresAt)}, and the keys that it makes do so at the latest.`,
      'expires_at'
    )
  }
}
