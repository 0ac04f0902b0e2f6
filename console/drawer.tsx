import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { addressOf } from './address.ts'
import { ApiError, call } from './api.ts'
import { Icon } from './icons.tsx'
import { useLoaded } from './loaded.ts'
import { Avatar, Empty, Fault, IconButton, Name, Skeleton } from './parts.tsx'
import { knownName, type Person, titleOf } from './persons/api.ts'
import { may } from './session.ts'
import { count } from './words.ts'

type DrawerProps = {
  title: ComponentChildren
  below?: ComponentChildren
  label: string
  close: () => void
  children: ComponentChildren
}

/**
 * A panel at the right of the page, which stays usable; on phones a sheet from below. It takes the
 * focus, and gives it back. Escape closes it.
 */
export function Drawer({ title, below, label, close, children }: DrawerProps) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) {
        before.focus({ preventScroll: true })
      }
    }
  }, [])
  return (
    <aside
      ref={element}
      class="drawer"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          close()
        }
      }}
    >
      <header>
        <div class="grow cut">
          <h2>{title}</h2>
          {below && <p class="mut">{below}</p>}
        </div>
        <IconButton icon="remove" label="Close" run={close} />
      </header>
      {children}
    </aside>
  )
}

/** Whether the key may see who is behind a point. */
export const maySeePersons = (): boolean => may('person:read')

/** A person, or someone who is counted without one, as `ActorsQuery` shows them. */
type Actor = Pick<Person, 'name' | 'distinct_ids' | 'properties'> & {
  id: string | null
  type: 'person' | 'distinct_id' | 'erased'
}

type ActorPage = {
  results: [Actor, number, number[]?][]
  hasMore: boolean
  count: number | null
}

/** Persons per page; a row of retention is read whole, because its persons are filtered here. */
const PAGE = 50
const WHOLE = 1_000

type PersonsDrawerProps = {
  /** The source of an `ActorsQuery`, as `actorsOf` returns it. */
  source: object
  /** Of retention: the column in which they came back. */
  column?: number | undefined
  /** What is counted beside each person: `event`, `column`. */
  counted?: string | undefined
  below: ComponentChildren
  close: () => void
}

/** `total`: the persons of all pages, if the service counts them. */
type Page = Pick<ActorPage, 'hasMore'> & {
  rows: ActorPage['results']
  read: number
  total: number | undefined
}

const NO_PAGE: Page = { rows: [], read: 0, hasMore: false, total: undefined }

async function readActors(
  source: object,
  column: number | undefined,
  offset: number,
  signal?: AbortSignal
): Promise<Page> {
  const isRetention = column !== undefined
  const {
    results,
    hasMore,
    count: all
  } = await call<ActorPage>('POST', 'query/', {
    body: {
      query: {
        kind: 'ActorsQuery',
        source,
        select: ['person', 'event_count', ...(isRetention ? ['appearances'] : [])],
        limit: isRetention ? WHOLE : PAGE,
        offset
      }
    },
    signal
  })
  return {
    rows: results.filter(([, , appearances]) => !isRetention || appearances?.includes(column)),
    read: results.length,
    hasMore,
    total: isRetention ? undefined : (all ?? undefined)
  }
}

/** Loads the actors of a source page by page; those of another source are left out at once. */
function useActors(source: object, column: number | undefined) {
  const name = JSON.stringify([source, column])
  const first = useLoaded(name, async (signal) => ({
    name,
    page: await readActors(source, column, 0, signal)
  }))
  const later = useSignal({ of: name, page: NO_PAGE, fault: undefined as ApiError | undefined })
  const isLoading = useSignal(false)
  const begun = first.data?.name === name ? first.data.page : undefined
  const { page: more, fault } =
    later.value.of === name ? later.value : { page: NO_PAGE, fault: undefined }
  return {
    name,
    rows: begun && [...begun.rows, ...more.rows],
    total: begun?.total,
    hasMore: more.read > 0 ? more.hasMore : (begun?.hasMore ?? false),
    error: first.error ?? fault,
    reload: first.error && first.reload,
    isLoading: isLoading.value,
    showMore: async () => {
      isLoading.value = true
      try {
        const page = await readActors(source, column, (begun?.read ?? 0) + more.read)
        later.value = {
          of: name,
          page: { ...page, rows: [...more.rows, ...page.rows], read: more.read + page.read },
          fault: undefined
        }
      } catch (thrown) {
        const error = thrown instanceof ApiError ? thrown : new ApiError(String(thrown))
        later.value = { of: name, page: more, fault: error }
      } finally {
        isLoading.value = false
      }
    }
  }
}

