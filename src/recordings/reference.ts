import { describe } from '../http/openapi.ts'
import { pageSchema } from '../http/page.ts'
import { PropertyParameters } from '../properties/parameters.ts'
import { TOO_MUCH_WORK } from '../properties/work.ts'
import { RecordingJson, SourcesJson } from './schemas.ts'
import { MAX_URLS } from './summary.ts'

const TAG = 'Session recordings'

export const LIST = describe({
  id: 'session_recordings_list',
  tag: TAG,
  summary: 'List recordings',
  description: `Lists recordings, newest first by default. A recording must match all filters, unless \`operand\` is \`OR\`.

Filters in \`properties\` have the type \`event\` (the default), \`person\`, \`session\`, \`recording\` or \`event_metadata\`; the \
only key of \`event_metadata\` is \`event\`, the name of an event. A filter on events matches when one event of the session matches it; with \`is_not\`, \
\`not_in\`, \`not_icontains\`, \`not_icontains_multi\`, \`not_regex\` or \`is_not_set\`, when all events do. The same applies to \
\`visited_page\`, which stands for the first ${MAX_URLS} pages of the recording. Person properties are the current ones. Session \
properties are those that \`GET sessions/property_definitions/\` lists, computed from the session's events. The keys of type \`recording\` are those of \`having_predicates\`.`,
  query: PropertyParameters,
  answers: {
    200: { text: 'A page of recordings.', schema: pageSchema('RecordingPage', RecordingJson) }
  },
  refusals: [
    ['invalid_input', 'The operator "like" is not supported.', 'properties'],
    ['query_too_large', TOO_MUCH_WORK, 'properties'],
    ['required', 'This field is required.', 'events__0__id'],
    ['blank', 'This field may not be blank.', 'session_ids__0'],
    ['null', 'This field may not be null.', 'session_ids__0'],
    [
      'query_too_large',
      'Filters on events can scan at most 20000 recordings, but the period has more: send a later `date_from`.',
      'date_from'
    ]
  ]
})

export const RETRIEVE = describe({
  id: 'session_recordings_retrieve',
  tag: TAG,
  summary: 'Retrieve a recording',
  answers: { 200: { text: 'The recording.', schema: RecordingJson } }
})

export const UPDATE = describe({
  id: 'session_recordings_update',
  tag: TAG,
  summary: 'Update a recording',
  description:
    "Assigns the recording to another distinct id or person, or marks it as viewed by the key's user. Fields that are sent back unchanged are ignored, so a whole recording may be sent.",
  answers: { 200: { text: 'The updated recording.', schema: RecordingJson } },
  refusals: [
    ['does_not_exist', 'Invalid person - object does not exist.', 'person'],
    ['invalid_input', 'This is not a distinct id of the person.', 'distinct_id'],
    ['blank', 'This field may not be blank.', 'distinct_id']
  ]
})

export const DESTROY = describe({
  id: 'session_recordings_destroy',
  tag: TAG,
  summary: 'Delete a recording',
  description:
    'The recording disappears at once; its snapshots are purged shortly after. Snapshots of the session that arrive later are discarded.',
  answers: { 204: { text: 'Deleted.' } }
})

export const SNAPSHOTS = describe({
  id: 'session_recordings_snapshots',
  tag: TAG,
  summary: 'Retrieve the snapshots of a recording',
  description:
    'Without `blob_key`, returns the list of parts. With it, returns the snapshots of one part as JSON lines, each `[window id, snapshot]`, as the SDK sent them. If the SDK sent no window id, the session id takes its place. A snapshot with a `cv` was compressed by the SDK.',
  answers: {
    200: {
      text: 'The list of parts, or the snapshots of one part.',
      schema: SourcesJson,
      type: 'application/jsonl'
    }
  }
})
