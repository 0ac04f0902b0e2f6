import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import type { Scope } from '../../access/open.ts'
import { MAX_EVENT_NAMES } from '../../capture/changes.ts'
import { createRouter } from '../../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage, rowsOf } from '../../http/page.ts'
import { validateQuery } from '../../http/validation.ts'
import { isNameable } from '../../properties/filter.ts'
import { EVENT_DEFINITIONS, PROPERTY_DEFINITIONS } from './reference.ts'
import { eventDefinitionToJson, propertyDefinitionToJson } from './schemas.ts'
import {
  countNames,
  listEventProperties,
  listNames,
  listPersonProperties,
  type PropertyRow
} from './store.ts'

const DefinitionQuery = z.object({
  ...PageQuery.omit({ cursor: true, limit: true }).shape,
  limit: PageQuery.shape.limit.meta({
    description: 'Names per page: 100 by default, at most 1000.'
  }),
  search: z.string().max(200).default('').meta({
    description: 'Words that the name must contain, in upper or lower case.'
  })
})

const PropertyQuery = z.object({
  ...DefinitionQuery.shape,
  type: z.enum(['event', 'person']).default('event').meta({
    description: 'Whether to list the properties of events or of persons.'
  })
})

const SCOPES = ['query:read', 'insight:read'] as const

export const definitionRoutes = createRouter()
  .get(
    '/event_definitions',
    EVENT_DEFINITIONS,
    allow(...SCOPES),
    validateQuery(DefinitionQuery),
    async (c) => {
      const query = c.req.valid('query')
      const page = readPage(c.req.url, NO_CURSOR, query)
      const found = rowsOf(page, matching(await listNames(c.var), query.search))
      const ids = found.rows.map(({ id }) => id)
      const counts = new Map((await countNames(c.var, ids)).map((counted) => [counted.id, counted]))
      return answerList(c, page, found, {
        toJson: (name) => eventDefinitionToJson(name, counts.get(name.id))
      })
    }
  )
  .get(
    '/property_definitions',
    PROPERTY_DEFINITIONS,
    allow(...SCOPES),
    validateQuery(PropertyQuery),
    async (c) => {
      const { type, search, ...asked } = c.req.valid('query')
      const page = readPage(c.req.url, NO_CURSOR, asked)
      const all =
        type === 'person' ? await listPersonProperties(c.var) : await listPropertiesOfEvents(c.var)
      const found = rowsOf(page, matching(unique(all), search))
      return answerList(c, page, found, { toJson: propertyDefinitionToJson })
    }
  )

async function listPropertiesOfEvents(scope: Scope): Promise<PropertyRow[]> {
  const names = await listNames(scope)
  const newestFirst = names.map(({ id }) => id).sort((a, b) => b - a)
  return listEventProperties(scope, newestFirst.slice(0, MAX_EVENT_NAMES))
}

/**
 * Returns each property that a filter can name once, with a type if any row has one, sorted by
 * UTF-16 code units.
 */
function unique(rows: readonly PropertyRow[]): PropertyRow[] {
  const kinds = new Map<string, string | null>()
  for (const { name, kind } of rows) {
    kinds.set(name, kinds.get(name) ?? kind)
  }
  return [...kinds]
    .filter(([name]) => isNameable(name))
    .map(([name, kind]) => ({ name, kind }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function matching<Row extends { name: string }>(rows: readonly Row[], search: string): Row[] {
  const words = search.toLowerCase().split(/\s+/)
  return rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
}
