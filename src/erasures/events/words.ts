import { requesterOf, timeOf, type Words } from '../receipts/page.ts'
import type { EventDeletionReceipt } from './schemas.ts'

/** `a, b and c` */
const LIST = new Intl.ListFormat('en-GB')

/** Returns what the page of a receipt says about the removal. `project` is the project's name. */
export function wordsOf(receipt: EventDeletionReceipt, project: string): Words {
  const { filters, matching, properties } = receipt
  const count = (events: number) => events.toLocaleString('en')
  const gone =
    properties === null ? 'no longer stored' : 'no longer stored or without the properties'
  const time = (iso: string | null | undefined) => (iso ? timeOf(iso) : 'any time')
  return {
    lead: `${whatOf(receipt)} the project “${project}”.`,
    facts: [
      ['Requested', `${timeOf(receipt.requested_at)} by ${requesterOf(receipt)}`],
      ...(filters
        ? ([
            ['Names of the events', filters.events?.join(', ') ?? 'any'],
            ['Events at or after', time(filters.after)],
            ['Events before', time(filters.before)]
          ] as const)
        : []),
      [filters ? 'Other filters' : 'Filters', othersOf(receipt)],
      ['Events found by the dry run', count(receipt.events_listed)],
      [`Of these, ${gone}`, count(receipt.no_longer_stored)],
      ['Events matching when searched again', matching === null ? 'not known' : count(matching)],
      ['Searched again', timeOf(receipt.verified_at)]
    ]
  }
}

/** `The properties “email” and “name” were removed from events of` */
function whatOf({ properties }: EventDeletionReceipt): string {
  if (properties === null) {
    return 'Events were deleted from'
  }
  const names = LIST.format(properties.map((name) => `“${name}”`))
  return properties.length === 1
    ? `The property ${names} was removed from events of`
    : `The properties ${names} were removed from events of`
}

/** Names the filters of which the receipt has only hashes. */
function othersOf({ filters, subject }: EventDeletionReceipt): string {
  if (filters === null) {
    return 'not known: the deletion was repeated after a restore'
  }
  const others = [
    ...(subject.distinct_ids.length > 0 ? ['distinct id'] : []),
    ...(subject.session_id === null ? [] : ['session']),
    ...(subject.property_filters === null ? [] : ['properties'])
  ]
  return others.length === 0 ? 'none' : LIST.format(others)
}
