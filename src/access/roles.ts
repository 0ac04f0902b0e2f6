const VIEWER = ['user:read', 'project:read', 'insight:read', 'dashboard:read', 'annotation:read']

const EDITOR = [
  ...VIEWER,
  'insight:write',
  'dashboard:write',
  'annotation:write',
  'cohort:write',
  'sharing_configuration:write',
  'subscription:write',
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
