import type { Context } from 'hono'
import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { mapRead, type Read, runRead } from '../db/batch.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { allow, reading } from '../http/auth.ts'
import { answerOne, csvResponse, FormatQuery, flatten, isCsv, wantsCsv } from '../http/csv.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import {
  encodeCursor,
  expectNoCursor,
  PageQuery,
  pageOf,
  pageSchema,
  pageSize,
  readPosition
} from '../http/page.ts'
import { expectUnchanged } from '../http/unchanged.ts'
import { agree, validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { type FilterGroup, readFilters } from '../properties/filter.ts'
import { PropertyParameters, readPropertyParameters } from '../properties/parameters.ts'
import { TOO_MUCH_WORK } from '../properties/work.ts'
import { actorOf } from './activity/entry.ts'
import { changePerson, splitApart } from './apply.ts'
import { deleteProperty, type Request, setProperties, TOO_LARGE } from './change.ts'
import { NO_ID, PersonPath } from './path.ts'
import {
  DeletePropertyJson,
  PersonJson,
  PersonUpdateJson,
  SplitJson,
  SplitRequestJson,
  SuccessJson
} from './schemas.ts'
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
  personToJson,
  rowOf
} from './store.ts'

/** Schema of a filter; an empty parameter does not filter. */
const Filter = z
  .string()
  .max(1000)
  .refine((text) => !text.includes('\0'), 'Null characters are not allowed.')
  .transform((text) => text || undefined)
  .optional()

const ListQuery = z.object({
  ...PageQuery.shape,
  ...FormatQuery.shape,
  distinct_id: Filter.meta({ description: 'The person with exactly this distinct id.' }),
  email: Filter.meta({
    description: 'Persons whose property `email` is exactly this text, case-sensitive.'
  }),
  search: Filter.meta({
    description:
      'Part of the e-mail, name or username, case-insensitive; or a whole distinct id or uuid.'
  })
})

const PersonPage = pageSchema('PersonPage', PersonJson)

/**
 * The position of the next page. It carries the count of a filtered list, with the hash of the
 * filters that were counted.
 */
const Cursor = Position.extend({
  counted: z.object({ count: z.int().min(0), filters: z.string() }).optional()
})

const LIST = describe({
  id: 'persons_list',
  tag: 'Persons',
  summary: 'List persons',
  description:
    'Newest first. A person must match all given filters. CSV has a column for each property of any of the persons.',
  query: PropertyParameters,
  answers: { 200: { text: 'A page of persons.', schema: PersonPage } },
  refusals: [
    ['invalid_input', 'The operator "like" is not supported.', 'properties'],
    ['query_too_large', TOO_MUCH_WORK, 'properties']
  ]
})

const RETRIEVE = describe({
  id: 'persons_retrieve',
  tag: 'Persons',
  summary: 'Retrieve a person',
  answers: { 200: { text: 'The person, with every distinct id.', schema: PersonJson } },
  refusals: [['invalid_input', NO_ID, 'id']]
})

const UPDATE = describe({
  id: 'persons_update',
  tag: 'Persons',
  summary: 'Update a person',
  description:
    'Sets the given properties, which may be null, and keeps all others. The new values also win over earlier events that arrive later.',
  answers: { 200: { text: 'The updated person.', schema: PersonJson } },
  refusals: [
    ['required', 'This field is required.', 'properties'],
    ['invalid_input', TOO_LARGE, 'properties']
  ]
})

const DELETE_PROPERTY = describe({
  id: 'persons_delete_property',
  mayBeEmpty: true,
  tag: 'Persons',
  summary: 'Delete a property of a person',
  description:
    'Send the key as `$unset`, in the body or in the query; if it is in both, the two must be the same. A key that the person does not have changes nothing.',
  answers: { 200: { text: 'The person no longer has the property.', schema: SuccessJson } },
  refusals: [
    ['required', 'This field is required.', '$unset'],
    ['blank', 'This field may not be blank.', '$unset']
  ]
})

const SPLIT = describe({
  id: 'persons_split',
  mayBeEmpty: true,
  tag: 'Persons',
  summary: 'Split a person',
  description:
    'Each distinct id that leaves becomes a new person without properties and takes its past events along. The person keeps its properties and, by default, its first distinct id. A person with a single distinct id stays as it is.',
  answers: { 200: { text: 'The new persons.', schema: SplitJson } },
  refusals: [['invalid_input', '"eve" is not a distinct id of this person.', 'main_distinct_id']]
})

/** The field `$unset` as a query parameter. */
const UnsetQuery = DeletePropertyJson.pick({ $unset: true }).extend(FormatQuery.shape)

type ListQuery = z.output<typeof ListQuery>

/** A filter on properties, parsed and as SQL. `sql` is undefined if the filter has no conditions. */
type PropertyFilter = { group: FilterGroup; sql: PersonFilters['properties'] }

const filtersOf = (
  { distinct_id, email, search }: ListQuery,
  property: PropertyFilter | undefined
): PersonFilters => ({ distinct_id, email, search, properties: property?.sql })

/** Reads the filter on properties, in the project's time zone. */
async function readPropertyFilter({
  var: { db, project, now },
  req
}: Context<AppEnv>): Promise<PropertyFilter | undefined> {
  const properties = readPropertyParameters(new URL(req.url).searchParams)
  if (properties === undefined) {
    return undefined
  }
  const group = readFilters(properties, { timezone: project.timezone, now })
  const isEmpty = group.values.length === 0
  return { group, sql: isEmpty ? undefined : await compilePropertyFilter(db, project, group, now) }
}

