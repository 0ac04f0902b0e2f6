import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import { closed } from '../../input/fields.ts'
import { covers, type Grant } from '../grant.ts'
import { ROLES, roleOf } from '../roles.ts'
import { PROJECT_EXAMPLE, ProjectJson, projectToApi } from '../schemas.ts'
import { SCOPES } from '../scopes.ts'
import type { KeyRow, ProjectRow, UserRow } from '../store.ts'
import { USER_EXAMPLE, UserJson, userToJson } from '../user.ts'
import type { ManagedKey } from './store.ts'

/** Scopes of a key. */
export const Scopes = z
  .array(
    z.string().refine((scope) => SCOPES.includes(scope), {
      error: (issue) => `Unknown scope '${issue.input}'. Scopes: ${SCOPES.join(', ')}.`
    })
  )
  .min(1, 'At least one scope is needed.')
  .max(SCOPES.length)

/** Projects of a key. */
const MAX_PROJECTS = 1_000

/** The projects of a new key, or of an invitation to one. */
export const ScopedTeams = z
  .array(z.int().min(1))
  .min(1, 'At least one project is needed.')
  .max(MAX_PROJECTS)
  .meta({ description: 'The ids of the projects that the new key has access to.' })

const SHARED = {
  id: z.int(),
  label: z.string(),
  mask_value: z.string().meta({ description: 'The first and last four characters of the key.' }),
  role: z.enum(ROLES).nullable().meta({
    description: 'The role that has exactly these scopes; null if there is none.'
  }),
  scopes: z.array(z.string()),
  scoped_teams: z
    .array(z.int())
    .meta({ description: 'The ids of the projects that the key has access to.' }),
  user: UserJson.meta({ description: 'The user to whom the key belongs.' }),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable().meta({ description: 'Null if it never expires.' }),
  last_used_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'To the hour; null if the key was never used.' })
}

/** An example of a key that a browser got for an invitation. */
const EXAMPLE = {
  id: 4,
  label: 'Firefox on macOS',
  mask_value: 'phx_...a1B2',
  role: 'admin' as const,
  scopes: ['*'],
  scoped_teams: [1],
  user: USER_EXAMPLE,
  created_at: '2026-11-21T10:11:12.345Z',
  expires_at: '2026-12-21T10:11:12.345Z',
  last_used_at: null
}

export const OwnKeyJson = z
  .object({
    ...SHARED,
    projects: z.array(ProjectJson).meta({ description: 'The same projects, sorted by id.' })
  })
  .meta({ id: 'OwnKey', examples: [{ ...EXAMPLE, projects: [PROJECT_EXAMPLE] }] })

const shared = (key: KeyRow, user: UserRow) => ({
  id: key.id,
  label: key.label,
  mask_value: key.mask,
  role: roleOf(key.scopes),
  scopes: key.scopes,
  scoped_teams: key.projectIds,
  user: userToJson(user),
  created_at: toIso(key.createdAt),
  expires_at: key.expiresAt === null ? null : toIso(key.expiresAt),
  last_used_at: key.lastUsedAt === null ? null : toIso(key.lastUsedAt)
})

/** Returns a key as its holder sees it. */
export const ownKeyToJson = (
  key: KeyRow,
  user: UserRow,
  projects: ProjectRow[]
): z.infer<typeof OwnKeyJson> => ({
  ...shared(key, user),
  scoped_teams: projects.map(({ id }) => id),
  projects: projects.map(projectToApi)
})

const LISTED = {
  ...SHARED,
  scoped_teams: SHARED.scoped_teams.meta({
    description:
      'The ids of the projects that the key has access to, as far as the key of the request has access to them, too.'
  }),
  created_by: UserJson.nullable().meta({
    description:
      'The user whose key made this key, or the invitation to it; null if a command made it.'
  }),
  is_current: z.boolean().meta({ description: 'Whether it is the key of the request.' }),
  can_revoke: z.boolean().meta({
    description:
      'Whether the key of the request may revoke it: it must have all its scopes and projects.'
  })
}

const LISTED_EXAMPLE = { ...EXAMPLE, created_by: USER_EXAMPLE, is_current: false, can_revoke: true }

export const KeyJson = z.object(LISTED).meta({ id: 'PersonalApiKey', examples: [LISTED_EXAMPLE] })

export const NewKeyJson = z
  .object({
    ...LISTED,
    value: z.string().meta({ description: 'The key, which is shown only here.' })
  })
  .meta({ id: 'NewPersonalApiKey', examples: [{ ...LISTED_EXAMPLE, value: 'phx_…' }] })

/** Returns a key as the holder of another key sees it. */
export const keyToJson = (
  { key, user, createdBy }: ManagedKey,
  by: KeyRow
): z.infer<typeof KeyJson> => ({
  ...shared(key, user),
  scoped_teams: key.projectIds.filter((id) => by.projectIds.includes(id)),
  created_by: createdBy && userToJson(createdBy),
  is_current: key.id === by.id,
  can_revoke: covers(by, key)
})

export const KeyInput = closed(
  z
    .object({
      label: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .meta({ description: 'What the key is for: a program, or a person.' }),
      scopes: Scopes.meta({ description: 'Scopes that the key of the request has, too.' }),
      scoped_teams: ScopedTeams,
      expires_at: z.iso.datetime({ offset: true }).nullish().meta({
        description:
          'When the key stops to work; null for never. Without it, the key expires with the key of the request, and no key may expire later.'
      })
    })
    .meta({
      id: 'PersonalApiKeyInput',
      examples: [{ label: 'Nightly report', scopes: ['insight:read'], scoped_teams: [1] }]
    }),
  { scoped_organizations: 'There are no organizations: send `scoped_teams`.' }
)

/** Returns what a new key allows: as long as the key that makes it, unless it names a time. */
export const grantOf = (
  { scopes, scoped_teams, expires_at }: z.output<typeof KeyInput>,
  by: Grant
): Grant => ({
  scopes: [...new Set(scopes)],
  projectIds: [...new Set(scoped_teams)],
  expiresAt: expiryOf(expires_at, by)
})

function expiryOf(expires: string | null | undefined, by: Grant): number | null {
  if (expires === undefined) {
    return by.expiresAt
  }
  return expires === null ? null : Date.parse(expires)
}
