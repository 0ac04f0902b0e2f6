import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { addressOf, go, parameters } from '../address.ts'
import { ApiError, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Avatar, Empty, Fault, IconButton, Name, Skeleton, Top } from '../parts.tsx'
import { may } from '../session.ts'
import { dayOf, detailOf, exactly, nameOf, shortDay, wholeTimeOf } from '../words.ts'
import type { EventList, StoredEvent } from './api.ts'
import { EventDialog, EventFacts } from './details.tsx'
import { FirstEvent } from './first.tsx'

/** Events per page. */
const PAGE = '100'

/** Time between two looks for new events, ms. */
const EVERY_MS = 2_000

/** How far back each look goes, ms: events of a batch arrive in any order. */
const OVERLAP_MS = 60_000

/** Events that are kept in the page; older ones are found with filters. */
const MAX_EVENTS = 2_000

/** The filters of the list, which are parameters of the page and of the API. */
const FILTERS = { event: 'Event', distinct_id: 'Distinct id', session_id: 'Session' }
type FilterName = keyof typeof FILTERS
const NAMES = Object.keys(FILTERS) as FilterName[]

const filtersIn = (values: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = values.get(name)
      return value ? [[name, value]] : []
    })
  )

/** The events of the project as they arrive. */
export function EventsPage() {
  const filters = filtersIn(parameters.value)
  const name = JSON.stringify(filters)
  const first = useLoaded(name, async (signal) => ({
    name,
    ...(await call<EventList>('GET', 'events/', { query: { ...filters, limit: PAGE }, signal }))
  }))
  const { data } = first
  const isPaused = useSignal(false)
  return (
    <>
      <Top>
        <h1>Events</h1>
        {data && (
          <span class={`live${isPaused.value ? ' off' : ''}`}>
            {isPaused.value ? 'Paused' : 'Live'}
          </span>
        )}
        <span class="grow" />
        {data && (
          <button
            type="button"
            class="b"
            onClick={() => {
              isPaused.value = !isPaused.value
            }}
          >
            <Icon name={isPaused.value ? 'play' : 'pause'} />
            {isPaused.value ? 'Go on' : 'Pause'}
          </button>
        )}
      </Top>
      <div class="body">
        <Filters filters={filters} />
        {first.error && <Fault error={first.error} retry={first.reload} />}
        {!data && !first.error && <Skeleton rows={10} />}
        {data && (
          <Stream
            key={data.name}
            first={data}
            filters={JSON.parse(data.name)}
            isPaused={isPaused.value}
          />
        )}
      </div>
    </>
  )
}

function Filters({ filters }: { filters: Record<string, string> }) {
  const isOpen = useSignal(false)
  const name = useSignal<FilterName>('event')
  const value = useSignal('')
  const set = (changed: Record<string, string | undefined>) =>
    go(addressOf(['events'], { ...filters, ...changed }))
  return (
    <div class="filters">
      {Object.entries(filters).map(([set_name, text]) => (
        <span key={set_name} class="chip">
          <b>{FILTERS[set_name as FilterName]}</b> <span class="op">is</span>{' '}
          <b class="cut">
            <Name>{set_name === 'event' ? nameOf(text) : text}</Name>
          </b>
          <button
            type="button"
            aria-label={`Remove the filter ${FILTERS[set_name as FilterName]}`}
            onClick={() => set({ [set_name]: undefined })}
          >
            <Icon name="remove" small />
          </button>
        </span>
      ))}
      {isOpen.value ? (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault()
            isOpen.value = false
            if (value.value.trim() !== '') {
              set({ [name.value]: value.value.trim() })
            }
            value.value = ''
          }}
        >
          <select
            class="b small"
            aria-label="Filter by"
            value={name.value}
            onChange={(event) => {
              name.value = event.currentTarget.value as FilterName
            }}
          >
            {NAMES.map((one) => (
              <option key={one} value={one}>
                {FILTERS[one]}
              </option>
            ))}
          </select>
          <input
            class="in small"
            aria-label="Is"
            list={name.value === 'event' ? 'event-names' : undefined}
            value={value.value}
            ref={(field) => field?.focus()}
            onInput={(event) => {
              value.value = event.currentTarget.value
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') {
                isOpen.value = false
              }
            }}
          />
          <button type="submit" class="b small">
            Filter
          </button>
          <EventNames />
        </form>
      ) : (
        <button
          type="button"
          class="chip add"
          onClick={() => {
            isOpen.value = true
          }}
        >
          <Icon name="add" small />
          Filter
        </button>
      )}
    </div>
  )
}

/** The names of events, offered while someone types. */
function EventNames() {
  const { data } = useLoaded('', (signal) =>
    call<{ results: { name: string }[] }>('GET', 'event_definitions/', {
      query: { limit: '200' },
      signal
    })
  )
  return (
    <datalist id="event-names">
      {data?.results.map(({ name }) => (
        <option key={name} value={name}>
          {nameOf(name)}
        </option>
      ))}
    </datalist>
  )
}

type StreamProps = { first: EventList; filters: Record<string, string>; isPaused: boolean }

