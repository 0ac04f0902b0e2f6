import * as z from 'zod'
import { describe, type Refusal } from '../http/openapi.ts'
import { SourcesJson } from '../recordings/schemas.ts'
import { SHARED_BOARD, SharedBoardJson } from './boards/schemas.ts'
import { SharedRecordingJson } from './recordings/schemas.ts'

const SharedJson = z.union([SharedRecordingJson, SharedBoardJson]).meta({
  id: 'Shared',
  description: 'A recording, an insight or a dashboard.',
  examples: [SHARED_BOARD]
})

const REFUSALS: Refusal[] = [
  ['not_found', 'Not found.'],
  ['unavailable', 'The database cannot take the request now.']
]

export const SHARED = describe({
  id: 'shared',
  tag: 'Session recordings',
  takesAnyQuery: true,
  summary: 'Retrieve a shared recording, insight or dashboard',
  description:
    'Needs no key while sharing is enabled. The response leaves out the person, the distinct id and the viewers of a recording. An unknown token is a 404, and so is the token of an object that is deleted or no longer shared. Browsers get a page that plays the recording or shows the charts. An insight or a dashboard is computed at each request; all such requests of a project share one rate limit. In CSV, it has a row for each bucket of each series.',
  answers: {
    200: {
      text: 'The recording and its parts, or the charts.',
      schema: SharedJson,
      type: 'text/html',
      csv: 'insight,series,day,value\r\nSign-ups,signed up,2026-11-09,40\r\nSign-ups,signed up,2026-11-16,52\r\n'
    }
  },
  refusals: [...REFUSALS, ['throttled', 'Request was throttled. Expected available in 20 seconds.']]
})

export const EMBEDDED = describe({
  id: 'embedded',
  tag: 'Dashboards',
  takesAnyQuery: true,
  summary: 'Show a shared insight or dashboard in a frame',
  description:
    'The page of `/shared/{access_token}` without its header and footer. It is the only page that other sites may show in a frame. The token of a recording is a 404.',
  answers: { 200: { text: 'An HTML page.', type: 'text/html' } },
  refusals: [...REFUSALS, ['throttled', 'Request was throttled. Expected available in 20 seconds.']]
})

export const SHARED_SNAPSHOTS = describe({
  id: 'shared_snapshots',
  tag: 'Session recordings',
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
  refusals: REFUSALS
})
