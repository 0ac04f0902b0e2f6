export type KeyUser = { id: number; first_name: string; last_name: string; email: string }

/** What a key, or the key of an invitation, allows. */
export type Granted = { role: string | null; scopes: string[]; scoped_teams: number[] }

export type ManagedKey = Granted & {
  id: number
  label: string
  mask_value: string
  user: KeyUser
  created_by: KeyUser | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  is_current: boolean
  can_revoke: boolean
}

export type Invitation = Granted & {
  id: number
  target_email: string
  created_by: KeyUser | null
  created_at: string
  expires_at: string
}

export type NewInvitation = Invitation & {
  link: string
  emailed: boolean
  email_error: string | null
}
