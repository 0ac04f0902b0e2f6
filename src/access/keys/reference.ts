import { describe, type Refusal } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { KeyJson, NewKeyJson, OwnKeyJson } from './schemas.ts'

const TAG = 'Keys'

export const BEYOND: Refusal = [
  'permission_denied',
  'This key may do more than the key of the request: revoke it with a key that has all its scopes and projects, or with `npm run key -- revoke`.'
]

export const OWN = describe({
  id: 'personal_api_keys_current_retrieve',
  tag: TAG,
  summary: 'Retrieve the key of the request',
  description: 'Returns what the key may do, its owner, and the projects that it has access to.',
  answers: { 200: { text: 'The key, without its secret part.', schema: OwnKeyJson } }
})

export const REVOKE_OWN = describe({
  id: 'personal_api_keys_current_destroy',
  tag: TAG,
  summary: 'Revoke the key of the request',
  description:
    'The next request with this key is refused. The console does this when you sign out.',
  answers: { 204: { text: 'The key is revoked.' } }
})

export const LIST = describe({
  id: 'personal_api_keys_list',
  tag: TAG,
  summary: 'List keys',
  description:
    'Lists the valid keys of all users with access to a project of the key of the request, the newest first. Revoked and expired keys are left out.',
  answers: { 200: { text: 'A page of keys.', schema: pageSchema('PersonalApiKeyPage', KeyJson) } }
})

export const CREATE = describe({
  id: 'personal_api_keys_create',
  tag: TAG,
  summary: 'Create a key',
  description:
    'Creates a key of the same user. It allows nothing that the key of the request does not allow: neither more scopes, nor other projects, nor longer. The service keeps its hash only.',
  answers: { 201: { text: 'The key, with its secret part.', schema: NewKeyJson } },
  refusals: [
    [
      'permission_denied',
      "This key cannot grant the scope 'person:write', because it does not have it.",
      'scopes'
    ],
    ['does_not_exist', 'There is no project 9.', 'scoped_teams'],
    [
      'invalid_input',
      'This key expires at 2026-12-21T10:11:12Z, and the keys that it makes do so at the latest.',
      'expires_at'
    ]
  ]
})

export const REVOKE = describe({
  id: 'personal_api_keys_destroy',
  tag: TAG,
  summary: 'Revoke a key',
  description:
    'The next request with it is refused. Keys and invitations that were made with it stay: list them, too.',
  answers: { 204: { text: 'The key is revoked.' } },
  refusals: [BEYOND, ['not_found', 'Not found.']]
})
