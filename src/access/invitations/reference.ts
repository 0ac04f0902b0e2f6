import { describe, type Refusal } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { BROWSER_KEY_DAYS, MAX_INVITATIONS } from './invitation.ts'
import { InvitationJson, NewInvitationJson, RedeemedJson } from './schemas.ts'

const TAG = 'Keys'

export const REDEEM = describe({
  id: 'invitations_redeem',
  tag: TAG,
  summary: 'Exchange an invitation for a key',
  description: `Needs no key. The code of an invitation works once, within 24 hours. The new key belongs to the invited user, and expires after ${BROWSER_KEY_DAYS} days, or with the key that made the invitation if that is sooner.`,
  answers: { 201: { text: 'The new key.', schema: RedeemedJson } }
})

export const LIST = describe({
  id: 'invitations_list',
  tag: TAG,
  summary: 'List open invitations',
  description:
    'Lists the invitations to a project of the key of the request that can still be used, the newest first.',
  answers: {
    200: { text: 'A page of invitations.', schema: pageSchema('InvitationPage', InvitationJson) }
  }
})

export const CREATE = describe({
  id: 'invitations_create',
  tag: TAG,
  summary: 'Invite a person',
  description: `Creates a link that gives one browser a key of its own: of the invited user, and with the scopes of the role. It allows nothing that the key of the request does not allow, and does not outlast it. Anyone who has the link can use it. A user makes at most ${MAX_INVITATIONS} in 24 hours.`,
  answers: { 201: { text: 'The invitation, with its link.', schema: NewInvitationJson } },
  refusals: [
    [
      'permission_denied',
      "This key cannot grant the scope '*', because it does not have it.",
      'role'
    ],
    ['does_not_exist', 'There is no project 9.', 'scoped_teams'],
    ['invalid_input', `A user makes at most ${MAX_INVITATIONS} invitations in 24 hours.`]
  ]
})

export const BEYOND: Refusal = [
  'permission_denied',
  'This invitation grants more than the key of the request has: withdraw it with a key that has all its scopes and projects.'
]

export const WITHDRAW = describe({
  id: 'invitations_destroy',
  tag: TAG,
  summary: 'Withdraw an invitation',
  description: 'Its link no longer works.',
  answers: { 204: { text: 'The invitation is withdrawn.' } },
  refusals: [BEYOND, ['not_found', 'Not found.']]
})
