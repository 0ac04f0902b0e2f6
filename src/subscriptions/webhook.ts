import { toIso } from '../calendar/clock.ts'
import { formatChange } from '../charts/format.ts'
import { toBase64 } from '../input/base64.ts'
import type { Sent } from '../outbound.ts'
import type { InsightPart } from './content.ts'
import { type AlertNews, chartOf, type Digest } from './digest.ts'
import { post } from './post.ts'
import { sign } from './signature.ts'

/** Writes a digest as the JSON body of a webhook. */
export function toPayload(digest: Digest) {
  const { content, occurrence, missed, isTest, invite, alert } = digest
  return {
    type: alert ? `alert.${alert.verdict.event}` : 'subscription.delivered',
    timestamp: toIso(content.at),
    data: {
      ...(alert ? { alert: toNews(alert) } : { subscription: digest.subscriptionId }),
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

const toNews = ({ id, verdict: { state, value, interval, words } }: AlertNews) => ({
  id,
  state,
  calculated_value: value,
  interval: interval && { from: toIso(interval.from), until: toIso(interval.until) },
  description: words
})

function toInsight(part: InsightPart, chart: string | undefined) {
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
    lines: part.lines.map(({ series: label, value, previous, unit }) => ({
      label,
      value,
      previous,
      change: formatChange(value, previous, unit) || null,
      ...(unit && { unit })
    }))
  }
}

/**
 * Sends a digest as a Standard Webhook. The same delivery always has the same `webhook-id`, by
 * which a receiver recognises repetitions; the signature covers id, time and body.
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
  return post(url, headers, body, { allow, now })
}