/** Times have milliseconds, always, so that they sort as texts. */
const newestFirst = (a: StoredEvent, b: StoredEvent): number =>
  a.timestamp + a.id < b.timestamp + b.id ? 1 : -1

function Stream({ first, filters, isPaused }: StreamProps) {
  const events = useSignal(first.results)
  const next = useSignal(first.next)
  const fault = useSignal<ApiError | undefined>(undefined)
  const chosen = useSignal<StoredEvent | undefined>(undefined)
  const add = (found: StoredEvent[]) => {
    const known = new Set(events.value.map(({ id }) => id))
    const fresh = found.filter(({ id }) => !known.has(id))
    if (fresh.length > 0) {
      events.value = [...events.value, ...fresh].sort(newestFirst).slice(0, MAX_EVENTS)
    }
  }
  useEffect(() => {
    if (isPaused) {
      return
    }
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      const newest = events.value[0]?.timestamp
      const after =
        newest && new Date(Math.min(Date.parse(newest), Date.now()) - OVERLAP_MS).toISOString()
      try {
        if (!document.hidden) {
          const { signal } = controller
          const query = { ...filters, after, limit: PAGE }
          add((await call<EventList>('GET', 'events/', { query, signal })).results)
          fault.value = undefined
        }
      } catch (error) {
        if (controller.signal.aborted) {
          return
        }
        fault.value = error instanceof ApiError ? error : new ApiError(String(error))
      }
      timer = setTimeout(look, EVERY_MS)
    }
    timer = setTimeout(look, EVERY_MS)
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [isPaused])
  const older = async () => {
    try {
      const query = Object.fromEntries(new URL(next.value ?? '').searchParams)
      const page = await call<EventList>('GET', 'events/', { query })
      add(page.results)
      next.value = page.next
    } catch (error) {
      fault.value = error as ApiError
    }
  }
  const isFiltered = Object.keys(filters).length > 0
  const close = () => {
    chosen.value = undefined
  }
  return (
    <>
      {fault.value && <Fault error={fault.value} />}
      {events.value.length === 0 && !isFiltered && <FirstEvent />}
      {events.value.length === 0 && isFiltered && (
        <Empty title="No events match.">
          <p class="sec">They appear here as they arrive.</p>
          <a class="b" href={addressOf(['events'])}>
            Clear the filters
          </a>
        </Empty>
      )}
      {events.value.length > 0 && (
        <div class={`events${chosen.value ? ' with-one' : ''}`}>
          <section class="card">
            <table class="table cards rows">
              <thead>
                <tr>
                  <th>Time</th>
                  <th>Event</th>
                  <th>Detail</th>
                  <th>Person</th>
                </tr>
              </thead>
              <tbody>
                {events.value.map((event) => (
                  <Row
                    key={event.id}
                    event={event}
                    isChosen={chosen.value?.id === event.id}
                    choose={() => {
                      chosen.value = event
                    }}
                  />
                ))}
              </tbody>
            </table>
            {next.value !== null && events.value.length < MAX_EVENTS && (
              <button type="button" class="more" onClick={older}>
                Older
                <Icon name="next" small />
              </button>
            )}
          </section>
          {chosen.value && isNarrow() && <EventDialog event={chosen.value} close={close} />}
          {chosen.value && !isNarrow() && (
            <aside class="card one-event" aria-label="The event">
              <header>
                <h2 class="cut">
                  <Name>{nameOf(chosen.value.event)}</Name>
                </h2>
                <span class="grow" />
                <IconButton icon="remove" label="Close the event" run={close} />
              </header>
              <div class="pad">
                <EventFacts event={chosen.value} />
              </div>
            </aside>
          )}
        </div>
      )}
    </>
  )
}

/** Whether the event is shown over the page instead of beside the list. */
const isNarrow = (): boolean => matchMedia('(max-width: 1100px)').matches

type RowProps = { event: StoredEvent; isChosen: boolean; choose: () => void }

function Row({ event, isChosen, choose }: RowProps) {
  const date = new Date(event.timestamp)
  const isToday = dayOf(date) === dayOf(new Date())
  return (
    <tr class={isChosen ? 'is-on' : ''}>
      <td class="sec nowrap time" data-p="1r">
        <time dateTime={event.timestamp} title={exactly(date)}>
          {isToday ? '' : `${shortDay(date)}, `}
          {wholeTimeOf(date)}
        </time>
      </td>
      <td data-p="1l">
        <button type="button" class="row-b cut" data-row onClick={choose} title={event.event}>
          <bdi>{nameOf(event.event).slice(0, 200)}</bdi>
        </button>
      </td>
      <td class="sec cut" data-p="2l">
        <Name>{detailOf(event.event, event.properties)}</Name>
      </td>
      <td class="cut" data-p="no">
        {event.person && may('person:read') ? (
          <a class="who" href={addressOf(['persons', event.person.uuid])}>
            <Avatar name={undefined} />
            <span class="cut">
              <Name>{event.distinct_id ?? ''}</Name>
            </span>
          </a>
        ) : (
          <Name>{event.distinct_id ?? '–'}</Name>
        )}
      </td>
    </tr>
  )
}
