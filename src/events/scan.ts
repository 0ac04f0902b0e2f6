import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import { MAX_IDENTITIES } from '../sessions/store.ts'
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

/** Names or identities whose events are merged, at most: at least one event of each is looked up. */
export const MAX_SOURCES = 10_000

export type EventFilters = Wanted & {
  /** Times, ms UTC: at or after `from`, before `until`. */
  from: number | undefined
  until: number | undefined
  properties: FilterGroup
}

export type Project = { id: number; timezone: string }

/** Where events are looked for: under these names, or of these identities. */
type Scope = {
  kind: 'names' | 'identities'
  ids: number[]
  names: ReadonlySet<number>
  since: number
  before: EventKey
}

/** A piece of the events that were looked at: those that match, newest first, and the last one of all. */
export type Piece = { examined: number; matching: EventRow[]; last: EventKey }

type Beginning = {
  /** The event after which the scan begins; without it, at the newest. */
  after?: EventKey | undefined
  /** The most events that the first piece has. */
  first: number
  /** The time to which the dates of filters are relative. */
  now: Date
}

/** Looks through events, newest first, for those that match filters. */
export class EventScan {
  readonly #db: Db
  readonly #project: Project
  readonly #filters: EventFilters
  readonly #names: ReadonlySet<number>
  readonly #merge: Merge
  readonly #matcher: Matcher | undefined
  /** Whether events are looked at that may not match. */
  readonly isFiltered: boolean

  private constructor(
    db: Db,
    project: Project,
    { filters, scope, first, now }: Beginning & { filters: EventFilters; scope: Scope }
  ) {
    const read = scope.kind === 'names' ? readNameKeys : readIdentityKeys
    const { since } = scope
    const hasFilters = leavesOf(filters.properties).length > 0
    this.#db = db
    this.#project = project
    this.#filters = filters
    this.#names = scope.names
    this.#merge = new Merge(scope.ids, scope.before, first, (sources, limit) =>
      read(db, project.id, sources, { since, limit })
    )
    this.#matcher = hasFilters ? new Matcher(db, project, filters.properties, now) : undefined
    this.isFiltered = hasFilters || scope.kind === 'identities' || filters.session !== undefined
  }

  /** Begins a scan. @throws query_too_large, attr the filter that would help */
  static async begin(
    db: Db,
    project: Project,
    filters: EventFilters,
    beginning: Beginning
  ): Promise<EventScan> {
    const named = await findNamed(db, project.id, filters, MAX_SOURCES + 1)
    const scope = scopeOf(filters, named, beginning.after)
    expectFewSources(scope)
    return new EventScan(db, project, { ...beginning, filters, scope })
  }

  /** Looks at the next events, at most `count`; undefined at the end. @throws query_too_large, attr `properties` */
  async next(count: number): Promise<Piece | undefined> {
    const keys = await this.#merge.next(count)
    const last = keys.at(-1)
    if (!last) {
      return undefined
    }
    const named = keys.filter(({ name }) => this.#names.has(name))
    const rows = await readEvents(this.#db, this.#project.id, named)
    return { examined: keys.length, matching: await this.#select(rows), last }
  }

  async #select(rows: EventRow[]): Promise<EventRow[]> {
    const { session } = this.#filters
    const inSession = rows.filter((row) => session === undefined || row.session_id === session)
    return this.#matcher && inSession.length > 0 ? this.#matcher.select(inSession) : inSession
  }
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

/** Before this key are all events, since uuids have 32 digits. */
const endOf = (until: number): EventKey => ({ at: until, name: 0, uuid: '' })

function scopeOf(
  { from, until, session: asked }: EventFilters,
  { names, ofPerson, ofDistinctId, session: stored }: Named,
  after: EventKey | undefined
): Scope {
  // A session with so many identities may have more of them, and events at other times.
  const isWhole = stored !== undefined && stored.identities.length < MAX_IDENTITIES
  const session = isWhole ? stored : undefined
  const since = Math.max(from ?? Number.MIN_SAFE_INTEGER, session?.from ?? Number.MIN_SAFE_INTEGER)
  const end = Math.min(until ?? Number.MAX_SAFE_INTEGER, session?.until ?? Number.MAX_SAFE_INTEGER)
  const limits = { names: new Set(names), since, before: after ?? endOf(end) }
  const ofSession =
    asked === undefined || (stored && !isWhole) ? undefined : (session?.identities ?? [])
  const [first, ...others] = [ofSession, ofPerson, ofDistinctId].filter((ids) => ids !== undefined)
  if (!first) {
    return { ...limits, kind: 'names', ids: names }
  }
  const ids = first.filter((id) => others.every((list) => list.includes(id)))
  return { ...limits, kind: 'identities', ids }
}
