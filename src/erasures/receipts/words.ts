import { requesterOf, timeOf, type Words } from './page.ts'
import type { Receipt } from './schemas.ts'

/** Returns what the page says about the deletion of a person. `project` is the project's name. */
export const wordsOf = (receipt: Receipt, project: string): Words => ({
  lead: leadOf(receipt, project),
  facts: [
    ['Person', receipt.person_uuid],
    ['Requested', `${timeOf(receipt.requested_at)} by ${requesterOf(receipt)}`],
    ['Searched again and nothing found', timeOf(receipt.verified_at)],
    ['Late events dropped', receipt.late_events_dropped.toLocaleString('en')]
  ]
})

/** `a, b and c` */
const LIST = new Intl.ListFormat('en-GB')

/** `The person and the events were deleted from the project “Shop”. The recordings were kept.` */
function leadOf({ delete_events, delete_recordings }: Receipt, project: string): string {
  const data = [
    { name: 'events', isDeleted: delete_events },
    { name: 'recordings', isDeleted: delete_recordings }
  ]
  const deleted = data.filter(({ isDeleted }) => isDeleted).map(({ name }) => `the ${name}`)
  const kept = data.filter(({ isDeleted }) => !isDeleted).map(({ name }) => name)
  const subject = LIST.format(['The person', ...deleted])
  const verb = deleted.length > 0 ? 'were' : 'was'
  const rest = kept.length > 0 ? ` The ${LIST.format(kept)} were kept.` : ''
  return `${subject} ${verb} deleted from the project “${project}”.${rest}`
}
