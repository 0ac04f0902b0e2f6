import { isSameHash, toHex } from '../../hash.ts'
import { sign } from '../signature.ts'
import type { SubscriptionRow } from '../store.ts'

/**
 * The parts of an unsubscribe link. `holder` is a keyed hash of the address. `seal` proves that this service made the link,
 * even after the address has left the subscription; links from older e-mails have no seal.
 */
export type Ticket = {
  projectId: number
  subscriptionId: number
  holder: string
  seal: string | undefined
}

/** Makes the link with which a recipient unsubscribes without key or account. */
export async function unsubscribeUrl(
  subscription: SubscriptionRow,
  address: string
): Promise<string> {
  const { origin, projectId, id } = subscription
  const holder = await holderOf(subscription, address)
  return `${origin}/unsubscribe/${projectId}.${id}.${holder}.${await sealOf(subscription, holder)}`
}

/** Reads `<project>.<subscription>.<holder>[.<seal>]`. @returns undefined for any other text */
export function readTicket(token: string): Ticket | undefined {
  const [, projectId, subscriptionId, holder, seal] =
    /^(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})(?:\.([0-9a-f]{64}))?$/.exec(token) ?? []
  if (holder === undefined) {
    return undefined
  }
  return { projectId: Number(projectId), subscriptionId: Number(subscriptionId), holder, seal }
}

/** Returns whether the seal belongs to the link; false for a link without a seal. */
export const isSealed = async (
  subscription: SubscriptionRow,
  { holder, seal = '' }: Ticket
): Promise<boolean> => isSameHash(await sealOf(subscription, holder), seal)

/** Returns the addresses without the link's, or undefined when the link's address is not among them. */
export async function withoutHolder(
  subscription: SubscriptionRow,
  addresses: string[],
  { holder }: Ticket
): Promise<string[] | undefined> {
  const kept: string[] = []
  for (const address of addresses) {
    if (!(await isSameHash(await holderOf(subscription, address), holder))) {
      kept.push(address)
    }
  }
  return kept.length < addresses.length ? kept : undefined
}

const holderOf = (subscription: SubscriptionRow, address: string): Promise<string> =>
  signatureOf(subscription, `unsubscribe ${subscription.id} ${address.toLowerCase()}`)

const sealOf = (subscription: SubscriptionRow, holder: string): Promise<string> =>
  signatureOf(subscription, `unsubscribe link ${subscription.id} ${holder}`)

const signatureOf = async ({ secret }: SubscriptionRow, text: string): Promise<string> =>
  toHex((await sign(secret, text)).buffer)
