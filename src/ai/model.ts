import * as z from 'zod'
import { parseOr } from '../input/json.ts'
import { OutboundError, sendOutbound } from '../outbound.ts'
import { LateError, within } from '../turns.ts'

/** The part of the Workers AI binding that this file uses. */
export type WorkersAi = {
  run: (model: string, inputs: Record<string, unknown>) => Promise<unknown>
}

/**
 * A deployment's settings for a model: a Workers AI binding, or an endpoint that speaks OpenAI's
 * protocol.
 */
export type ModelBindings = {
  AI?: WorkersAi
  AI_BASE_URL?: string
  AI_MODEL?: string
  AI_API_KEY?: string
  OUTBOUND_ALLOW: string
}

/**
 * Sends a chat to a model that has to answer with JSON.
 * @returns the parsed answer, not yet checked against the schema
 */
export type Model = (chat: Chat, timeoutMs: number) => Promise<unknown>

type Message = { role: 'system' | 'user' | 'assistant'; content: string }
export type Chat = { messages: Message[]; schema: { name: string; json: Record<string, unknown> } }

/** A model gave no usable answer. The message is logged, so it must not quote the chat. */
export class ModelError extends Error {}

/** Tokens that a model may generate for an answer. */
const MAX_TOKENS = 2_000
/** Longest response of an endpoint, bytes. */
const MAX_ANSWER = 200_000

/**
 * Returns the deployment's model: its endpoint, else its binding; undefined without `AI_MODEL` or
 * if both are missing.
 */
export function modelOf({
  AI,
  AI_BASE_URL,
  AI_MODEL,
  AI_API_KEY,
  OUTBOUND_ALLOW
}: ModelBindings): Model | undefined {
  if (!AI_MODEL) {
    return undefined
  }
  if (AI_BASE_URL) {
    const endpoint = { url: AI_BASE_URL, model: AI_MODEL, key: AI_API_KEY, allow: OUTBOUND_ALLOW }
    return (chat, timeoutMs) => askEndpoint(endpoint, chat, timeoutMs)
  }
  return AI && ((chat, timeoutMs) => askWorkersAi(AI, AI_MODEL, chat, timeoutMs))
}

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() })
      })
    )
    .min(1)
})

type Endpoint = { url: string; model: string; key: string | undefined; allow: string }

async function askEndpoint(
  { url, model, key, allow }: Endpoint,
  { messages, schema }: Chat,
  timeoutMs: number
) {
  const format = {
    type: 'json_schema',
    json_schema: { name: schema.name, strict: true, schema: schema.json }
  }
  const answer = await sendOutbound(
    {
      url: `${url.replace(/\/+$/, '')}/chat/completions`,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key && { Authorization: `Bearer ${key}` })
      },
      body: JSON.stringify({
        model,
        messages,
        temperature: 0,
        max_tokens: MAX_TOKENS,
        response_format: format
      })
    },
    { allow, timeoutMs, maxBytes: MAX_ANSWER }
  ).catch((error: unknown) => {
    throw error instanceof OutboundError ? new ModelError(error.message) : error
  })
  if (answer.status !== 200) {
    throw new ModelError(`The endpoint responded with status ${answer.status}.`)
  }
  return readCompletion(parse(new TextDecoder().decode(answer.body)))
}

function readCompletion(body: unknown): unknown {
  const completion = Completion.safeParse(body)
  const message = completion.data?.choices[0]?.message
  if (!message) {
    throw new ModelError('The response is not a completion.')
  }
  if (message.refusal) {
    throw new ModelError('The model refused.')
  }
  return parse(message.content ?? '')
}

const Generated = z.object({ response: z.union([z.string(), z.record(z.string(), z.unknown())]) })

/** Asks Workers AI. Some models respond in its own format, newer models in OpenAI's. */
async function askWorkersAi(
  ai: WorkersAi,
  model: string,
  { messages, schema }: Chat,
  timeoutMs: number
) {
  const format = { type: 'json_schema', json_schema: schema.json }
  const run = ai.run(model, {
    messages,
    temperature: 0,
    max_tokens: MAX_TOKENS,
    response_format: format
  })
  const body = await within(timeoutMs, run).catch((cause) => {
    const detail =
      cause instanceof LateError
        ? `The model did not answer within ${timeoutMs} ms.`
        : 'Workers AI failed.'
    throw new ModelError(detail, { cause })
  })
  const generated = Generated.safeParse(body)
  if (!generated.success) {
    return readCompletion(body)
  }
  const { response } = generated.data
  return typeof response === 'string' ? parse(response) : response
}

const parse = (text: string): unknown =>
  parseOr(text, () => new ModelError('The answer is not JSON.'))
