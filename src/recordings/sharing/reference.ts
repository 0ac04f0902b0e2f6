import { describe, type Refusal } from '../../http/openapi.ts'
import { SourcesJson } from '../schemas.ts'
import { SharedRecordingJson, SharingJson } from './schemas.ts'

const TAG = 'Session recordings'

export const RETRIEVE = describe({
  id: 'session_recordings_sharing_retrieve',
  tag: TAG,
  summary: 'Retrieve the sharing configuration of a recording',
  description:
    'Every recording has a token from the beginning. The token stays the same until it is refreshed.',
  answers: {
    200: { text: 'Whether the recording is shared, and its token.', schema: SharingJson }
  }
})

export const UPDATE = describe({
  id: 'session_recordings_sharing_update',
  tag: TAG,
  summary: 'Turn the sharing of a recording on or off',
  answers: {
    200: { text: 'Whether the recording is shared, and its token.', schema: SharingJson }
  }
})

export const REFRESH = describe({
  id: 'session_recordings_sharing_refresh',
  tag: TAG,
  summary: 'Replace the token of a recording',
  description: 'The old token stops working at once.',
  answers: {
    200: { text: 'Whether the recording is shared, and its new token.', schema: SharingJson }
  }
})

const UNKNOWN: Refusal[] = [
  ['not_found', 'Not found.'],
  ['unavailable', 'The database cannot take the request now.']
]

export const SHARED = describe({
  id: 'shared',
  tag: TAG,
  takesAnyQuery: true,
  summary: 'Retrieve a shared recording',
  description:
    'Needs no key while sharing is enabled. The response does not tell whose recording it is. An unknown token is a 404, and so is a token whose sharing is disabled. Browsers get a page that plays the recording.',
  answers: {
    200: { text: 'The recording and its parts.', schema: SharedRecordingJson, type: 'text/html' }
  },
  refusals: UNKNOWN
})

export const SHARED_SNAPSHOTS = describe({
  id: 'shared_snapshots',
  tag: TAG,
  summary: 'Retrieve the snapshots of a shared recording',
  description:
    'Works like `/api/environments/{project_id}/session_recordings/{id}/snapshots/`, without a key.',
  answers: {
    200: {
      text: 'The list of parts, or the snapshots of one part.',
      schema: SourcesJson,
      type: 'application/jsonl'
    }
  },
  refusals: UNKNOWN
})
