import { ROLE_SCOPES, ROLES, type Role } from '../../src/access/roles.ts'
import { hasScope } from '../../src/access/scopes.ts'
import type { Granted, KeyUser, ManagedKey } from './types.ts'

const DAY = 86_400_000

/** The name of a user, or the e-mail address of one without a name. */
export const nameOfUser = ({ first_name, last_name, email }: KeyUser): string =>
  `${first_name} ${last_name}`.trim() || email

/** `editor` → `Editor` */
export const nameOfRole = (role: string): string => role.charAt(0).toUpperCase() + role.slice(1)

/** What a key allows: its role, or its scopes. */
export const grantWords = ({ role, scopes }: Pick<Granted, 'role' | 'scopes'>): string =>
  role === null ? scopes.join(', ') : nameOfRole(role)

/** Days before its end at which a key is marked. */
const SOON_DAYS = 7

/** Whether a key ends within a week. */
export const isSoon = (end: Date, now = new Date()): boolean =>
  end.getTime() - now.getTime() < SOON_DAYS * DAY

/** The roles whose scopes a key has. */
export const rolesWithin = (scopes: readonly string[]): Role[] =>
  ROLES.filter((role) => ROLE_SCOPES[role].every((scope) => hasScope(scopes, scope)))

export const ROLE_HINTS: Record<Role, string> = {
  viewer: 'Sees dashboards, charts and lists. No persons, events or recordings.',
  editor: 'Also builds and shares charts, opens persons and recordings.',
  privacy: 'Also edits and erases persons, deletes events and reads receipts.',
  admin: 'Everything, keys and invitations too.'
}

/** How long a new key works, in days; undefined as long as the key that makes it. */
export type Lifetime = { days: number | undefined; name: string }

const LIFETIMES = [7, 30, 90, 365]

/** The choices for the end of a new key: none is later than that of the key that makes it. */
export function lifetimesWithin(end: string | null, day: (date: Date) => string): Lifetime[] {
  const left = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - Date.now()
  return [
    {
      days: undefined,
      name: end === null ? 'Never' : `With your key, on ${day(new Date(end))}`
    },
    ...LIFETIMES.filter((days) => days * DAY < left).map((days) => ({
      days,
      name: days === 365 ? 'In a year' : `In ${days} days`
    }))
  ]
}

/** A person with access: the keys are what the person can use. */
export type Member = { user: KeyUser; keys: ManagedKey[]; lastUsed: string | null }

/** Returns the people who have keys, in the order of their last use. */
export function membersOf(keys: ManagedKey[]): Member[] {
  return [...Map.groupBy(keys, ({ user }) => user.id).values()]
    .flatMap((own) => {
      const [first] = own
      const used = own.flatMap(({ last_used_at }) => last_used_at ?? []).sort()
      return first ? [{ user: first.user, keys: own, lastUsed: used.at(-1) ?? null }] : []
    })
    .sort((a, b) => (b.lastUsed ?? '').localeCompare(a.lastUsed ?? ''))
}
