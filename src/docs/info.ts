/** What holds for every operation; each says the rest itself. */
export const INFO = {
  title: 'Edge Analytics',
  version: '1',
  description: `Product analytics on Cloudflare Workers: events in through the SDKs, persons out through this API.

**Keys.** \`Authorization: Bearer phx_…\`, in the header only. A key reaches its projects with its scopes: \`person:write\` \
includes \`person:read\`, and \`*\` includes all. Another project is the same 404 as one that does not exist. Capture takes \
no key but the project's capture token, \`phc_…\`.

**Paths.** \`/api/projects/…\` is the same as \`/api/environments/…\`, and a slash at the end makes no difference.

**Errors** are \`{"type","code","detail","attr"}\`, one at a time. Unknown parameters and fields are ignored, known ones of \
a wrong type are refused. 429 and 503 say in \`Retry-After\` when to come again.

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
