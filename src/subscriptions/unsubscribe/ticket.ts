import { toHex } from '../../encoding.ts'
import { isSameHash } from '../../hash.ts'
import { sign } from '../signature.ts'
import type { SubscriptionRow } from '../store.ts'

/**
 * The parts of an unsubscribe link. `addressHash` is a keyed hash of the address. `seal` proves
 * that this service made the link, even after the address was removed from the subscription.
 */
export type UnsubscribeTicket = {
  projectId: number
  subscriptionId: number
  addressHash: string
  seal: string
}

/** Returns the link that lets a recipient unsubscribe without an API key or account. */
export async function unsubscribeUrl(
  subscription: SubscriptionRow,
  address: string
): Promise<string> {
  const { origin, projectId, id } = subscription
  const addressHash = await hashAddress(subscription, address)
  return `${origin}/unsubscribe/${projectId}.${id}.${addressHash}.${await sealOf(subscription, addressHash)}`
}

/** Reads `<project>.<subscription>.<addressHash>.<seal>`; undefined for any other text. */
export function readTicket(token: string): UnsubscribeTicket | undefined {
  const [, projectId, subscriptionId, addressHash, seal] =
    /^(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})\.([0-9a-f]{64})$/.exec(token) ?? []
  if (addressHash === undefined || seal === undefined) {
    return undefined
  }
  return { projectId: Number(projectId), subscriptionId: Number(subscriptionId), addressHash, seal }
}

/** Returns whether the link has a valid seal. */
export const isSealed = async (
  subscription: SubscriptionRow,
  { addressHash, seal }: UnsubscribeTicket
): Promise<boolean> => isSameHash(await sealOf(subscription, addressHash), seal)

/** Returns `addresses` without the link's, or undefined if it is not among them. */
export async function withoutAddress(
  subscription: SubscriptionRow,
  addresses: string[],
  { addressHash }: UnsubscribeTicket
): Promise<string[] | undefined> {
  const kept: string[] = []
  for (const address of addresses) {
    if (!isSameHash(await hashAddress(subscription, address), addressHash)) {
      kept.push(address)
    }
  }
  return kept.length < addresses.length ? kept : undefined
}

const hashAddress = (subscription: SubscriptionRow, address: string): Promise<string> =>
  signatureOf(subscription, `unsubscribe ${subscription.id} ${address.toLowerCase()}`)

const sealOf = (subscription: SubscriptionRow, addressHash: string): Promise<string> =>
  signatureOf(subscription, `unsubscribe link ${subscription.id} ${addressHash}`)

const signatureOf = async ({ secret }: SubscriptionRow, text: string): Promise<string> =>
  toHex((await sign(secret, text)).buffer)
