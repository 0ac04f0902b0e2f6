import { HARMLESS_TABLE } from '../input/harmless.ts'

/** What happens to parameters and fields that nobody reads. */
const RULE = `**Nothing is ignored.** A query parameter that the operation does not have is a 400 that names it \
and, where a name is close, what was probably meant; so is one that is given twice with different values, where it is no \
list. Of a body, so is a field that resembles a known one, or that means something to another operation or to PostHog and \
is not honoured, and a read-only field that is not sent back as it is. Other unknown fields and read-only ones are passed \
over and named in the header \`X-Ignored-Fields\` of the answer. Only the capture operations, and pages that are opened by \
links, take any parameter. What clients add without asking for anything by it passes everywhere:

${HARMLESS_TABLE}`

/** What holds for every operation; each says the rest itself. */
export const INFO = {
  title: 'Edge Analytics',
  version: '1',
  description: `Product analytics on Cloudflare Workers: events in through the SDKs, persons out through this API.

**Keys.** \`Authorization: Bearer phx_…\`, in the header only. A key reaches its projects with its scopes: \`person:write\` \
includes \`person:read\`, and \`*\` includes all. Another project is the same 404 as one that does not exist. Capture takes \
no key but the project's capture token, \`phc_…\`.

**Paths.** \`/api/projects/…\` is the same as \`/api/environments/…\`, and a slash at the end makes no difference.

**Errors** are \`{"type","code","detail","attr"}\`, one at a time; \`attr\` names the field. \
429 and 503 say in \`Retry-After\` when to come again.

${RULE}

**Lists** have \`count\`, \`next\`, \`previous\` and \`results\`; to read all of one, follow \`next\`.

**CSV**, with \`format=csv\`, is RFC 4180 in UTF-8: nested keys are joined with dots, an array is a cell of JSON, and a \
list is not cut into pages. A cell that a spreadsheet would run as a formula starts with \`'\`.

**Times** are ISO 8601 in UTC.

**Headers.** Every answer has \`X-Request-Id\`. Send the \`x-d1-bookmark\` of an answer with the next request, and it \
sees all that the answer saw, anywhere.`
}

export const TAGS = [
  { name: 'Projects', description: 'Where it happened, and who asks.' },
  { name: 'Persons', description: 'Who did it.' },
  { name: 'Insights', description: 'How often, over time.' },
  { name: 'Dashboards', description: 'Insights side by side.' },
  { name: 'Session recordings', description: 'What it looked like.' },
  {
    name: 'Subscriptions',
    description: 'Insights and dashboards, delivered when they are wanted.'
  },
  { name: 'Sessions', description: 'What belongs together in time.' },
  { name: 'Capture', description: 'Where SDKs send events.' },
  { name: 'Service', description: 'The service itself.' }
]
