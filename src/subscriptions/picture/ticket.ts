import { DAY } from '../../calendar/units.ts'
import { toHex } from '../../encoding.ts'
import { isSameHash } from '../../hash.ts'
import { sign } from '../signature.ts'
import type { SubscriptionRow } from '../store.ts'

/** Days for which the address of a picture works after its message was composed. */
export const PICTURE_DAYS = 7

/**
 * The subject of a picture: one insight in one message. All pictures have the same size, so it is
 * not part of the subject.
 */
export type PictureSubject = {
  insightId: number
  /** The time at which the message was composed, ms UTC. */
  at: number
  /** The end of the period in the message, ms UTC. */
  until: number
}

/**
 * The parts of the address of a picture. `seal` proves that this service made the address, for this
 * subject.
 */
export type PictureTicket = PictureSubject & {
  projectId: number
  subscriptionId: number
  seal: string
}

/** Returns the address of a picture, which needs no API key. */
export async function pictureUrl(
  subscription: SubscriptionRow,
  subject: PictureSubject
): Promise<string> {
  const { origin, projectId, id } = subscription
  const { insightId, at, until } = subject
  const seal = await sealOf(subscription, subject)
  return `${origin}/charts/${[projectId, id, insightId, at, until, seal].join('.')}.png`
}

/**
 * Returns the address of the page with all charts of the message composed at a time, ms UTC; it
 * needs no API key.
 */
export async function pageUrl(subscription: SubscriptionRow, at: number): Promise<string> {
  const { origin, projectId, id } = subscription
  const seal = await sealOf(subscription, { insightId: ALL, at, until: at })
  return `${origin}/reports/${[projectId, id, at, seal].join('.')}`
}

/** Stands for all insights of a message; no insight has this id. */
const ALL = 0

/** Reads `<project>.<subscription>.<at>.<seal>`. @returns undefined for any other text */
export function readPageTicket(token: string): PictureTicket | undefined {
  const [, projectId, subscriptionId, at, seal] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})$/.exec(token) ?? []
  if (seal === undefined) {
    return undefined
  }
  return {
    projectId: Number(projectId),
    subscriptionId: Number(subscriptionId),
    insightId: ALL,
    at: Number(at),
    until: Number(at),
    seal
  }
}

/**
 * Reads `<project>.<subscription>.<insight>.<at>.<until>.<seal>.png`. @returns undefined for any
 * other text
 */
export function readTicket(token: string): PictureTicket | undefined {
  const [, projectId, subscriptionId, insightId, at, until, seal] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})\.png$/.exec(
      token
    ) ?? []
  if (seal === undefined) {
    return undefined
  }
  return {
    projectId: Number(projectId),
    subscriptionId: Number(subscriptionId),
    insightId: Number(insightId),
    at: Number(at),
    until: Number(until),
    seal
  }
}

/** Returns whether the address was made by this service for this subscription and subject. */
export const isSealed = async (
  subscription: SubscriptionRow,
  ticket: PictureTicket
): Promise<boolean> => isSameHash(await sealOf(subscription, ticket), ticket.seal)

/** Returns whether the address no longer works at `now`. */
export const isExpired = ({ at }: PictureTicket, now: Date): boolean =>
  now.getTime() >= at + PICTURE_DAYS * DAY

async function sealOf(
  { secret, projectId, id }: SubscriptionRow,
  { insightId, at, until }: PictureSubject
): Promise<string> {
  const text = `chart ${[projectId, id, insightId, at, until].join(' ')}`
  return toHex((await sign(secret, text)).buffer)
}
