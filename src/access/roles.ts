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
  privacy: [...EDITOR, 'person:write'],
  admin: ['*']
} satisfies Record<string, string[]>

export type Role = keyof typeof ROLE_SCOPES
