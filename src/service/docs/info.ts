import { HARMLESS_TABLE } from '../../input/harmless.ts'

const RULE = `**Unknown parameters and fields** are not dropped silently.

- An unknown query parameter is a 400 that names it and suggests a known name that is close. A parameter with two \
different values is a 400, too, unless it is a list.
- An unknown field of a body is a 400 if its name is close to a known name, or if it has a meaning in another operation or in \
PostHog that is not supported here. Every unknown field is a 400 in a node such as \`TrendsQuery\`, in a request that deletes persons or \
events or suppresses persons, and in a request that needs no body. Other unknown fields are ignored; the response header \
\`X-Ignored-Fields\` names up to 50 of them.
- A read-only field is a 400 if its value differs from the current value, so a client may send whole objects back. Fields \
that change by themselves may have an old value.
- Operations for SDKs, and pages that links open, accept any query parameter.
- The parameters and fields at the end of this text are ignored.`

/** The introduction of the API reference: the rules that every operation follows. */
export const INFO = {
  title: 'Edge Analytics',
  version: '1',
  description: `Product analytics on Cloudflare Workers. SDKs send events; this API returns persons, trends, sessions and recordings.

**Keys.** Send \`Authorization: Bearer phx_…\`; keys are accepted in this header only. A key has access to certain projects, \
and to the operations of its scopes: \`person:write\` includes \`person:read\`, and \`*\` includes all. A project that the key \
cannot access is a 404, as if it did not exist. Capture needs no key, only the project's capture token, \`phc_…\`.

**Paths.** \`/api/projects/…\` is the same as \`/api/environments/…\`; the slash at the end is optional.

**Errors** are \`{"type","code","detail","attr"}\`, one per response; \`attr\` names the field at fault. With a 429 or 503, \
\`Retry-After\` says how many seconds to wait.

${RULE}

**Lists** with pages have \`count\`, \`next\`, \`previous\` and \`results\`. Follow \`next\` to read a whole list.

**CSV**, with \`format=csv\`, is RFC 4180 in UTF-8. Nested keys are joined with dots, and an array is one cell of JSON; so is an \
object if one of its columns would have the name of another, as with \`{"a":{"b":1},"a.b":2}\`. A list is not split into pages. A \
cell that a spreadsheet would run as a formula is prefixed with \`'\`. With \`bom=true\`, a file begins with a byte order mark, \
by which Excel recognizes UTF-8.

**Times** are ISO 8601 in UTC; the names of a trend's buckets are on the project's clock.

**Headers.** Every response has an \`X-Request-Id\`. Send the \`x-d1-bookmark\` of a response with the next request to read \
data at least as recent, wherever that request is handled.

**Ignored.** These parameters and fields, which PostHog's clients send, are ignored by every operation that does not list \
them; only nodes such as \`TrendsQuery\` refuse them:

${HARMLESS_TABLE}`
}

/** The groups of operations, in the order of the table in README.md. */
export const TAGS = [
  {
    name: 'Persons',
    description: 'Persons, their properties and activity; erasures, suppressions and receipts.'
  },
  {
    name: 'Insights',
    description: 'Trends, computed once or saved: how often something happened, over time.'
  },
  { name: 'Dashboards', description: 'Collections of insights.' },
  {
    name: 'Cohorts',
    description: 'Sets of persons: listed one by one, or found by filters whenever they are used.'
  },
  { name: 'Annotations', description: 'Texts at points of the time axis, which charts show.' },
  { name: 'Session recordings', description: 'Replays of visits.' },
  {
    name: 'Events',
    description: 'Stored events and their deletion, and the names of events and their properties.'
  },
  { name: 'Sessions', description: 'Visits: events with the same session id.' },
  {
    name: 'Subscriptions',
    description: 'Insights and dashboards that are delivered on a schedule.'
  },
  { name: 'Alerts', description: 'Messages when a number crosses a bound.' },
  { name: 'Projects', description: 'Projects, and the user to whom the key belongs.' },
  {
    name: 'Keys',
    description: 'API keys, and invitations that give a browser a key of its own.'
  },
  { name: 'Capture', description: 'Endpoints that take the events and recordings of SDKs.' },
  { name: 'For SDKs', description: 'The configuration of SDKs, and links that they make.' },
  { name: 'Service', description: 'Health checks, this reference, and the keys of receipts.' }
]
