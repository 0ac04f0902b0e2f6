import { requesterOf, timeOf, type Words } from '../receipts/page.ts'
import type { Receipt } from './schemas.ts'

/** Returns what the page of a receipt says about the removal. `project` is the project's name. */
export function wordsOf(receipt: Receipt, project: string): Words {
  const { filters, properties, matching } = receipt
  const count = (events: number) => events.toLocaleString('en')
  const what =
    properties === null
      ? 'Events were deleted from'
      : `The properties ${properties.join(', ')} were removed from events of`
  return {
    lead: `${what} the project “${project}”.`,
    facts: [
      ['Requested', `${timeOf(receipt.requested_at)} by ${requesterOf(receipt)}`],
      [
        'Names of the events',
        filters ? (filters.events?.join(', ') ?? 'any') : 'not known any more'
      ],
      ['Events at or after', filters?.after ?? '–'],
      ['Events before', filters?.before ?? '–'],
      ['Events that were to go', count(receipt.events_listed)],
      ['Of these, no longer stored', count(receipt.no_longer_stored)],
      ['Events that match now', matching === null ? 'not known' : count(matching)],
      ['Searched again', timeOf(receipt.verified_at)]
    ]
  }
}
