/**
 * Numbers, and the definitions behind them. Subscriptions and alerts are left out: they show the
 * addresses of their receivers, and that of a Slack channel lets anyone post there.
 */
const VIEWER = [
  'user:read',
  'project:read',
  'insight:read',
  'dashboard:read',
  'annotation:read',
  'cohort:read'
]

const EDITOR = [
  ...VIEWER,
  'insight:write',
  'dashboard:write',
  'annotation:write',
  'cohort:write',
  'sharing_configuration:write',
  'subscription:write',
  'alert:write',
  'query:read',
  'person:read',
  'session_recording:write',
  'activity_log:read'
]

/** The scopes of the key that an invitation gives, by role. */
export const ROLE_SCOPES = {
  viewer: VIEWER,
  editor: EDITOR,
  privacy: [...EDITOR, 'person:write', 'access_log:read'],
  admin: ['*']
} satisfies Record<string, string[]>

export type Role = keyof typeof ROLE_SCOPES

/** The roles, each with the scopes of the one before it. */
export const ROLES = Object.keys(ROLE_SCOPES) as [Role, ...Role[]]

/** Returns the role that has exactly these scopes; null if there is none. */
export const roleOf = (scopes: readonly string[]): Role | null =>
  ROLES.find(
    (role) => new Set(ROLE_SCOPES[role]).symmetricDifference(new Set(scopes)).size === 0
  ) ?? null
