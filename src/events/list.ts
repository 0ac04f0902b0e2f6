import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import type { EventKey } from './key.ts'
import { Matcher } from './match.ts'
import { Merge } from './merge.ts'
import {
  type EventRow,
  findNamed,
  type Named,
  readEvents,
  readIdentityKeys,
  readNameKeys,
  type Wanted
} from './store.ts'

/** Events that a page looks at, at most: about 20,000 rows read. It then ends early, and the next page continues. */
export const MAX_EXAMINED = 2_000
/** Names or identities whose events are merged, at most: at least one event of each is looked up. */
export const MAX_SOURCES = 10_000
/** Events read in one statement. */
const READ_AT_ONCE = 250
/** Characters of the properties of a page's events, after which the page ends early. */
const MAX_CHARACTERS = 4_000_000

export type EventFilters = Wanted & {
  /** Times, ms UTC: at or after `from`, before `until`. */
  from: number | undefined
  until: number | undefined
  properties: FilterGroup
}

export type EventPage = {
  events: EventRow[]
  /** Where the next page continues; undefined at the end. */
  next: EventKey | undefined
  /** Whether the page ended before it was full, although there may be more. */
  isCut: boolean
}

type Project = { id: number; timezone: string }

/** Where events are looked for: under these names, or of these identities. */
type Scope = {
  kind: 'names' | 'identities'
  ids: number[]
  names: ReadonlySet<number>
  since: number
  before: EventKey
}

/** Before this key are all events, since uuids have 32 digits. */
const endOf = (until: number): EventKey => ({ at: until, name: 0, uuid: '' })

/** Reads a page of events, newest first, from a place on. @throws query_too_large, attr the filter */
export async function listEvents(
  db: Db,
  project: Project,
  filters: EventFilters,
  page: { size: number; after: EventKey | undefined; now: Date }
): Promise<EventPage> {
  const scope = scopeOf(
    filters,
    await findNamed(db, project.id, filters, MAX_SOURCES + 1),
    page.after
  )
  expectFewSources(scope)
  const read = scope.kind === 'names' ? readNameKeys : readIdentityKeys
  const isFiltered = scope.kind === 'identities' || leavesOf(filters.properties).length > 0
  const most = Math.max(page.size + 1, isFiltered ? READ_AT_ONCE : 0)
  const merge = new Merge(scope.ids, scope.before, most, (sources, limit) =>
    read(db, project.id, sources, { since: scope.since, limit })
  )
  const select = selectorOf(db, project, filters, page.now)
  const found: EventRow[] = []
  let examined = 0
  let characters = 0
  let last: EventKey | undefined
  while (found.length <= page.size) {
    if (examined >= MAX_EXAMINED || characters >= MAX_CHARACTERS) {
      return { events: found, next: last, isCut: true }
    }
    const missing = page.size + 1 - found.length
    const keys = await merge.next(isFiltered ? READ_AT_ONCE : Math.min(missing, READ_AT_ONCE))
    if (keys.length === 0) {
      return { events: found, next: undefined, isCut: false }
    }
    examined += keys.length
    last = keys.at(-1)
    const named = keys.filter(({ name }) => scope.names.has(name))
    const matching = await select(await readEvents(db, project.id, named))
    characters += matching.reduce((sum, { properties }) => sum + properties.length, 0)
    found.push(...matching)
  }
  const events = found.slice(0, page.size)
  const shown = events.at(-1)
  return { events, next: shown && keyOf(shown), isCut: false }
}

/** @throws query_too_large, attr the filter that would help */
function expectFewSources({ kind, ids }: Scope): void {
  if (ids.length > MAX_SOURCES) {
    const filter = kind === 'names' ? 'event' : 'distinct_id'
    throw new AppError(
      'query_too_large',
      `More than ${MAX_SOURCES} ${kind} would have to be looked through: filter by \`${filter}\`.`,
      filter
    )
  }
}

const keyOf = ({ timestamp, event_id, uuid }: EventRow): EventKey => ({
  at: timestamp,
  name: event_id,
  uuid
})

function scopeOf(
  { from, until, session: isInSession, person, distinctId }: EventFilters,
  { names, ofPerson, ofDistinctId, session }: Named,
  after: EventKey | undefined
): Scope {
  const since = Math.max(from ?? Number.MIN_SAFE_INTEGER, session?.from ?? Number.MIN_SAFE_INTEGER)
  const end = Math.min(until ?? Number.MAX_SAFE_INTEGER, session?.until ?? Number.MAX_SAFE_INTEGER)
  const limits = { names: new Set(names), since, before: after ?? endOf(end) }
  if (isInSession === undefined && person === undefined && distinctId === undefined) {
    return { ...limits, kind: 'names', ids: names }
  }
  const lists = [
    ...(isInSession === undefined ? [] : [session?.identities ?? []]),
    ...(ofPerson ? [ofPerson] : []),
    ...(ofDistinctId ? [ofDistinctId] : [])
  ]
  const [first = [], ...others] = lists
  const ids = first.filter((id) => others.every((list) => list.includes(id)))
  return { ...limits, kind: 'identities', ids }
}

/** Returns the function that selects events by their session and by the property filters. */
function selectorOf(
  db: Db,
  project: Project,
  { session, properties }: EventFilters,
  now: Date
): (rows: EventRow[]) => Promise<EventRow[]> {
  const matcher =
    leavesOf(properties).length > 0 ? new Matcher(db, project, properties, now) : undefined
  return async (rows) => {
    const inSession = rows.filter((row) => session === undefined || row.session_id === session)
    return matcher && inSession.length > 0 ? matcher.select(inSession) : inSession
  }
}
