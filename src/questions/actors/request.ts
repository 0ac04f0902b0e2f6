import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { saysSomething } from '../../input/fields.ts'
import type { JsonObject } from '../../input/json.ts'
import { SearchText } from '../../input/parameters.ts'
import { parseInput } from '../../input/parse.ts'
import type { FilterGroup } from '../../properties/filter.ts'
import { inRequest, type Settings } from '../../trends/request.ts'
import { DEFAULT_ROWS, LISTED, listOf, MAX_COLUMNS, Name, readFields } from '../list-fields.ts'
import { inSource, rethrowing } from '../paths.ts'
import { type ActorColumn, readActorColumn } from './columns.ts'
import { type FindActors, readSource } from './sources.ts'

/** Rows of an answer: persons are read 1,000 at a time. */
const MAX_ROWS = 1_000

const ActorsNode = z.strictObject({
  ...LISTED,
  limit: z.int().min(1).max(MAX_ROWS).nullish(),
  select: listOf(Name, MAX_COLUMNS),
  orderBy: listOf(Name, 1),
  search: SearchText.nullish(),
  properties: z.unknown().optional(),
  fixedProperties: z.unknown().optional(),
  source: z.unknown().optional()
})

/** An `ActorsQuery`: whose rows are listed, which of them, and what is shown of them. */
export type ActorsQuery = {
  columns: ActorColumn[]
  limit: number
  offset: number
  /** Finds the actors of the source, or which persons of the project to list. */
  from: FindActors | { search: string | undefined; properties: FilterGroup }
}

const DEFAULT_COLUMNS = ['person', 'id', 'created_at']

/**
 * Reads an `ActorsQuery` node.
 * @throws errors of input, attr the path in the node, for a field or value that is not supported
 */
export function readActors(node: JsonObject, settings: Settings, now: Date): ActorsQuery {
  const read = parseInput(ActorsNode, node)
  const hasSource = (read.source ?? null) !== null
  const select = read.select?.length ? read.select : DEFAULT_COLUMNS
  const columns = select.map((item, i) => readActorColumn(item, `select__${i}`))
  const count = columns.findIndex(({ isCount }) => isCount)
  if (!hasSource && count >= 0) {
    throw new AppError(
      'invalid_input',
      'Only the actors of a `source` have an `event_count`.',
      `select__${count}`
    )
  }
  expectOrder(read.orderBy?.[0], hasSource ? 'event_count' : 'created_at')
  return {
    columns,
    limit: read.limit ?? DEFAULT_ROWS,
    offset: read.offset ?? 0,
    from: hasSource
      ? readSourceAlone(read, settings, now)
      : {
          search: read.search || undefined,
          properties: readFields(
            { properties: read.properties, fixedProperties: read.fixedProperties },
            { timezone: settings.timezone, now }
          )
        }
  }
}

type Read = z.output<typeof ActorsNode>

/** @throws invalid_input, attr `orderBy__0`, for another order than the list has */
function expectOrder(order: string | undefined, column: string): void {
  const isOwn = new RegExp(String.raw`^\s*${column}\s+desc\s*$`, 'i').test(
    order ?? `${column} DESC`
  )
  if (!isOwn) {
    throw new AppError(
      'invalid_input',
      `These actors are ordered by \`${column} DESC\`.`,
      'orderBy__0'
    )
  }
}

/** @throws invalid_input, attr the field, for filters beside a source, which filters its own */
function readSourceAlone(read: Read, settings: Settings, now: Date): FindActors {
  for (const name of ['search', 'properties', 'fixedProperties'] as const) {
    if (saysSomething(read[name])) {
      throw new AppError(
        'invalid_input',
        'The actors of a `source` cannot be filtered: filter in the source.',
        name
      )
    }
  }
  const find = inRequest({ pathOf: inSource }, () => readSource(read.source, settings, now))
  return (scope) => find(scope).catch(rethrowing(inSource))
}
