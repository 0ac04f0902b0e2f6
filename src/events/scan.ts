import type { Scope } from '../access/open.ts'
import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import { MAX_IDENTITIES } from '../sessions/store.ts'
import type { EventKey, EventOrder, EventPosition } from './key.ts'
import { EventMatcher } from './match.ts'
import { KeyMerger } from './merge.ts'
import {
  type EventRow,
  type EventsOfKeys,
  findFirstNames,
  findNamed,
  type ListStretch,
  type NamedIds,
  readEvents,
  readIdentityKeys,
  readNameKeys,
  type SourceFilters
} from './store.ts'

/** Names or identities whose events are merged; at least one event of each is looked up. */
export const MAX_SOURCES = 10_000

export type EventFilters = SourceFilters & {
  /** Times, ms UTC: at or after `from`, before `until`. */
  from: number | undefined
  until: number | undefined
  properties: FilterGroup
}

export type ZonedProject = { id: number; timezone: string; weekStart: number }

/** The events to search. */
type Searched = ListStretch & {
  /** Whether `ids` are of event names or of identities. */
  kind: 'names' | 'identities'
  ids: number[]
  /** The ids of the names that an event may have; undefined if it may have any. */
  names: ReadonlySet<number> | undefined
}

type Narrowed = Searched & { most: number }

/** The examined events: how many, the matching ones, in order, and the last one's place. */
export type ScanPiece<Row = EventRow> = { examined: number; matching: Row[]; last: EventPosition }

/** Reads events by their keys: see `readEvents`. */
type ReadRows<Row> = (scope: Scope, keys: readonly EventKey[]) => Promise<EventsOfKeys<Row>>

type Beginning = {
  /** Newest first by default. */
  order?: EventOrder
  /** The event after which the scan begins; undefined for the first. */
  after?: EventPosition | undefined
  /** Maximum number of events in the first piece. */
  first: number
  /** How many events the caller examines at most; without it, all. */
  most?: number
  /** The time to which the dates of filters are relative. */
  now: Date
}

/** Searches events, in order of time, for those that match filters. */
export class EventScan {
  readonly #db: Db
  readonly #project: ZonedProject
  readonly #filters: EventFilters
  readonly #names: ReadonlySet<number> | undefined
  readonly #merge: KeyMerger
  readonly #matcher: EventMatcher | undefined
  /** Whether the scan examines events that may not match. */
  readonly isFiltered: boolean
  /** The number of events that the scan can examine in order; no limit unless it was narrowed. */
  readonly most: number

