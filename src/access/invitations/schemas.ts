import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import { closed } from '../../input/fields.ts'
import { ScopedTeams } from '../keys/schemas.ts'
import { ROLES, roleOf } from '../roles.ts'
import type { KeyRow } from '../store.ts'
import { USER_EXAMPLE, User, UserJson, userToJson } from '../user.ts'
import type { OpenInvitation } from './store.ts'

export const RedeemJson = closed(
  z
    .object({
      code: z.string().max(200).meta({ description: 'The code in the link, after `#code=`.' }),
      label: z.string().trim().min(1).max(200).meta({
        description: 'The name of the new key: what it is for, such as the browser that gets it.'
      })
    })
    .meta({
      id: 'Redeem',
      examples: [{ code: 'HLQ6kfsNFJmfb2PClG4xo8J2pZ9dwTs3a', label: 'Firefox on macOS' }]
    })
)

export const RedeemedJson = z
  .object({ value: z.string().meta({ description: 'The key, which is shown only here.' }) })
  .meta({ id: 'Redeemed', examples: [{ value: 'phx_…' }] })

const SHOWN = {
  id: z.int(),
  target_email: z.string(),
  role: z.enum(ROLES).nullable().meta({
    description: 'The role that has exactly these scopes; null if there is none.'
  }),
  scopes: z.array(z.string()).meta({ description: 'The scopes that the key will have.' }),
  scoped_teams: z.array(z.int()).meta({
    description:
      'The ids of the projects that the key will have access to, as far as the key of the request has access to them, too.'
  }),
  created_by: UserJson.nullable().meta({
    description: 'The user whose key made the invitation; null if a command made it.'
  }),
  created_at: z.iso.datetime(),
  expires_at: z.iso
    .datetime()
    .meta({ description: 'Until when the link can be used: 24 hours at most.' })
}

const EXAMPLE = {
  id: 3,
  target_email: 'grace@example.com',
  role: 'editor' as const,
  scopes: ['insight:write'],
  scoped_teams: [1],
  created_by: USER_EXAMPLE,
  created_at: '2026-11-21T10:11:12.345Z',
  expires_at: '2026-11-22T10:11:12.345Z'
}

export const InvitationJson = z.object(SHOWN).meta({ id: 'Invitation', examples: [EXAMPLE] })

export const NewInvitationJson = z
  .object({
    ...SHOWN,
    link: z.string().meta({
      description: 'Opens the console with a key of its own, once. It is shown only here.'
    }),
    emailed: z.boolean().meta({
      description: 'Whether the link was handed to the e-mail service.'
    }),
    email_error: z.string().nullable().meta({
      description: 'Why the link was not sent; null if it was, or if it was not to be sent.'
    })
  })
  .meta({
    id: 'NewInvitation',
    examples: [
      {
        ...EXAMPLE,
        link: 'https://analytics.example.com/console/#code=HLQ6kfsNFJmfb2PClG4xo8J2pZ9dwTs3a',
        emailed: true,
        email_error: null
      }
    ]
  })

/** Returns an invitation as the holder of a key sees it. */
export const invitationToJson = (
  { invitation, user, createdBy }: OpenInvitation,
  by: KeyRow
): z.infer<typeof InvitationJson> => ({
  id: invitation.id,
  target_email: user.email,
  role: roleOf(invitation.scopes),
  scopes: invitation.scopes,
  scoped_teams: invitation.projectIds.filter((id) => by.projectIds.includes(id)),
  created_by: createdBy && userToJson(createdBy),
  created_at: toIso(invitation.createdAt),
  expires_at: toIso(invitation.expiresAt)
})

export const InvitationInput = closed(
  z
    .object({
      target_email: User.shape.email.meta({ description: 'The address of the invited person.' }),
      role: z.enum(ROLES).meta({
        description: 'The scopes of the new key. The key of the request must have them, too.'
      }),
      scoped_teams: ScopedTeams,
      send_email: z.boolean().default(true).meta({
        description: 'Whether to send the link by e-mail, too.'
      })
    })
    .meta({
      id: 'InvitationInput',
      examples: [{ target_email: 'grace@example.com', role: 'editor', scoped_teams: [1] }]
    }),
  { level: 'There are no levels: send `role`.' }
)
