import type { Recipient } from '../db/schema.ts'
import type { OutboundError, Sent } from '../outbound.ts'

/** Seconds from each failed attempt to the next; the last is about eight hours after the first. */
const DELAYS = [30, 120, 600, 3_600, 24_000]
export const MAX_ATTEMPTS = DELAYS.length + 1
/** Longest delay before an attempt, seconds: just under a day, the limit of Cloudflare Queues. */
const MAX_DELAY = 86_000

/** Failed occurrences in a row after which a subscription is paused. */
export const MAX_FAILURES = 5

/**
 * Returns the seconds between an attempt, counted from 1, and the next: at least `retryAfter`,
 * which the receiver asks for, but at most `MAX_DELAY`. After the last attempt, the next one only
 * closes the delivery and needs no delay.
 */
export const delayAfter = (attempt: number, retryAfter = 0): number =>
  Math.min(MAX_DELAY, Math.max(DELAYS[attempt - 1] ?? 0, retryAfter))

const UNCERTAIN = 'The outcome is unknown: the message may have arrived.'

/**
 * Marks a recipient as being sent to, and clears the error of the previous attempt.
 * @param recognisesRepeats whether the receiver recognises repeated messages; otherwise, a message
 * that may have arrived is repeated only once
 * @returns undefined if the recipient must not be sent another message
 */
export function beginSending(
  recipient: Recipient,
  recognisesRepeats: boolean
): Recipient | undefined {
  if (recipient.status === 'sent' || recipient.status === 'failed') {
    return undefined
  }
  if (recipient.status === 'waiting') {
    return { ...recipient, status: 'sending', error: null }
  }
  // An earlier message may have arrived: its outcome is `unknown`, or an attempt was interrupted
  // while `sending` it.
  if (recipient.repeated && !recognisesRepeats) {
    return undefined
  }
  return { ...recipient, status: 'sending', error: null, repeated: true }
}

/** Returns the recipient after a message was sent with this outcome. */
export function endSending(recipient: Recipient, sent: Sent): Recipient {
  if (sent.kind === 'sent') {
    return { ...recipient, status: 'sent', error: null }
  }
  if (sent.kind === 'permanent') {
    return { ...recipient, status: 'failed', error: sent.error }
  }
  return {
    ...recipient,
    status: sent.kind === 'uncertain' ? 'unknown' : 'waiting',
    error: sent.error
  }
}

/**
 * Returns the final state of a recipient when there is no further attempt.
 * @param fault why the last attempt ended; becomes the error of a waiting recipient that has none
 */
export function giveUp(recipient: Recipient, fault: string): Recipient {
  if (recipient.status === 'waiting') {
    return { ...recipient, status: 'failed', error: recipient.error ?? fault }
  }
  if (recipient.status !== 'sending') {
    return recipient
  }
  return { ...recipient, status: 'unknown', error: UNCERTAIN }
}

/** Returns why a delivery is not confirmed as sent to all its recipients; null when it is. */
export function faultOf(recipients: Recipient[]): string | null {
  const unconfirmed = recipients.filter(({ status }) => status !== 'sent')
  const [first] = unconfirmed
  if (!first) {
    return null
  }
  const why = first.error ?? UNCERTAIN
  return recipients.length === 1
    ? why
    : `Failed or unconfirmed for ${unconfirmed.length} of ${recipients.length} recipients; first error: ${why}`
}

/**
 * Returns the outcome of a request that got no response. A refused URL would be refused again;
 * otherwise, the message may have arrived.
 */
export const judgeFault = ({ kind, message }: OutboundError): Sent => ({
  kind: kind === 'refused' ? 'permanent' : 'uncertain',
  error: message
})

/**
 * Returns the outcome of a request by its HTTP status. 408, 425, 429 and 5xx are transient, because
 * neither message nor address is at fault; other refusals are permanent. The error quotes the start
 * of the response's body.
 * @param now ms UTC, from which a `Retry-After` with a date is counted
 */
export function judge(
  { status, body, retryAfter }: { status: number; body: string; retryAfter: string | null },
  now: number
): Sent {
  if (status >= 200 && status < 300) {
    return { kind: 'sent' }
  }
  const error = `The receiver answered ${status}${body ? `: ${body.slice(0, 200)}` : '.'}`
  if (status < 500 && ![408, 425, 429].includes(status)) {
    return { kind: 'permanent', error }
  }
  return { kind: 'transient', error, retryAfter: readRetryAfter(retryAfter ?? '', now) }
}

/** A date in an HTTP header: `Wed, 21 Oct 2026 07:28:00 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Reads a `Retry-After` in seconds or as a date. @returns seconds, at least 0, or undefined */
function readRetryAfter(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) {
    return Number(text)
  }
  const time = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000))
}
