/** What scopes are for: kinds of objects. */
export const OBJECTS = [
  'access_log',
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

/** Whether scopes include a needed scope: `x:write` includes `x:read`, and `*` includes all. */
export function hasScope(held: readonly string[], needed: string): boolean {
  return (
    held.includes('*') || held.includes(needed) || held.includes(needed.replace(/:read$/, ':write'))
  )
}
