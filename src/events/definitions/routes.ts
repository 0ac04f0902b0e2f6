import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { MAX_EVENT_NAMES } from '../../capture/changes.ts'
import type { Db } from '../../db/client.ts'
import { createRouter } from '../../http/env.ts'
import { PageQuery, pageOf, pageSize } from '../../http/page.ts'
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
      const { db, project } = c.var
      const { url } = c.req
      const { shown, place } = cut(await listNames(db, project.id), c.req.valid('query'))
      const ids = shown.map(({ id }) => id)
      const counts = new Map(
        (await countNames(db, project.id, ids)).map((counted) => [counted.id, counted])
      )
      const results = shown.map((name) => eventDefinitionToJson(name, counts.get(name.id)))
      return c.json(pageOf(url, { ...place, results }))
    }
  )
  .get(
    '/property_definitions',
    PROPERTY_DEFINITIONS,
    allow(...SCOPES),
    validateQuery(PropertyQuery),
    async (c) => {
      const { db, project } = c.var
      const { type, ...page } = c.req.valid('query')
      const found =
        type === 'person'
          ? await listPersonProperties(db, project.id)
          : await listPropertiesOfEvents(db, project.id)
      const { shown, place } = cut(unique(found), page)
      return c.json(pageOf(c.req.url, { ...place, results: shown.map(propertyDefinitionToJson) }))
    }
  )

async function listPropertiesOfEvents(db: Db, projectId: number): Promise<PropertyRow[]> {
  const names = await listNames(db, projectId)
  const newestFirst = names.map(({ id }) => id).sort((a, b) => b - a)
  return listEventProperties(db, projectId, newestFirst.slice(0, MAX_EVENT_NAMES))
}

/** Returns each property that a filter can name once, with a type if any row has one, sorted by UTF-16 code units. */
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

/** Cuts a page out of the definitions whose names contain all searched words; `place` has the other arguments of `pageOf`. */
function cut<Row extends { name: string }>(
  rows: readonly Row[],
  { search, limit, offset }: z.output<typeof DefinitionQuery>
) {
  const words = search.toLowerCase().split(/\s+/)
  const found = rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
  const size = pageSize(limit)
  return {
    shown: found.slice(offset, offset + size),
    place: { count: found.length, size, offset, hasMore: offset + size < found.length }
  }
}
