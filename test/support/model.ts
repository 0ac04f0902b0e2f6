import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/**
 * What the model does at one try: says something, or a pattern of that length, refuses, fails, answers something else, or
 * so many bytes, or not at all, or that it is elsewhere.
 */
export type Turn =
  | { say: unknown }
  | { refuse: string }
  | { status: number }
  | { raw: string }
  | { flood: number }
  | { length: number }
  | { silent: true }
  | { moved: string }

export type Asked = { headers: IncomingHttpHeaders; body: z.infer<typeof ChatRequest> }

/** An object of strict mode: nothing optional, nothing else. */
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
      schema: z.unknown().refine(isStrict, 'This schema is none of strict mode.')
    })
  })
})

/**
 * An endpoint of OpenAI's chat completions on a port of this machine, which takes what that takes; the first part
 * of the path is JSON, of what it does at which try, and the second tells tests apart. `/asked?at=/path` tells what it was
 * asked below such a path.
 */
export async function startModel() {
  const asked = new Map<string, Asked[]>()
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://model')
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/asked') {
      return answer(200, asked.get(searchParams.get('at') ?? '') ?? [])
    }
    let text = ''
    request.on('error', () => {})
    for await (const chunk of request.setEncoding('utf8')) {
      text += chunk
    }
    const [, plan = ''] = /^(\/[^/]+\/[^/]+)\/chat\/completions$/.exec(pathname) ?? []
    const parsed = ChatRequest.safeParse(request.method === 'POST' ? JSON.parse(text) : undefined)
    if (!plan || !parsed.success) {
      return answer(400, { error: { message: parsed.error?.message ?? 'Not found' } })
    }
    const before = asked.get(plan) ?? []
    asked.set(plan, [...before, { headers: request.headers, body: parsed.data }])
    const turns: Turn[] = JSON.parse(decodeURIComponent(plan.split('/')[1] ?? '[]'))
    let turn = turns[before.length] ?? { status: 429 }
    if ('silent' in turn) {
      return
    }
    if ('moved' in turn) {
      return response.writeHead(307, { Location: turn.moved }).end()
    }
    if ('raw' in turn) {
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(turn.raw)
    }
    if ('status' in turn) {
      return answer(turn.status, { error: { message: 'The server had an error.' } })
    }
    if ('flood' in turn) {
      return response.writeHead(200).end('x'.repeat(turn.flood))
    }
    if ('length' in turn) {
      turn = { say: { result: 'success', output: 'a'.repeat(turn.length) } }
    }
    const said =
      'say' in turn ? (typeof turn.say === 'string' ? turn.say : JSON.stringify(turn.say)) : null
    const message = {
      role: 'assistant',
      content: said,
      refusal: 'refuse' in turn ? turn.refuse : null
    }
    answer(200, {
      id: `chatcmpl-${before.length}`,
      object: 'chat.completion',
      model: parsed.data.model,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has no other kind of address.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}
