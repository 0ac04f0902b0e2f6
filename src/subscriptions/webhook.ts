import { toIso } from '../calendar/clock.ts'
import { OutboundError, sendOutbound } from '../outbound.ts'
import { formatChange, type Part } from './content.ts'
import { judge, judgeFault, type Sent } from './delivery.ts'
import { chartOf, type Digest } from './digest.ts'
import { sign, toBase64 } from './signature.ts'

/** Time that a receiver has to respond, ms. */
const TIMEOUT_MS = 10_000
/** Bytes of a response that are read. */
const MAX_ANSWER = 1_000_000

/** Writes a digest as the JSON body of a webhook. */
export function toPayload(digest: Digest) {
  const { content, occurrence, missed, isTest, invite } = digest
  return {
    type: 'subscription.delivered',
    timestamp: toIso(content.at),
    data: {
      subscription: digest.subscriptionId,
      delivery: digest.deliveryId,
      test: isTest,
      occurrence: toIso(occurrence),
      missed,
      title: content.name,
      project: content.project,
      summary: digest.summary,
      timezone: content.timezone,
      invite_message: invite,
      insights: content.parts.map((part) => toInsight(part, chartOf(digest, part)))
    }
  }
}

function toInsight(part: Part, chart: string | undefined) {
  const { insight: id = null, name } = part
  if ('failure' in part) {
    return {
      id,
      name,
      range: null,
      from: null,
      until: null,
      error: part.failure,
      chart_url: null,
      lines: []
    }
  }
  return {
    id,
    name,
    range: part.range,
    from: part.from === null ? null : toIso(part.from),
    until: toIso(part.until),
    error: null,
    chart_url: chart ?? null,
    lines: part.lines.map((line) => ({ ...line, change: formatChange(line) || null }))
  }
}

/**
 * Sends a digest as a Standard Webhook. The same delivery always has the same `webhook-id`, by which a receiver recognises
 * repetitions; the signature covers id, time and body.
 * @param secret a secret from `newSecret`
 * @param allow the setting `OUTBOUND_ALLOW`
 */
export async function sendWebhook(
  url: string,
  secret: string,
  digest: Digest,
  { allow, now }: { allow: string; now: Date }
): Promise<Sent> {
  const id = `delivery_${digest.deliveryId}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const body = JSON.stringify(toPayload(digest))
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${toBase64(await sign(secret, `${id}.${timestamp}.${body}`))}`
  }
  return post(url, headers, body, { allow })
}

/**
 * Posts a message and returns the outcome. A status of 2xx is a success; its body is not read. With `reads`, the body of a
 * refusal is part of the reported error.
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  { allow, reads = false }: { allow: string; reads?: boolean }
): Promise<Sent> {
  try {
    const isRefusal = (status: number) => status >= 300
    const limits = {
      allow,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER,
      reads: reads ? isRefusal : () => false
    }
    const answer = await sendOutbound({ url, method: 'POST', headers, body }, limits)
    const words = reads ? new TextDecoder().decode(answer.body) : ''
    return judge(answer.status, words, answer.headers.get('Retry-After'))
  } catch (error) {
    if (error instanceof OutboundError) {
      return judgeFault(error)
    }
    throw error
  }
}
