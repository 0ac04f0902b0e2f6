import { z } from 'zod'
import { NotFoundError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { allow } from '../http/auth.ts'
import { csvResponse, FormatQuery, flatten, wantsCsv } from '../http/csv.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { decodeCursor, encodeCursor, PageQuery, pageOf, pageSchema, pageSize, Whole } from '../http/page.ts'
import { validatePath, validateQuery } from '../http/validation.ts'
import { readFilters } from '../properties/filter.ts'
import { PropertyParameters, readPropertyParameters } from '../properties/parameters.ts'
import { PersonJson } from './json.ts'
import {
  compilePropertyFilter,
  exportPersons,
  exportProperties,
  findPerson,
  isUnfiltered,
  listedPersonToJson,
  listPersons,
  type PersonFilters,
  type PersonRow,
  Position,
  personToJson
} from './store.ts'

/** An empty parameter filters nothing. */
const Filter = z
  .string()
  .max(1000)
  .transform((text) => text || undefined)
  .optional()

const ListQuery = z.object({
  ...PageQuery.shape,
  ...FormatQuery.shape,
  distinct_id: Filter.meta({ description: 'The person with exactly this distinct id.' }),
  email: Filter.meta({ description: 'Persons with exactly this property `email`, upper and lower case told apart.' }),
  search: Filter.meta({
    description: 'A part of the e-mail, name or username in any case, or exactly a distinct id or uuid.'
  })
})

const HINT = 'To find a person by a distinct id, list persons with the query parameter distinct_id.'
const NO_ID = `A person's id is an integer or a UUID. ${HINT}`

/** A person is found by its integer id or by its uuid. */
const PersonPath = z.object({
  id: z
    .union([Whole, z.guid({ abort: true })], NO_ID)
    .transform((id) => (typeof id === 'number' ? { id } : { uuid: id.toLowerCase() }))
    .meta({ description: "The person's integer id, or its uuid." })
})

const PersonPage = pageSchema('PersonPage', PersonJson)

/** Where the next page starts; the count of a filtered list goes along, with the hash of what it was counted for. */
const Cursor = Position.extend({ counted: z.object({ count: z.int().min(0), filters: z.string() }).optional() })

const LIST = describe({
  id: 'persons_list',
  tag: 'Persons',
  summary: 'List persons',
  description:
    'Newest first. All filters that are given have to match. CSV has a column for each property that any of the persons has.',
  query: PropertyParameters,
  answers: { 200: { text: 'A page of persons.', schema: PersonPage } },
  refusals: [['invalid_input', '"like" is not a supported operator of property filters.', 'properties']]
})

const RETRIEVE = describe({
  id: 'persons_retrieve',
  tag: 'Persons',
  summary: 'Retrieve a person',
  answers: { 200: { text: 'The person, with every distinct id.', schema: PersonJson } },
  refusals: [['invalid_input', NO_ID, 'id']]
})

export const personRoutes = createRouter()
  .get('/persons', LIST, allow('person:read'), validateQuery(ListQuery), async (c) => {
    const { limit, offset, cursor, format, distinct_id, email, search } = c.req.valid('query')
    const { db, project } = c.var
    const properties = readPropertyParameters(new URL(c.req.url).searchParams)
    const group = properties === undefined ? undefined : readFilters(properties, project.timezone, c.var.now)
    const compiled =
      group && group.values.length > 0 ? await compilePropertyFilter(db, project, group, c.var.now) : undefined
    const filters: PersonFilters = { distinct_id, email, search, properties: compiled }
    if (wantsCsv(c, format)) {
      const columns = await columnsOf(exportProperties(db, project.id, filters, { limit, offset }))
      return csvResponse(c, 'persons', columns, toJsonPages(exportPersons(db, project.id, filters, { limit, offset })))
    }

    const size = pageSize(limit)
    const after = cursor === undefined ? undefined : decodeCursor(Cursor, cursor)
    const filterHash = isUnfiltered(filters)
      ? undefined
      : await sha256(JSON.stringify({ project: project.id, distinct_id, email, search, group }))
    const { rows, count } = await listPersons(
      db,
      project.id,
      filters,
      { limit: size + 1, offset: after ? 0 : offset, after },
      after?.counted && after.counted.filters === filterHash ? after.counted.count : undefined
    )
    const results = rows.slice(0, size)
    const last = results.at(-1)
    const counted = filterHash && { count, filters: filterHash }
    const next = last && encodeCursor({ at: last.created_at, id: last.id, counted })
    const page = {
      results: results.map(listedPersonToJson),
      count,
      size,
      offset,
      hasMore: rows.length > size,
      cursor: next
    }
    return c.json(pageOf(c.req.url, page))
  })
  .get(
    '/persons/:id',
    RETRIEVE,
    allow('person:read'),
    validatePath(PersonPath),
    validateQuery(FormatQuery),
    async (c) => {
      const person = await findPerson(c.var.db, c.var.project.id, c.req.valid('param').id)
      if (!person) throw new NotFoundError()
      const json = personToJson(person)
      if (!wantsCsv(c, c.req.valid('query').format)) return c.json(json)
      return csvResponse(c, 'person', [...flatten(json).keys()].sort(), toJsonPages([[person]]))
    }
  )

async function columnsOf(pages: AsyncIterable<{ properties: string }[]>): Promise<string[]> {
  const columns = new Set(['created_at', 'distinct_ids', 'id', 'name', 'uuid'])
  for await (const rows of pages)
    for (const row of rows)
      for (const key of flatten({ properties: JSON.parse(row.properties) }).keys()) columns.add(key)
  return [...columns].sort()
}

async function* toJsonPages(pages: AsyncIterable<PersonRow[]> | PersonRow[][]) {
  for await (const rows of pages) yield rows.map(personToJson)
}
