import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { closeServer, listen, readBody } from './requests.ts'
import { parseJson } from './text.ts'

/**
 * The model's behaviour in one attempt:
 * - `say`, `refuse` or `length`: a message, see `Spoken`
 * - `status`: an error with this HTTP status
 * - `raw`: this text instead of a completion
 * - `flood`: this many bytes
 * - `silent`: no answer at all
 * - `moved`: a redirect to this address
 */
export type Turn =
  | Spoken
  | { status: number }
  | { raw: string }
  | { flood: number }
  | { silent: true }
  | { moved: string }

/**
 * A turn that answers with a message: `say` is its text, or its JSON; `refuse` is the reason of a refusal; `length` is the
 * number of characters of the pattern in it.
 */
type Spoken = { say: unknown } | { refuse: string } | { length: number }

export type Asked = { headers: IncomingHttpHeaders; body: z.infer<typeof ChatRequest> }

/** Matches an object schema that fits strict mode: every property is required, and no other is allowed. */
const StrictObject = z
  .looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), z.unknown()),
    required: z.array(z.string()),
    additionalProperties: z.literal(false)
  })
  .refine(({ properties, required }) =>
    Object.keys(properties).every((name) => required.includes(name))
  )

/** Keywords of JSON Schema that are accepted in strict mode. */
const KEYWORDS = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$ref',
  '$defs',
  'description'
]

function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) {
    return false
  }
  if (Object.keys(schema).some((keyword) => !KEYWORDS.includes(keyword))) {
    return false
  }
  const { properties, items, anyOf, type } = z
    .looseObject({
      type: z.string().optional(),
      properties: z.record(z.string(), z.unknown()).default({}),
      items: z.unknown().optional(),
      anyOf: z.array(z.unknown()).default([])
    })
    .parse(schema)
  if (type === 'object' && !StrictObject.safeParse(schema).success) {
    return false
  }
  return [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])].every(
    isStrict
  )
}

const ChatRequest = z.object({
  model: z.string().min(1),
  messages: z
    .array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .min(1),
  temperature: z.number().min(0).max(2),
  max_tokens: z.int().min(1),
  response_format: z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string().regex(/^[\w-]{1,64}$/),
      strict: z.literal(true),
      schema: z.unknown().refine(isStrict, 'This schema does not fit strict mode.')
    })
  })
})

const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

/** Answers a request according to its turn. */
function takeTurn(
  turn: Turn,
  response: ServerResponse,
  complete: (spoken: Spoken) => object
): void {
  if ('silent' in turn) {
    return
  }
  if ('moved' in turn) {
    response.writeHead(307, { Location: turn.moved }).end()
  } else if ('raw' in turn) {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(turn.raw)
  } else if ('status' in turn) {
    sendJson(response, turn.status, { error: { message: 'The server had an error.' } })
  } else if ('flood' in turn) {
    response.writeHead(200).end('x'.repeat(turn.flood))
  } else {
    sendJson(response, 200, complete(turn))
  }
}

/** Builds a chat completion with one message. */
const completionOf = (spoken: Spoken, id: string, model: string) => ({
  id,
  object: 'chat.completion',
  model,
  choices: [{ index: 0, message: messageOf(spoken), finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
})

function messageOf(spoken: Spoken) {
  if ('refuse' in spoken) {
    return { role: 'assistant', content: null, refusal: spoken.refuse }
  }
  return { role: 'assistant', content: contentOf(spoken), refusal: null }
}

function contentOf(spoken: Exclude<Spoken, { refuse: string }>): string {
  if ('length' in spoken) {
    return JSON.stringify({ result: 'success', output: 'a'.repeat(spoken.length) })
  }
  return typeof spoken.say === 'string' ? spoken.say : JSON.stringify(spoken.say)
}

/**
 * Starts a local server with OpenAI's chat completions. The first part of the path is JSON, a list with the turn of each attempt;
 * further attempts get the status 429. The second part separates tests. `/asked?at=/turns/test` returns the requests received
 * below this path.
 */
export async function startModel() {
  const asked = new Map<string, Asked[]>()
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://model')
    if (pathname === '/asked') {
      return sendJson(response, 200, asked.get(searchParams.get('at') ?? '') ?? [])
    }
    const text = (await readBody(request)).toString()
    const [, path = ''] = /^(\/[^/]+\/[^/]+)\/chat\/completions$/.exec(pathname) ?? []
    const parsed = ChatRequest.safeParse(request.method === 'POST' ? parseJson(text) : undefined)
    if (!path || !parsed.success) {
      const message = parsed.error?.message ?? 'Not found'
      return sendJson(response, 400, { error: { message } })
    }
    const earlier = asked.get(path) ?? []
    asked.set(path, [...earlier, { headers: request.headers, body: parsed.data }])
    const turns: Turn[] = JSON.parse(decodeURIComponent(path.split('/')[1] ?? '[]'))
    const turn = turns[earlier.length] ?? { status: 429 }
    const id = `chatcmpl-${earlier.length}`
    takeTurn(turn, response, (spoken) => completionOf(spoken, id, parsed.data.model))
  })
  const host = await listen(server)
  return {
    host,
    url: `http://${host}`,
    close: () => closeServer(server)
  }
}