  private constructor(
    db: Db,
    project: ZonedProject,
    {
      filters,
      searched,
      matcher,
      first
    }: Beginning & {
      filters: EventFilters
      searched: Narrowed
      matcher: EventMatcher | undefined
    }
  ) {
    const read = searched.kind === 'names' ? readNameKeys : readIdentityKeys
    const { ids, order, after, end } = searched
    this.#db = db
    this.#project = project
    this.#filters = filters
    this.#names = searched.names
    this.most = searched.most
    this.#merge = new KeyMerger(ids, { order, after, count: first }, (sources, limit) =>
      read({ db, project }, sources, { order, end, limit })
    )
    this.#matcher = matcher
    this.isFiltered =
      matcher !== undefined || searched.kind === 'identities' || filters.session !== undefined
  }

  /** Begins a scan. @throws query_too_large, attr the filter that would help */
  static async begin(
    db: Db,
    project: ZonedProject,
    filters: EventFilters,
    beginning: Beginning
  ): Promise<EventScan> {
    const named = await findNamed({ db, project }, filters, MAX_SOURCES + 1)
    const whole = scopeOf(filters, named, beginning)
    const searched = await narrow({ db, project }, whole, beginning.most)
    expectFewSources(searched)
    const matcher =
      leavesOf(filters.properties).length > 0
        ? await EventMatcher.begin(db, project, filters.properties, beginning.now)
        : undefined
    return new EventScan(db, project, { ...beginning, filters, searched, matcher })
  }

  /** Passes over at most `count` further events. @returns how many there were */
  async skip(count: number): Promise<number> {
    return (await this.#merge.next(count)).length
  }

  /**
   * Examines at most `count` further events, if any; fewer than there are if they are large.
   * @param read `readEvents`, or another function that reads more of them
   * @throws query_too_large, attr `properties`
   */
  async next<Row extends EventRow = EventRow>(
    count: number,
    read = readEvents as ReadRows<Row>
  ): Promise<ScanPiece<Row> | undefined> {
    const keys = await this.#merge.next(count)
    const named = keys.filter(({ name }) => this.#names?.has(name) ?? true)
    const found = await read({ db: this.#db, project: this.#project }, named)
    const [unread] = named.slice(found.read)
    if (unread) {
      this.#merge.putBack(keys.splice(keys.indexOf(unread)))
    }
    const last = keys.at(-1)
    return last && { examined: keys.length, matching: await this.#select(found.rows), last }
  }

  async #select<Row extends EventRow>(rows: Row[]): Promise<Row[]> {
    const { session } = this.#filters
    const inSession = rows.filter((row) => session === undefined || row.session_id === session)
    return this.#matcher && inSession.length > 0 ? this.#matcher.select(inSession) : inSession
  }
}

/**
 * Narrows a search of too many names to those whose events come first. The caller examines at most
 * `most` events, and each of `most` names has an event that comes before all events of the other
 * names.
 */
async function narrow(
  scope: Scope,
  searched: Searched,
  most: number | undefined
): Promise<Narrowed> {
  if (most === undefined || searched.kind !== 'names' || searched.ids.length <= MAX_SOURCES) {
    return { ...searched, most: Number.POSITIVE_INFINITY }
  }
  return { ...searched, ids: await findFirstNames(scope, searched, most), most }
}

/** @throws query_too_large, attr the filter that would help */
function expectFewSources({ kind, ids }: Searched): void {
  if (ids.length > MAX_SOURCES) {
    const [filter, searched] =
      kind === 'names' ? ['event', 'names'] : ['distinct_id', 'distinct ids']
    throw new AppError(
      'query_too_large',
      `More than ${MAX_SOURCES} ${searched} would have to be searched: filter by \`${filter}\`.`,
      filter
    )
  }
}

/** Returns the place before every event at `time`, and after every earlier event. */
const startOf = (time: number): EventPosition => ({ at: time, uuid: '' })

function scopeOf(
  filters: EventFilters,
  { names, ofPerson, ofDistinctId, session: stored }: NamedIds,
  { order = 'desc', after }: Beginning
): Searched {
  const session = filters.session === undefined ? ANY_SESSION : limitsOf(stored)
  const since = Math.max(filters.from ?? Number.MIN_SAFE_INTEGER, session.from)
  const until = Math.min(filters.until ?? Number.MAX_SAFE_INTEGER, session.until)
  const limits = {
    // Without a filter by name, `names` is not a limit: the list of all names may be cut.
    names: filters.events && new Set(names),
    order,
    after: after ?? startOf(order === 'desc' ? until : since),
    end: order === 'desc' ? since : until
  }
  const [first, ...others] = [session.identities, ofPerson, ofDistinctId].filter(
    (ids) => ids !== undefined
  )
  if (!first) {
    return { ...limits, kind: 'names', ids: names }
  }
  const ids = first.filter((id) => others.every((list) => list.includes(id)))
  return { ...limits, kind: 'identities', ids }
}

/** The identities, undefined if not all are known, and times that a session's events can have. */
type SessionLimits = { identities: number[] | undefined; from: number; until: number }

const ANY_SESSION: SessionLimits = {
  identities: undefined,
  from: Number.MIN_SAFE_INTEGER,
  until: Number.MAX_SAFE_INTEGER
}

function limitsOf(stored: NamedIds['session']): SessionLimits {
  if (!stored) {
    // A session that is not stored has no events.
    return { ...ANY_SESSION, identities: [] }
  }
  // With MAX_IDENTITIES identities, the row may lack others, and the times of their events.
  return stored.identities.length < MAX_IDENTITIES ? stored : ANY_SESSION
}
