import { describe } from '../../http/openapi.ts'
import { SharingJson } from '../schemas.ts'

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
  description: 'The old token stops working at once. Whether sharing is on or off does not change.',
  answers: {
    200: { text: 'Whether the recording is shared, and its new token.', schema: SharingJson }
  }
})
