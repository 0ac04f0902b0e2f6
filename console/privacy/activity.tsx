import { addressOf } from '../address.ts'
import { More, usePaged } from '../paged.tsx'
import { Empty, Fault, Moment, Name, Skeleton } from '../parts.tsx'
import { shortId, UUID } from './api.ts'

type Entry = {
  id: string
  user: { first_name: string; email: string | null; is_system: boolean }
  key: { label: string } | null
  activity: string
  item_id: string
  detail: { name: string | null }
  created_at: string
}

const DONE: Record<string, string> = {
  updated: 'Changed properties',
  deleted: 'Erased',
  split_person: 'Split',
  delete_property: 'Deleted a property',
  merged: 'Merged',
  suppressed: 'Suppressed',
  suppression_lifted: 'Lifted the suppression'
}

/** Entries per page. */
const PAGE = '50'

/** Who did what to persons, newest first. */
export function Activity() {
  const list = usePaged<Entry>('persons/activity/', { limit: PAGE })
  return (
    <>
      {list.error && <Fault error={list.error} retry={list.reload} />}
      {!list.rows && !list.error && <Skeleton rows={8} />}
      {list.rows?.length === 0 && (
        <Empty title="Nothing was done to persons so far.">
          <p class="sec">Changes, merges, erasures and suppressions are listed here.</p>
        </Empty>
      )}
      {list.rows && list.rows.length > 0 && (
        <section class="card">
          <table class="table cards">
            <thead>
              <tr>
                <th>When</th>
                <th>What</th>
                <th>Person</th>
                <th>By</th>
                <th>Key</th>
              </tr>
            </thead>
            <tbody>
              {list.rows.map((entry) => (
                <Row key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
          <More list={list} />
        </section>
      )}
    </>
  )
}

function Row({ entry }: { entry: Entry }) {
  const { user, key, activity, item_id: id, detail } = entry
  // The entry of an erasure names the person by its UUID, others by the number that it has.
  const person = detail.name && UUID.test(detail.name) ? detail.name : id
  return (
    <tr>
      <td class="sec nowrap" data-p="1r">
        <Moment at={entry.created_at} />
      </td>
      <td class="strong" data-p="1l">
        {DONE[activity] ?? activity}
      </td>
      <td class="mono nowrap" data-p="2l">
        <a data-row href={addressOf(['persons', person])}>
          {UUID.test(person) ? shortId(person) : person}
        </a>
      </td>
      <td class="cut by sec" data-p="2r">
        <Name>{user.is_system ? 'The service' : (user.email ?? user.first_name)}</Name>
      </td>
      <td class="cut by mut" data-p="no">
        <Name>{key?.label ?? '–'}</Name>
      </td>
    </tr>
  )
}