/** Plans the requested page. */
async function planPage(
  { url, query, projectId }: { url: string; query: ListQuery; projectId: number },
  property?: PropertyFilter
): Promise<Read<z.input<typeof PersonPage>>> {
  const filters = filtersOf(query, property)
  const { after, offset } = readPosition(url, Cursor, query)
  const size = pageSize(query.limit)
  const { distinct_id, email, search } = query
  const filterHash = isUnfiltered(filters)
    ? undefined
    : await sha256(
        JSON.stringify({ project: projectId, distinct_id, email, search, group: property?.group })
      )
  const knownCount =
    after?.counted && after.counted.filters === filterHash ? after.counted.count : undefined
  const window = { limit: size + 1, offset: after ? 0 : offset, after }
  const read = listPersons(projectId, filters, window, knownCount)
  return mapRead(read, ({ rows, count }) => {
    const results = rows.slice(0, size)
    const last = results.at(-1)
    const counted = filterHash && { count, filters: filterHash }
    const cursor =
      last && encodeCursor({ at: last.created_at, id: last.id, counted }, offset + size)
    const hasMore = rows.length > size
    return pageOf(url, {
      results: results.map(listedPersonToJson),
      count,
      size,
      offset,
      hasMore,
      cursor
    })
  })
}

/**
 * Reads the list together with the key check, unless it is CSV, which is streamed, or has a filter
 * on properties.
 */
const listing = reading({
  scope: 'person:read',
  path: z.object({}),
  query: ListQuery,
  plan(request) {
    const properties = readPropertyParameters(new URL(request.url).searchParams)
    const isPlain = properties === undefined && !isCsv(request.accept, request.query.format)
    return isPlain ? planPage(request) : undefined
  }
})

const retrieval = reading({
  scope: 'person:read',
  path: PersonPath,
  query: FormatQuery,
  plan: ({ projectId, param }) => findPerson(projectId, param.id)
})

export const personRoutes = createRouter()
  .get('/persons', LIST, listing.allowReading, async (c) => {
    const found = listing.foundFor(c)
    if (found) {
      return c.json(found)
    }
    const { db, project } = c.var
    const { url } = c.req
    const query = c.req.valid('query')
    const property = await readPropertyFilter(c)
    if (!wantsCsv(c, query.format)) {
      const request = { url, query, projectId: project.id }
      return c.json(await runRead(db, await planPage(request, property)))
    }
    const { offset } = readPosition(url, Cursor, query)
    expectNoCursor(query.cursor)
    const filters = filtersOf(query, property)
    const window = { limit: query.limit, offset }
    const columns = await columnsOf(exportProperties(db, project.id, filters, window))
    const pages = exportPersons(db, project.id, filters, window)
    return csvResponse(c, 'persons', columns, toJsonPages(pages))
  })
  .get('/persons/:id', RETRIEVE, retrieval.allowReading, (c) => {
    const person = retrieval.foundFor(c)
    if (!person) {
      throw new NotFoundError()
    }
    return answerOne(c, 'person', personToJson(person), c.req.valid('query').format)
  })
  .patch(
    '/persons/:id',
    UPDATE,
    allow('person:write'),
    validatePath(PersonPath),
    validateQuery(FormatQuery),
    validateBody(PersonUpdateJson),
    async (c) => {
      const { properties } = c.req.valid('json')
      const changed = await changePerson(
        c.var.db,
        c.var.project.id,
        c.req.valid('param').id,
        (subject) => {
          const row = rowOf(subject)
          expectUnchanged(c.var.passedOver, [personToJson(row), listedPersonToJson(row)])
          return setProperties(subject, properties, requestOf(c))
        }
      )
      return answerOne(c, 'person', personToJson(rowOf(changed)), c.req.valid('query').format)
    }
  )
  .post(
    '/persons/:id/delete_property',
    DELETE_PROPERTY,
    allow('person:write'),
    validatePath(PersonPath),
    validateQuery(UnsetQuery),
    validateBody(DeletePropertyJson),
    async (c) => {
      const query = c.req.valid('query')
      const key = agree('$unset', query.$unset, c.req.valid('json').$unset)
      if (key === undefined) {
        throw new AppError('required', 'This field is required.', '$unset')
      }
      await changePerson(c.var.db, c.var.project.id, c.req.valid('param').id, (subject) =>
        deleteProperty(subject, key, requestOf(c))
      )
      return answerOne(c, 'success', { success: true }, query.format)
    }
  )

  .post(
    '/persons/:id/split',
    SPLIT,
    allow('person:write'),
    validatePath(PersonPath),
    validateQuery(FormatQuery),
    validateBody(SplitRequestJson),
    async (c) => {
      const { db, project } = c.var
      const parts = await splitApart(
        db,
        project.id,
        c.req.valid('param').id,
        c.req.valid('json'),
        requestOf(c)
      )
      const persons = parts.map((part) => personToJson(rowOf(part)))
      return answerOne(c, 'split', { success: true, persons }, c.req.valid('query').format)
    }
  )

/** Returns the author and the time of a change. */
const requestOf = ({ var: { user, key, now } }: Context<AppEnv>): Request => ({
  actor: actorOf(user, key),
  now: now.getTime(),
  id: uuidv7({ msecs: now.getTime() })
})

async function columnsOf(pages: AsyncIterable<{ properties: string }[]>): Promise<string[]> {
  const columns = new Set(['created_at', 'distinct_ids', 'id', 'name', 'uuid'])
  for await (const rows of pages) {
    for (const row of rows) {
      for (const key of flatten({ properties: JSON.parse(row.properties) }).keys()) {
        columns.add(key)
      }
    }
  }
  return [...columns].sort()
}

async function* toJsonPages(pages: AsyncIterable<PersonRow[]> | PersonRow[][]) {
  for await (const rows of pages) {
    yield rows.map(personToJson)
  }
}
