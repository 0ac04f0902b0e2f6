import type { ProjectDb } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { compilePersonFilter } from '../../membership/person-filter.ts'
import { readMatching } from '../../membership/store.ts'
import { readKnownActors } from '../../persons/actors.store.ts'
import { readPersonRows } from '../../persons/list.store.ts'
import { listedPersonToJson } from '../../persons/store.ts'
import { type FilterGroup, leavesOf } from '../../properties/filter.ts'
import { expectWhole, type ListScope, limitRows } from '../../sql/row-limit.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import type { ListAnswer } from '../list-answer.ts'
import { MAX_ACTORS } from '../list-fields.ts'
import { showActor } from './actor.ts'
import type { ListedActor } from './columns.ts'
import type { ActorsQuery } from './request.ts'
import type { FoundActor } from './sources.ts'

type Scope = { db: ProjectDb; project: ProjectCalendar } & ListScope

type ActorsAnswer = ListAnswer & {
  /** The number of actors of all pages; null for a list of persons, which is not counted. */
  count: number | null
  /** The number of actors of the page whose data was erased. */
  missing_actors_count: number
}

/** The actors of a page, and whether there are more. */
type ActorPage = { actors: ListedActor[]; hasMore: boolean; count: number | null }

/** Lists persons, or the actors of a source. @throws the errors of the source */
export async function computeActors(
  scope: Scope,
  query: ActorsQuery,
  now: Date
): Promise<ActorsAnswer> {
  const { columns, from, offset } = query
  const limits = limitRows(query.limit, MAX_ACTORS, scope)
  const { limit } = limits
  const { actors, hasMore, count } =
    'find' in from
      ? await pageOfFound(scope, await from.find(scope), { limit, offset })
      : await pageOfPersons(scope, { ...from, limit, offset }, now)
  expectWhole(limits, hasMore)
  return {
    results: actors.map((actor) => columns.map(({ cellOf }) => cellOf(actor))),
    columns: columns.map(({ name }) => name),
    types: columns.map(({ type }) => type),
    hasMore,
    limit,
    offset,
    count,
    missing_actors_count: actors.filter(({ type }) => type === 'erased').length
  }
}

/**
 * Yields the ids of all persons that a query finds, whatever its page, in several lists. Leaves out
 * actors without a person; some ids may be of erased persons. @throws the errors of the source
 */
export async function* findPersonIds(
  scope: Scope,
  { from }: ActorsQuery,
  now: Date
): AsyncGenerator<number[]> {
  if ('find' in from) {
    const found = await from.find(scope)
    yield found.flatMap(({ actor }) => (actor > 0 ? [actor] : []))
    return
  }
  if (from.search !== undefined) {
    throw new AppError(
      'invalid_input',
      'A cohort cannot be made by a search: filter by `properties`.',
      'search'
    )
  }
  const { db, project } = scope
  yield* readMatching(scope, await compilePersonFilter(db, project, from.properties, now))
}

async function pageOfFound(
  scope: Scope,
  found: readonly FoundActor[],
  { limit, offset }: { limit: number; offset: number }
): Promise<ActorPage> {
  const shown = found.slice(offset, offset + limit)
  const known = await readKnownActors(scope, {
    ids: shown.flatMap(({ actor }) => (actor > 0 ? [actor] : [])),
    keys: shown.flatMap(({ actor }) => (actor < 0 ? [-actor] : [])),
    hasAllIds: false
  })
  return {
    actors: shown.map((actor) => ({
      ...showActor(actor, known, listedPersonToJson),
      appearances: actor.appearances?.()
    })),
    hasMore: found.length > offset + limit,
    count: found.length
  }
}

type Listing = {
  search: string | undefined
  properties: FilterGroup
  limit: number
  offset: number
}

async function pageOfPersons(
  scope: Scope,
  { search, properties, limit, offset }: Listing,
  now: Date
): Promise<ActorPage> {
  const { db, project } = scope
  const filters = {
    search,
    properties:
      leavesOf(properties).length > 0
        ? await compilePersonFilter(db, project, properties, now)
        : undefined
  }
  const rows = await readPersonRows(scope, filters, { limit: limit + 1, offset })
  return {
    actors: rows
      .slice(0, limit)
      .map((row) => ({ type: 'person', ...listedPersonToJson(row), count: 0 })),
    hasMore: rows.length > limit,
    count: null
  }
}
