import { sign } from '../subscriptions/signature.ts'
import type { SubscriptionRow } from '../subscriptions/store.ts'

/** What an unsubscribe link names: whose address it is only its signature says. */
export type Ticket = { projectId: number; subscriptionId: number; signature: string }

/** The link by which a recipient needs neither key nor account to get nothing more. */
export async function unsubscribeUrl(
  subscription: SubscriptionRow,
  address: string
): Promise<string> {
  const { origin, projectId, id } = subscription
  return `${origin}/unsubscribe/${projectId}.${id}.${await signatureOf(subscription, address)}`
}

export function readTicket(token: string): Ticket | undefined {
  const [, projectId, subscriptionId, signature] =
    /^(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})$/.exec(token) ?? []
  if (signature === undefined) {
    return undefined
  }
  return { projectId: Number(projectId), subscriptionId: Number(subscriptionId), signature }
}

/** The addresses of a subscription without the one that a link is of. @returns undefined when it is of none of them */
export async function withoutHolder(
  subscription: SubscriptionRow,
  addresses: string[],
  { signature }: Ticket
): Promise<string[] | undefined> {
  const given = new TextEncoder().encode(signature)
  const kept: string[] = []
  for (const address of addresses) {
    const own = new TextEncoder().encode(await signatureOf(subscription, address))
    if (!crypto.subtle.timingSafeEqual(given, own)) {
      kept.push(address)
    }
  }
  return kept.length < addresses.length ? kept : undefined
}

async function signatureOf({ secret, id }: SubscriptionRow, address: string): Promise<string> {
  const bytes = await sign(secret, `unsubscribe ${id} ${address.toLowerCase()}`)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
