import * as z from 'zod'

const OBJECTS = [
  'activity_log',
  'alert',
  'annotation',
  'cohort',
  'dashboard',
  'insight',
  'person',
  'personal_api_key',
  'project',
  'query',
  'session_recording',
  'sharing_configuration',
  'subscription',
  'user'
]

/** Every scope that a key can have: `<object>:read`, `<object>:write`, or `*` for all of them. */
export const SCOPES = ['*', ...OBJECTS.flatMap((object) => [`${object}:read`, `${object}:write`])]

export const Scopes = z
  .array(
    z.string().refine((scope) => SCOPES.includes(scope), {
      error: (issue) => `Unknown scope '${issue.input}'. Scopes: ${SCOPES.join(', ')}.`
    })
  )
  .min(1, 'At least one scope is needed.')
  .max(SCOPES.length)

/** Whether scopes include a needed scope: `x:write` includes `x:read`, and `*` includes all. */
export function hasScope(held: readonly string[], needed: string): boolean {
  return (
    held.includes('*') || held.includes(needed) || held.includes(needed.replace(/:read$/, ':write'))
  )
}
