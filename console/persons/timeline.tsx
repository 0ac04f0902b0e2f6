import { useSignal } from '@preact/signals'
import { addressOf } from '../address.ts'
import { type ApiError, call } from '../api.ts'
import type { EventList, StoredEvent } from '../events/api.ts'
import { EventDialog } from '../events/details.tsx'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Empty, Fault, Name, Skeleton } from '../parts.tsx'
import type { Recording } from '../recordings/api.ts'
import { may } from '../session.ts'
import {
  dayOf,
  detailOf,
  durationOf,
  exactly,
  longDay,
  nameOf,
  nearDay,
  pageOf,
  timeOf
} from '../words.ts'
import type { Person } from './api.ts'

/** Events per page. */
const PAGE = '100'

/** A recording or an event, at its time. */
type Entry = { at: Date } & ({ event: StoredEvent } | { recording: Recording })

/** What a person did: events and recordings, by day, newest first. */
export function Timeline({ person }: { person: Person }) {
  const events = useLoaded(person.uuid, async (signal) =>
    may('query:read')
      ? call<EventList>('GET', 'events/', {
          query: { person_id: person.uuid, limit: PAGE },
          signal
        })
      : { results: [], next: null, searched_until: null }
  )
  const recordings = useLoaded(person.uuid, async (signal) =>
    may('session_recording:read')
      ? call<{ results: Recording[] }>('GET', 'session_recordings/', {
          query: { person_uuid: person.uuid, limit: PAGE },
          signal
        })
      : { results: [] }
  )
  const error = events.error ?? recordings.error
  return (
    <section class="card">
      <header>
        <h2>Timeline</h2>
      </header>
      {error && <Fault error={error} retry={events.error ? events.reload : recordings.reload} />}
      {!events.data && !error && <Skeleton rows={8} />}
      {events.data && <Days first={events.data} recordings={recordings.data?.results ?? []} />}
    </section>
  )
}

type DaysProps = { first: EventList; recordings: Recording[] }

function Days({ first, recordings }: DaysProps) {
  const more = useSignal<StoredEvent[]>([])
  const next = useSignal(first.next)
  const refused = useSignal<ApiError | undefined>(undefined)
  const shown = [...first.results, ...more.value]
  const oldest = next.value === null ? undefined : shown.at(-1)?.timestamp
  const entries: Entry[] = [
    ...shown.map((event) => ({ at: new Date(event.timestamp), event })),
    ...recordings
      .filter(({ start_time }) => oldest === undefined || start_time >= oldest)
      .map((recording) => ({ at: new Date(recording.start_time), recording }))
  ].sort((a, b) => b.at.getTime() - a.at.getTime())
  const days = Map.groupBy(entries, ({ at }) => dayOf(at))
  const load = async () => {
    try {
      const page = await call<EventList>('GET', 'events/', {
        query: Object.fromEntries(new URL(next.value ?? '').searchParams)
      })
      more.value = [...more.value, ...page.results]
      next.value = page.next
    } catch (error) {
      refused.value = error as ApiError
    }
  }
  return (
    <>
      {entries.length === 0 && (
        <div class="pad">
          <Empty
            title={
              may('query:read') ? 'This person has no events.' : 'This key may not see events.'
            }
          >
            {!may('query:read') && <p class="sec">It lacks the scope query:read.</p>}
          </Empty>
        </div>
      )}
      {[...days].map(([day, all]) => (
        <Day key={day} entries={all} recordings={recordings} />
      ))}
      {refused.value && <Fault error={refused.value} retry={load} />}
      {next.value !== null && (
        <button type="button" class="more" onClick={load}>
          Older
          <Icon name="next" small />
        </button>
      )}
    </>
  )
}

type DayProps = { entries: Entry[]; recordings: Recording[] }

function Day({ entries, recordings }: DayProps) {
  const opened = useSignal<StoredEvent | undefined>(undefined)
  const [first] = entries
  const date = first?.at ?? new Date()
  const near = nearDay(date)
  return (
    <>
      <h3 class="day">
        {near ?? longDay(date)} {near && <span>{longDay(date)}</span>}
      </h3>
      <ol class="tl">
        {entries.map((entry) =>
          'event' in entry ? (
            <li key={entry.event.id} class={entry.event.event.startsWith('$') ? '' : 'key-ev'}>
              <time dateTime={entry.event.timestamp} title={exactly(entry.at)}>
                {timeOf(entry.at)}
              </time>
              <span class="pin" />
              <button
                type="button"
                class="what cut"
                data-row
                onClick={() => {
                  opened.value = entry.event
                }}
              >
                <b title={entry.event.event}>
                  <bdi>{nameOf(entry.event.event).slice(0, 200)}</bdi>
                </b>
                <span class="cut">
                  <Name>{detailOf(entry.event.event, entry.event.properties)}</Name>
                </span>
              </button>
              <WatchLink event={entry.event} recordings={recordings} />
            </li>
          ) : (
            <li key={entry.recording.id} class="rec-li">
              <time dateTime={entry.recording.start_time}>{timeOf(entry.at)}</time>
              <span class="pin" />
              <a class="rec-row cut" data-row href={addressOf(['recordings', entry.recording.id])}>
                <Icon name="recording" />
                <b>Recording, {durationOf(entry.recording.recording_duration)}</b>
                <span class="mut cut">
                  <Name>{pageOf(entry.recording.start_url)}</Name>
                </span>
              </a>
            </li>
          )
        )}
      </ol>
      {opened.value && (
        <EventDialog
          event={opened.value}
          close={() => {
            opened.value = undefined
          }}
        />
      )}
    </>
  )
}

/** How much of a recording is shown before an event, seconds. */
const LEAD = 2

type WatchLinkProps = { event: StoredEvent; recordings: Recording[] }

/** Opens the recording of a visit at the moment of an event. */
function WatchLink({ event, recordings }: WatchLinkProps) {
  const recording = recordings.find(
    ({ id, start_time, end_time }) =>
      id === event.session_id && start_time <= event.timestamp && event.timestamp <= end_time
  )
  if (!recording) {
    return null
  }
  const after = (Date.parse(event.timestamp) - Date.parse(recording.start_time)) / 1000
  const t = String(Math.max(0, Math.floor(after) - LEAD))
  return (
    <a
      class="b icon quiet small watch"
      aria-label={`Watch ${nameOf(event.event).slice(0, 100)}`}
      title="Watch this moment"
      href={addressOf(['recordings', recording.id], { t })}
    >
      <Icon name="play" small />
    </a>
  )
}