/** From so many persons on, a field searches them. */
const SEARCH_FROM = 10

const isNamed = ({ name, distinct_ids }: Actor, wanted: string): boolean =>
  [name, ...distinct_ids].some((text) => text.toLowerCase().includes(wanted))

/** The persons behind a point. Needs the scope `person:read`. */
export function PersonsDrawer({ source, column, counted, below, close }: PersonsDrawerProps) {
  const actors = useActors(source, column)
  const typed = useSignal('')
  useEffect(() => {
    typed.value = ''
  }, [actors.name])
  const { rows = [], hasMore } = actors
  const wanted = typed.value.trim().toLowerCase()
  const shown = rows.filter(([actor]) => isNamed(actor, wanted))
  const { total = rows.length } = actors
  const isAtLeast = hasMore && actors.total === undefined
  const isOne = total === 1 && !hasMore
  const words = `${count(total)}${isAtLeast ? '+' : ''} ${isOne ? 'person' : 'persons'}`
  return (
    <Drawer
      title={actors.rows ? words : 'Persons'}
      below={below}
      label="Persons behind the point"
      close={close}
    >
      {rows.length > SEARCH_FROM && (
        <div class="searchbox in-drawer">
          <Icon name="search" />
          <input
            class="in"
            type="search"
            placeholder="Name or id"
            aria-label={hasMore ? 'Search the persons shown' : 'Search these persons'}
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
        </div>
      )}
      {actors.error && (
        <Fault error={actors.error} {...(actors.reload && { retry: actors.reload })} />
      )}
      {!(actors.rows || actors.error) && <Skeleton rows={8} />}
      {actors.rows?.length === 0 && (
        <Empty title="Nobody is behind this point.">
          <p class="sec">Its number is 0, or its persons were erased since.</p>
        </Empty>
      )}
      <ul class="people">
        {shown.map(([actor, number], i) => (
          <ActorRow
            key={actor.id ?? `${actor.name}${i}`}
            actor={actor}
            number={number}
            counted={counted}
          />
        ))}
        {wanted !== '' && shown.length === 0 && (
          <li class="mut">{`No person shown matches “${typed.value.slice(0, 100)}”.`}</li>
        )}
      </ul>
      {hasMore && (
        <button type="button" class="more" disabled={actors.isLoading} onClick={actors.showMore}>
          Show more
          <Icon name="next" small />
        </button>
      )}
    </Drawer>
  )
}

type ActorRowProps = { actor: Actor; number: number; counted?: string | undefined }

const namesOf = (actor: Actor): { title: string; more: string | undefined } =>
  actor.type === 'person'
    ? titleOf(actor)
    : { title: actor.name, more: actor.type === 'erased' ? undefined : 'Anonymous' }

function ActorRow({ actor, number, counted }: ActorRowProps) {
  const { title, more } = namesOf(actor)
  const known = actor.type === 'person' ? knownName(actor) : undefined
  const inside = (
    <>
      <Avatar name={known} />
      <span class="cut">
        <b>
          <Name>{title}</Name>
        </b>
        {more && (
          <span>
            <Name>{more}</Name>
          </span>
        )}
      </span>
      {counted && (
        <span class="mut nowrap">
          {count(number)} {counted}
          {number === 1 ? '' : 's'}
        </span>
      )}
    </>
  )
  return (
    <li>
      {actor.id ? (
        <a class="who" data-row href={addressOf(['persons', actor.id])}>
          {inside}
        </a>
      ) : (
        <span class="who">{inside}</span>
      )}
    </li>
  )
}
