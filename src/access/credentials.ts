import type { Context } from 'hono'
import { HOUR } from '../calendar/units.ts'
import { newUsage, openControl } from '../db/client.ts'
import { AppError } from '../errors.ts'
import type { AppEnv } from '../http/env.ts'
import type { Refusal } from '../http/openapi.ts'
import { parametersOf } from '../input/url.ts'
import { type Caller, touchKey } from './caller.store.ts'
import { hashKey, isApiKey } from './key.ts'
import { hasScope } from './scopes.ts'
import type { KeyRow } from './store.ts'
import { throttle } from './throttle.ts'

const NOT_AUTHENTICATED = 'Authentication credentials were not provided.'
const INVALID_KEY = 'Personal API key found in request Authorization header is invalid.'
const keyInUrl = (name: string) =>
  `Do not send a key in the URL, where it may be logged: send it in the header, \`Authorization: Bearer phx_…\`, and leave out \`${name}\`.`
const missingScope = (scope: string) => `API key missing required scope '${scope}'`

/** Scopes of which a key needs one. The first is named in errors and decides the rate limit. */
export type Scopes = [string, ...string[]]

/** Lists the errors of a request that needs a key, for the reference. */
export const refusalsOf = ([scope]: readonly string[]): Refusal[] => [
  ['not_authenticated', NOT_AUTHENTICATED],
  ['authentication_failed', INVALID_KEY],
  ...(scope === undefined ? [] : [['permission_denied', missingScope(scope)] as Refusal]),
  ['throttled', 'Request was throttled. Expected available in 42 seconds.'],
  ['unavailable', 'The database cannot take the request now.']
]

/**
 * Reads the key of a request and returns its hash, by which keys are stored and found.
 * @throws not_authenticated, authentication_failed
 */
export const readKeyHash = (c: Context<AppEnv>): string => hashKey(readKey(c))

/** Query parameters in which PostHog accepts a key. */
const KEY_PARAMETERS = ['personal_api_key', 'api_key']

/**
 * Reads the key from the header `Authorization`.
 * @throws not_authenticated without a key; authentication_failed for a malformed key, or one in the
 * URL
 */
function readKey(c: Context<AppEnv>): string {
  for (const [name, value] of parametersOf(c.req.url)) {
    if (KEY_PARAMETERS.includes(name) || isApiKey(value)) {
      throw new AppError('authentication_failed', keyInUrl(name), name)
    }
  }
  const header = c.req.header('Authorization')
  if (!header) {
    throw new AppError('not_authenticated', NOT_AUTHENTICATED)
  }
  const key = /^Bearer\s+(\S+)$/i.exec(header)?.[1] ?? ''
  if (!isApiKey(key)) {
    throw invalidKey()
  }
  return key
}

/**
 * Returns the caller that was found by the hash of its key, if the key is valid and has one of the
 * scopes, or if there are none. Counts the request against the key's limit.
 * @throws authentication_failed, throttled, permission_denied
 */
export async function authenticate(
  c: Context<AppEnv>,
  caller: Caller | undefined,
  scopes: readonly string[]
): Promise<Caller> {
  if (!caller || !isValid(caller.key, c.get('now'))) {
    throw invalidKey()
  }
  const { key } = caller
  c.set('keyId', key.id)
  const [first = '', ...others] = scopes
  await throttle(c.env, key.id, first, c.get('now'))
  if (first !== '') {
    expectScope(key, [first, ...others])
  }
  return caller
}

/** @throws permission_denied for a key without any of the scopes */
export function expectScope({ scopes: held }: Pick<KeyRow, 'scopes'>, scopes: Scopes): void {
  if (!scopes.some((scope) => hasScope(held, scope))) {
    throw new AppError('permission_denied', missingScope(scopes[0]))
  }
}

/** Records that the key was used, at most once an hour. */
export function recordUse(c: Context<AppEnv>, key: KeyRow): void {
  if (isStale(key.lastUsedAt, c.get('now'))) {
    c.executionCtx.waitUntil(touchKey(openControl(c.env, newUsage()).db, key.id, c.get('now')))
  }
}

const invalidKey = () => new AppError('authentication_failed', INVALID_KEY)

const isValid = (key: KeyRow, now: Date): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now.getTime())

const isStale = (lastUsedAt: number | null, now: Date): boolean =>
  lastUsedAt === null || lastUsedAt < now.getTime() - HOUR
