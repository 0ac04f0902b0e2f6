import type { ProjectDb, Usage } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { MAX_EXAMINED, MAX_PAGE, readEventPage } from '../../events/list.ts'
import type { EventRow } from '../../events/store.ts'
import type { Json } from '../../input/json.ts'
import { readKnownActors } from '../../persons/actors.store.ts'
import { listedPersonToJson } from '../../persons/store.ts'
import { checkList, computeList } from '../../sql/list.ts'
import { expectWhole, type ListScope, limitRows } from '../../sql/row-limit.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import type { ListAnswer } from '../list-answer.ts'
import type { EventRowsQuery, EventsQuery } from './request.ts'

/** Characters of the rows of an answer: all of them are in memory at once. */
const MAX_CHARACTERS = 20_000_000

type Scope = {
  db: ProjectDb
  project: ProjectCalendar
  usage: Usage
} & ListScope

/** Lists events, or computes the list that expressions mean. @throws the errors of both */
export const computeEvents = (scope: Scope, query: EventsQuery, now: Date): Promise<ListAnswer> =>
  'list' in query ? computeList(scope, query.list, now) : listEvents(scope, query, now)

/** @throws invalid_input for an expression that is wrong */
export async function checkEvents(scope: Scope, query: EventsQuery, now: Date): Promise<void> {
  if ('list' in query) {
    await checkList(scope, query.list, now)
  }
}

/**
 * Lists events.
 * @throws query_too_large, attr the field that would help, if the rows are too long, or if too many
 * events would have to be examined to find them all
 */
async function listEvents(scope: Scope, query: EventRowsQuery, now: Date): Promise<ListAnswer> {
  const { db, project, usage } = scope
  const { columns, filters, order, offset } = query
  const limits = limitRows(query.limit, MAX_PAGE, scope)
  const { limit } = limits
  const showsPersons = columns.some(({ isPersonal }) => isPersonal)
  const pieces = readEventPage(db, project, filters, {
    size: limit,
    offset,
    order,
    after: undefined,
    now,
    usage
  })
  const results: Json[][] = []
  let characters = 0
  let piece = await pieces.next()
  while (!piece.done) {
    const rows = piece.value
    const persons = showsPersons ? await readPersonsOf(scope, rows) : undefined
    for (const row of rows) {
      characters += row.properties.length
      const person = persons?.get(row.person_id ?? 0)
      const shown = {
        row,
        properties: JSON.parse(row.properties),
        person: person && listedPersonToJson(person),
        projectId: project.id
      }
      const cells = columns.map(({ cellOf }) => cellOf(shown))
      results.push(cells)
    }
    if (characters > MAX_CHARACTERS) {
      throw new AppError(
        'query_too_large',
        `The rows would have more than ${MAX_CHARACTERS} characters: ask for fewer with \`limit\`.`,
        'limit'
      )
    }
    piece = await pieces.next()
  }
  const { next, isCut } = piece.value
  if (isCut) {
    throw new AppError(
      'query_too_large',
      `More than ${MAX_EXAMINED} events would have to be examined to fill the page: ask for a shorter range with \`after\` and \`before\`, or list them page by page with \`GET events/\`.`,
      'after'
    )
  }
  expectWhole(limits, next !== undefined)
  return {
    results,
    columns: columns.map(({ name }) => name),
    types: columns.map(({ type }) => type),
    hasMore: next !== undefined,
    limit,
    offset
  }
}

/** Reads the persons to whom events belong now, by their ids. */
async function readPersonsOf(scope: Scope, rows: readonly EventRow[]) {
  const ids = new Set(rows.flatMap(({ person_id }) => person_id ?? []))
  const known = await readKnownActors(scope, { ids: [...ids], keys: [], hasAllIds: false })
  return known.persons
}
