import { z } from 'zod'
import { toInvitation } from '../../src/access/invitations/email.ts'
import { BROWSER_KEY_DAYS, invitationLink } from '../../src/access/invitations/invitation.ts'
import { createInvitation, inviteUser } from '../../src/access/invitations/store.ts'
import { Scopes } from '../../src/access/keys/schemas.ts'
import { ROLE_SCOPES, ROLES } from '../../src/access/roles.ts'
import {
  createKey,
  findProjects,
  type KeyRow,
  listKeys,
  listProjects,
  revokeKey
} from '../../src/access/store.ts'
import { User } from '../../src/access/user.ts'
import { toIso } from '../../src/calendar/clock.ts'
import { readPort } from '../config.ts'
import { command, Id, InputError, integer, integers, list, Nothing, text } from './command.ts'

const NewKey = z.object({
  label: z.string().trim().min(1, 'must not be empty').max(200),
  scopes: Scopes,
  project: z.array(Id).min(1).max(1000),
  user: Id.optional(),
  expires: z
    .union([z.iso.datetime({ offset: true }), z.iso.date()], {
      error: 'must be an ISO 8601 date, or a date-time with an offset: 2027-01-31T09:00:00+01:00'
    })
    .transform((date) => new Date(date))
    .optional()
})

const Invitation = z.object({
  email: User.shape.email,
  role: z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }),
  project: z.array(Id).min(1).max(1000).optional(),
  url: z
    .url({
      protocol: /^https?$/,
      error: 'must be an address such as https://analytics.example.com'
    })
    .transform((url) => new URL(url).origin)
    .optional()
})

/** What a command says that invites to the deployed service. */
const NOT_SENT =
  'not sent: only the service itself sends e-mails. Send the link, or invite in the console.'

export const key = {
  create: command({
    usage: '--label <text> --scopes <scope,…> --project <id,…> [--user <id>] [--expires <date>]',
    options: { label: text, scopes: list, project: integers, user: integer, expires: text },
    schema: NewKey,
    async run({ db }, { label, scopes, project, user, expires }, now) {
      if (expires && expires <= now) {
        throw new InputError('expires', 'must be in the future')
      }
      const projectIds = [...new Set(project)]
      const owners = new Set((await findProjects(db, projectIds)).map((found) => found.ownerId))
      if (user === undefined && owners.size > 1) {
        throw new InputError('user', 'is required, because the projects have different owners')
      }
      // If none of the projects exists, there is no owner: the error names the first project.
      const userId = user ?? [...owners][0]
      if (userId === undefined) {
        throw new InputError('project', `There is no project ${projectIds[0]}.`)
      }
      const input = { label, scopes: [...new Set(scopes)], projectIds, userId, expiresAt: expires }
      const { key, ...row } = await createKey(db, input, now)
      return { key, ...keyToJson(row) }
    }
  }),

  invite: command({
    usage: `--email <address> --role ${ROLES.join('|')} [--project <id,…>] [--url <address>]`,
    options: { email: text, role: text, project: integers, url: text },
    schema: Invitation,
    async run({ db, isDeployed, writeEmail }, { email, role, project, url }, now) {
      if (isDeployed && url === undefined) {
        throw new InputError('url', 'is required with --remote: the address of the service')
      }
      const known = await listProjects(db)
      const all = known.map(({ id }) => id)
      const projectIds = [...new Set(project ?? all)]
      if (project === undefined && all.length !== 1) {
        throw new InputError('project', `is required, because there are ${all.length} projects`)
      }
      const missing = projectIds.find((id) => !all.includes(id))
      if (missing !== undefined) {
        throw new InputError('project', `There is no project ${missing}.`)
      }
      const user = await inviteUser(db, email, now)
      const scopes = ROLE_SCOPES[role]
      const invited = { userId: user.id, scopes, projectIds }
      const { code, invitation } = await createInvitation(db, invited, now)
      const link = invitationLink(url ?? `http://127.0.0.1:${readPort()}`, code)
      const projects = known.filter(({ id }) => projectIds.includes(id))
      const { expiresAt } = invitation
      const written = writeEmail?.(toInvitation({ link, role, to: email, projects, expiresAt }))
      return {
        link,
        email: written ?? NOT_SENT,
        user_id: user.id,
        scopes,
        project_ids: projectIds,
        expires_at: toIso(expiresAt),
        days_of_key: BROWSER_KEY_DAYS
      }
    }
  }),

  list: command({
    usage: '',
    options: {},
    schema: Nothing,
    run: async ({ db }) => ({ keys: (await listKeys(db)).map(keyToJson) })
  }),

  revoke: command({
    usage: '<id>',
    options: { id: integer },
    schema: z.object({ id: Id }),
    run: async ({ db }, { id }, now) => keyToJson(await revokeKey(db, id, now))
  })
}

/** Describes a key without its hash. */
const keyToJson = (row: KeyRow) => ({
  id: row.id,
  label: row.label,
  mask: row.mask,
  scopes: row.scopes,
  project_ids: row.projectIds,
  user_id: row.userId,
  created_at: toIso(row.createdAt),
  expires_at: row.expiresAt === null ? null : toIso(row.expiresAt),
  revoked_at: row.revokedAt === null ? null : toIso(row.revokedAt),
  last_used_at: row.lastUsedAt === null ? null : toIso(row.lastUsedAt)
})
