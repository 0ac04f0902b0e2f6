import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { addressOf, parameters, setParameters } from '../address.ts'
import { ApiError, call } from '../api.ts'
import { type Filter, readFilters, valuesOf, writeFilters } from '../filters/filter.ts'
import { Filters } from '../filters/filters.tsx'
import type { OfferedProperty, OfferedValues } from '../filters/properties.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Avatar, Empty, Fault, IconButton, Name, Skeleton, Top } from '../parts.tsx'
import { may } from '../session.ts'
import { useWindow } from '../window.ts'
import { count, dayOf, detailOf, exactly, nameOf, shortDay, wholeTimeOf } from '../words.ts'
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
const MAX_EVENTS = 10_000

/** Older events that are loaded at once, and how many rows before the end. */
const OLDER = '1000'
const AHEAD = 30

/** The owner of what the list can be filtered by beside properties; each is a parameter of the API. */
const FIELD = 'field'

const field = (key: string, name: string): OfferedProperty => ({
  type: FIELD,
  key,
  name,
  kind: 'String',
  operators: ['exact'],
  isSingle: true
})

const FIELDS: OfferedProperty[] = [
  { ...field('event', 'Event'), values: listEventNames },
  field('distinct_id', 'Distinct id'),
  field('session_id', 'Session')
]

async function listEventNames(): Promise<OfferedValues> {
  const query = { limit: '1000' }
  const { results } = await call<{ results: { name: string; count: number }[] }>(
    'GET',
    'event_definitions/',
    { query }
  )
  const values = results
    .sort((a, b) => b.count - a.count)
    .map(({ name, count: events }) => ({ value: name, hint: count(events) }))
  return { values, isWhole: true }
}

/** The parameters of an address that filter the list, as the API takes them. */
function askedIn(values: URLSearchParams): Record<string, string> {
  const names = [...FIELDS.map(({ key }) => key), 'properties']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values.get(name)
      return value ? [[name, value]] : []
    })
  )
}

const filtersIn = ({ properties = null, ...fields }: Record<string, string | null>): Filter[] => [
  ...Object.entries(fields).map(([key, value]) => ({
    type: FIELD,
    key,
    operator: 'exact',
    value: [value ?? '']
  })),
  ...readFilters(properties)
]

/** Shows other filters. Of a field, the last one counts. */
function show(filters: readonly Filter[]): void {
  const fields = FIELDS.map(({ key }) => {
    const set = filters.findLast((one) => one.type === FIELD && one.key === key)
    return [key, set && String(valuesOf(set)[0])]
  })
  setParameters({
    ...Object.fromEntries(fields),
    properties: writeFilters(filters.filter(({ type }) => type !== FIELD))
  })
}

const LIVE =
  'New events are looked for every two seconds. The list has the order in which they happened: one that arrives late stands at its own time.'

/** The events of the project as they arrive. */
export function EventsPage() {
  const filters = askedIn(parameters.value)
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
          <span class={`live${isPaused.value ? ' off' : ''}`} title={LIVE}>
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
        <div class="filters">
          <Filters filters={filtersIn(filters)} change={show} extra={FIELDS} hasKey />
        </div>
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

type StreamProps = { first: EventList; filters: Record<string, string>; isPaused: boolean }

/** Times have milliseconds, always, so that they sort as texts. */
function newestFirst(a: StoredEvent, b: StoredEvent): number {
  const isBefore = a.timestamp === b.timestamp ? a.id < b.id : a.timestamp < b.timestamp
  return isBefore ? 1 : -1
}

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
  const isLoading = useRef(false)
  const older = async () => {
    if (isLoading.current) {
      return
    }
    isLoading.current = true
    try {
      const query = { ...Object.fromEntries(new URL(next.value ?? '').searchParams), limit: OLDER }
      const page = await call<EventList>('GET', 'events/', { query })
      add(page.results)
      next.value = page.next
    } catch (error) {
      fault.value = error as ApiError
    }
    isLoading.current = false
  }
  const all = events.value
  const hasOlder = next.value !== null && all.length < MAX_EVENTS
  const rows = useWindow<HTMLTableSectionElement>(all.length)
  const isNearEnd = rows.until > all.length - AHEAD
  useEffect(() => {
    if (isNearEnd && hasOlder) {
      void older()
    }
  }, [isNearEnd, hasOlder, all.length])
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
            <table class="table cards rows" aria-rowcount={all.length + 1}>
              <thead>
                <tr>
                  <th>Time</th>
                  <th>Event</th>
                  <th>Detail</th>
                  <th>Person</th>
                </tr>
              </thead>
              <tbody ref={rows.element}>
                <Space height={rows.above} />
                {all.slice(rows.from, rows.until).map((event, i) => (
                  <Row
                    key={event.id}
                    place={rows.from + i}
                    event={event}
                    isChosen={chosen.value?.id === event.id}
                    choose={() => {
                      chosen.value = event
                    }}
                  />
                ))}
                <Space height={rows.below} />
              </tbody>
            </table>
            {hasOlder && (
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

/** The room of the rows that are not in the page. */
const Space = ({ height }: { height: number }) =>
  height > 0 ? (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus
    <tr class="space" aria-hidden="true">
      <td colSpan={4} style={{ height: `${height}px` }} />
    </tr>
  ) : null

type RowProps = { place: number; event: StoredEvent; isChosen: boolean; choose: () => void }

function Row({ place, event, isChosen, choose }: RowProps) {
  const date = new Date(event.timestamp)
  const isToday = dayOf(date) === dayOf(new Date())
  return (
    <tr class={isChosen ? 'is-on' : ''} aria-rowindex={place + 2} data-line>
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
