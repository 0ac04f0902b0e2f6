import type { Recipient } from '../db/schema.ts'
import type { OutboundError } from '../outbound.ts'

/** What a channel says of a message. `uncertain`: it may have arrived; `transient`: it did not, and may later. */
export type Sent =
  | { kind: 'sent' }
  | { kind: 'uncertain' | 'permanent'; error: string }
  | { kind: 'transient'; error: string; retryAfter?: number | undefined }

/** How long after each failed attempt the next one comes, in seconds: the last about eight hours after the first. */
const DELAYS = [30, 120, 600, 3_600, 24_000]
export const MAX_ATTEMPTS = DELAYS.length + 1

/** After so many failed occurrences in a row a subscription is paused. */
export const MAX_FAILURES = 5

/** Seconds until the attempt after this one, which counts from 1; at least what the receiver asks for, at most a day. */
export const delayAfter = (attempt: number, retryAfter = 0): number =>
  Math.min(86_000, Math.max(DELAYS[attempt - 1] ?? 0, retryAfter))

const UNHEARD = 'Nobody knows whether it has arrived.'

/**
 * The recipient as it is while a message goes to it, or undefined when none is to go: it has arrived or failed, or its
 * outcome is unknown and it was repeated already, where the channel cannot tell a repetition.
 */
export function beginSending(
  recipient: Recipient,
  tellsRepetitions: boolean
): Recipient | undefined {
  if (recipient.status === 'sent' || recipient.status === 'failed') {
    return undefined
  }
  if (recipient.status === 'waiting') {
    return { ...recipient, status: 'sending' }
  }
  if (recipient.repeated && !tellsRepetitions) {
    return undefined
  }
  return { ...recipient, status: 'sending', repeated: true }
}

/** The recipient after a message. */
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

/** Whether another attempt may still reach the recipient. */
export const isOpen = (recipient: Recipient, tellsRepetitions: boolean): boolean =>
  beginSending(recipient, tellsRepetitions) !== undefined

/** What is left of a recipient when there is no further attempt. */
export function giveUp(recipient: Recipient): Recipient {
  if (recipient.status === 'waiting') {
    return { ...recipient, status: 'failed' }
  }
  if (recipient.status !== 'sending') {
    return recipient
  }
  return { ...recipient, status: 'unknown', error: recipient.error ?? UNHEARD }
}

/** Why a delivery did not reach all its recipients; null when it did. */
export function faultOf(recipients: Recipient[]): string | null {
  const missed = recipients.filter(({ status }) => status !== 'sent')
  const [first] = missed
  if (!first) {
    return null
  }
  const why = first.error ?? UNHEARD
  return recipients.length === 1
    ? why
    : `${missed.length} of ${recipients.length} recipients: ${why}`
}

/** What becomes of a message without an answer. */
export const judgeFault = ({ kind, message }: OutboundError): Sent => ({
  kind: kind === 'timeout' || kind === 'unreachable' ? 'uncertain' : 'permanent',
  error: message
})

/** What an HTTP answer says of the message. What is not a matter of the message or address may pass. */
export function judge(status: number, words: string, retryAfter: string | null): Sent {
  if (status >= 200 && status < 300) {
    return { kind: 'sent' }
  }
  const error = `It answered ${status}${words ? `: ${words.slice(0, 200)}` : '.'}`
  if (status < 500 && ![408, 425, 429].includes(status)) {
    return { kind: 'permanent', error }
  }
  return {
    kind: 'transient',
    error,
    retryAfter: /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined
  }
}
