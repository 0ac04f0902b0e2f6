import { useEffect } from 'preact/hooks'
import { addressOf } from '../address.ts'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { More, type Paged, usePaged } from '../paged.tsx'
import { Empty, Fault, Moment, Name, Skeleton, Top } from '../parts.tsx'
import { may } from '../session.ts'
import { count, nameOf, shortDay } from '../words.ts'
import { type EventDeletion, requesterOf } from './api.ts'
import { DeleteForm } from './delete-events.tsx'
import { ReceiptWords, SaveReceipt } from './receipt.tsx'
import { State, shareOf } from './state.tsx'

/** Deletions per page. */
const PAGE = '50'

/** Time between two looks at a deletion that is running, ms. */
const EVERY_MS = 3_000

/** The form that deletes events, and the deletions so far. */
export function EventDeletions() {
  const list = usePaged<EventDeletion>('events/deletions/', { limit: PAGE })
  return (
    <>
      {may('person:write') && <DeleteForm done={list.reload} />}
      {list.error && <Fault error={list.error} retry={list.reload} />}
      {!list.rows && !list.error && <Skeleton rows={4} />}
      {list.rows && list.rows.length > 0 && <Rows list={list} />}
      {list.rows?.length === 0 && (
        <Empty title="No events have been deleted so far.">
          <p class="sec">
            A test that ran against production, or a form that has sent personal data: such events,
            or only their properties, are deleted by filters.
          </p>
        </Empty>
      )}
    </>
  )
}

/** `signed up, Page view · before 1 Jan 2026` */
function wordsOf({ filters, receipt }: EventDeletion): string {
  const { events, after, before } = filters ?? receipt?.filters ?? {}
  const names = events?.map(nameOf) ?? []
  const dates = [
    after ? `from ${shortDay(new Date(after))}` : '',
    before ? `until ${shortDay(new Date(before))}` : ''
  ]
  return [names.join(', ') || 'Events of any name', dates.filter(Boolean).join(' ')]
    .filter(Boolean)
    .join(' · ')
}

/** `email, name removed` */
const doneTo = ({ properties }: EventDeletion): string =>
  properties === null ? 'Events deleted' : `${properties.join(', ')} removed`

const Rows = ({ list }: { list: Paged<EventDeletion> }) => (
  <section class="card">
    <table class="table cards">
      <thead>
        <tr>
          <th>Events</th>
          <th>What</th>
          <th>Requested by</th>
          <th>Requested</th>
          <th>State</th>
          <th class="num">Found</th>
        </tr>
      </thead>
      <tbody>
        {list.rows?.map((deletion) => (
          <tr key={deletion.id}>
            <td class="cut by" data-p="1l">
              <a data-row href={addressOf(['privacy', 'events', deletion.id])}>
                <Name>{wordsOf(deletion)}</Name>
              </a>
            </td>
            <td class="sec cut by" data-p="no">
              <Name>{doneTo(deletion)}</Name>
            </td>
            <td class="sec cut by" data-p="no">
              <Name>{requesterOf(deletion.created_by)}</Name>
            </td>
            <td class="sec nowrap" data-p="2l">
              <Moment at={deletion.created_at} />
            </td>
            <td data-p="1r">
              <State
                status={deletion.status}
                share={shareOf(deletion.events.processed, deletion.events.found)}
              />
            </td>
            <td class="num" data-p="2r">
              {count(deletion.events.found)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <More list={list} />
  </section>
)

/** One deletion of events, with its receipt. */
export function EventDeletionPage({ id }: { id: string }) {
  const path = `events/deletions/${encodeURIComponent(id)}/`
  const { data, error, reload } = useLoaded(id, (signal) =>
    call<EventDeletion>('GET', path, { signal })
  )
  useEffect(() => {
    if (data?.status === 'running') {
      const timer = setTimeout(reload, EVERY_MS)
      return () => clearTimeout(timer)
    }
  }, [data])
  return (
    <>
      <Top>
        <a class="crumb" href={addressOf(['privacy', 'events'])}>
          Privacy
        </a>
        <h1>Deletion of events</h1>
      </Top>
      <div class="body wide">
        {error?.status === 404 && (
          <Empty title="There is no such deletion.">
            <a class="b" href={addressOf(['privacy', 'events'])}>
              Show all deletions
            </a>
          </Empty>
        )}
        {error && error.status !== 404 && <Fault error={error} retry={reload} />}
        {!data && !error && <Skeleton rows={8} />}
        {data && (
          <section class="card task narrow">
            <header>
              <h2 class="cut">
                <Name>{wordsOf(data)}</Name>
              </h2>
              <State
                status={data.status}
                share={shareOf(data.events.processed, data.events.found)}
              />
              <span class="grow" />
              {data.receipt && <SaveReceipt receipt={data.receipt} page={path} />}
            </header>
            <div class="pad">
              {data.error && (
                <div class="note warn">
                  <Icon name="warning" />
                  <p>{data.error}</p>
                </div>
              )}
              <p class="sec">
                {doneTo(data)}: {count(data.events.processed)} of {count(data.events.found)} events
                in the run of <Moment at={data.scheduled_for} />.
              </p>
              {data.receipt && <ReceiptWords receipt={data.receipt} />}
            </div>
          </section>
        )}
      </div>
    </>
  )
}
