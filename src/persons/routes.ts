import type { Context } from 'hono'
import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import { allow, reading } from '../access/auth.ts'
import { MAX_NAMED } from '../access-log/entry.ts'
import { noteList, noteRead } from '../access-log/note.ts'
import { mapRead, type Read } from '../db/batch.ts'
import { AppError, NotFoundError } from '../errors.ts'
import {
  affordPages,
  answerOne,
  csvResponse,
  FormatQuery,
  flatten,
  isCsv,
  wantsCsv
} from '../http/csv.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import {
  CsvPageQuery,
  cursorSchema,
  cutPage,
  expectNoCursor,
  nameFilters,
  pageOf,
  readPage
} from '../http/page.ts'
import { expectUnchanged } from '../http/read-only-fields.ts'
import { agree, validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { IdentifyingText, KnownId, SearchText, wholeFrom } from '../input/parameters.ts'
import { parametersOf } from '../input/url.ts'
import { announcer } from '../ledger/ledger.ts'
import { unlockLedger } from '../ledger/secret.ts'
import { noCohort } from '../membership/inline.ts'
import { compilePersonFilter } from '../membership/person-filter.ts'
import { findCohort } from '../membership/store.ts'
import { type FilterGroup, inCohort, PERSON_FILTER_TYPES } from '../properties/filter.ts'
import { readPropertyParameters } from '../properties/parameters.ts'
import { readFilters } from '../properties/read-filters.ts'
import { actorOf } from './activity/entry.ts'
import { changePerson, splitApart } from './apply.ts'
import { type Request, setProperties } from './change.ts'
import { removeProperty } from './deletion.ts'
import { clean } from './distinct-id.ts'
import { isUnfiltered, type PersonFilters, type TextFilter } from './filters.store.ts'
import {
  exportPersons,
  exportProperties,
  listPersons,
  PersonPosition,
  readPersons
} from './list.store.ts'
import { PersonPath } from './path.ts'
import {
  DELETE_PROPERTY,
  LIST,
  LIST_MEMBERS,
  type PersonPage,
  RETRIEVE,
  SPLIT,
  UPDATE
} from './reference.ts'
import { DeletePropertyJson, PersonUpdateJson, SplitRequestJson } from './schemas.ts'
import { findPerson, listedPersonToJson, type PersonRow, personToJson, rowOf } from './store.ts'

const TextFilters = z.object({
  distinct_id: IdentifyingText.transform(clean)
    .optional()
    .meta({ description: 'The person with exactly this distinct id.' }),
  email: IdentifyingText.optional().meta({
    description: 'Persons whose property `email` is exactly this text, case-sensitive.'
  }),
  search: SearchText.transform((text) => text || undefined)
    .optional()
    .meta({
      description:
        'A part of the e-mail address, name or username, case-insensitive, within the first 128 characters of each; or a whole distinct id or uuid.'
    })
} satisfies Record<TextFilter, z.ZodType>)

const ListQuery = z.object({
  ...CsvPageQuery.shape,
  ...FormatQuery.shape,
  ...TextFilters.shape,
  cohort: wholeFrom(1).optional().meta({ description: 'Only the persons in this cohort now.' })
})

const Cursor = cursorSchema(PersonPosition.shape)

const UnsetQuery = DeletePropertyJson.pick({ $unset: true }).extend(FormatQuery.shape)

type ListQuery = z.output<typeof ListQuery>

const CohortPath = z.object({ id: KnownId })

/**
 * A filter on properties and cohorts, parsed and as SQL, which is undefined without conditions.
 * `members` is a static cohort to which all matches belong.
 */
type PropertyFilter = {
  group: FilterGroup
  members: number | undefined
  sql: PersonFilters['properties']
}

/** Returns the filters of a list. The type has every filter, so that none is forgotten. */
const filtersOf = (
  { distinct_id, email, search }: ListQuery,
  property: PropertyFilter | undefined
): Record<keyof PersonFilters, unknown> & PersonFilters => ({
  distinct_id,
  email,
  search,
  members: property?.members,
  properties: property?.sql
})

/** Reads the filters of a list on properties and cohorts. @throws invalid_input, attr `cohort` */
async function readPropertyFilter(
  { var: { db, project, now }, req }: Context<AppEnv>,
  cohort: number | undefined
): Promise<PropertyFilter | undefined> {
  const properties = readPropertyParameters(parametersOf(req.url))
  if (properties === undefined && cohort === undefined) {
    return undefined
  }
  const asked = readFilters(properties ?? [], {
    timezone: project.timezone,
    now,
    types: PERSON_FILTER_TYPES,
    needsValues: true
  })
  const found = cohort === undefined ? undefined : await findCohort({ db, project }, cohort)
  if (cohort !== undefined && !found) {
    throw noCohort(cohort, 'cohort')
  }
  const group: FilterGroup =
    cohort === undefined || found?.isStatic
      ? asked
      : { type: 'AND', values: [asked, inCohort(cohort)] }
  const isEmpty = group.values.length === 0
  return {
    group,
    members: found?.isStatic ? cohort : undefined,
    sql: isEmpty ? undefined : await compilePersonFilter(db, project, group, now)
  }
}

type PageRequest = { url: string; query: ListQuery; projectId: number }

/** Returns the filters, the page, and a function that answers with what was found. */
function readRequest({ url, query, projectId }: PageRequest, property?: PropertyFilter) {
  const filters = filtersOf(query, property)
  const nameOf = isUnfiltered(filters)
    ? undefined
    : () => nameFilters(projectId, { ...filters, properties: property?.group })
  const page = readPage(url, Cursor, query, nameOf)
  const answer = (found: { rows: PersonRow[]; count: number }): z.input<typeof PersonPage> => {
    const { shown, place } = cutPage(page, found, ({ id, created_at }) => ({ at: created_at, id }))
    return pageOf(url, { ...place, results: shown.map(listedPersonToJson) })
  }
  return { filters, page, answer }
}

function planPage(request: PageRequest): Read<z.input<typeof PersonPage>> {
  const { filters, page, answer } = readRequest(request)
  return mapRead(listPersons(request.projectId, filters, page.rows, page.knownCount), answer)
}

/**
 * Reads the list together with the key check. Plans nothing for CSV, which is streamed, and for a
 * filter on properties, which needs the project's database.
 */
const listing = reading({
  scopes: ['person:read'],
  path: z.object({}),
  query: ListQuery,
  plan(request) {
    const properties = readPropertyParameters(parametersOf(request.url))
    const isFiltered = properties !== undefined || request.query.cohort !== undefined
    const isPlain = !isFiltered && !isCsv(request.accept, request.query.format)
    return isPlain ? planPage(request) : undefined
  }
})

const retrieval = reading({
  scopes: ['person:read'],
  path: PersonPath,
  query: FormatQuery,
  plan: ({ projectId, param }) => findPerson(projectId, param.id)
})

export const personRoutes = createRouter()
  .get('/persons', LIST, listing.allowReading, async (c) => {
    const query = c.req.valid('query')
    const isTable = wantsCsv(c, query.format)
    const found = listing.foundFor(c)
    return found ? answerPage(c, found) : answerPersons(c, query, isTable)
  })
  .get(
    '/cohorts/:id/persons',
    LIST_MEMBERS,
    allow('person:read'),
    validatePath(CohortPath),
    validateQuery(ListQuery.omit({ cohort: true })),
    async (c) => {
      const { id } = c.req.valid('param')
      if (!(await findCohort(c.var, id))) {
        throw new NotFoundError()
      }
      const query = c.req.valid('query')
      return answerPersons(c, { ...query, cohort: id }, wantsCsv(c, query.format))
    }
  )
  .get('/persons/:id', RETRIEVE, retrieval.allowReading, async (c) => {
    const person = retrieval.foundFor(c)
    if (!person) {
      throw new NotFoundError()
    }
    await noteRead(c, { object: 'person', id: person.uuid, persons: [person.uuid] })
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
      const changed = await changePerson(c.var, c.req.valid('param').id, (subject) => {
        const row = rowOf(subject)
        expectUnchanged(c.var.ignoredFields, [personToJson(row), listedPersonToJson(row)])
        return setProperties(subject, properties, requestOf(c))
      })
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
      const { db, now } = c.var
      const { ledger, secret } = await unlockLedger(c.env, db)
      await removeProperty(c.var, {
        id: c.req.valid('param').id,
        key,
        by: requestOf(c),
        announce: announcer(ledger, now.getTime()),
        secret: secret.value
      })
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
      const parts = await splitApart(c.var, c.req.valid('param').id, {
        request: c.req.valid('json'),
        by: requestOf(c)
      })
      const persons = parts.map((part) => personToJson(rowOf(part)))
      return answerOne(c, 'split', { success: true, persons }, c.req.valid('query').format)
    }
  )

async function answerPage(c: Context<AppEnv>, page: z.input<typeof PersonPage>) {
  const { results } = page
  await noteList(
    c,
    results.map(({ uuid }) => uuid),
    results.length
  )
  return c.json(page)
}

/** Answers with a page of persons, or with all of them as CSV. */
async function answerPersons(c: Context<AppEnv>, query: ListQuery, isTable: boolean) {
  const { db, project } = c.var
  const property = await readPropertyFilter(c, query.cohort)
  if (!isTable) {
    const request = { url: c.req.url, query, projectId: project.id }
    const { filters, page, answer } = readRequest(request, property)
    const found = await readPersons({ db, project }, filters, page.rows, page.knownCount)
    return answerPage(c, answer(found))
  }
  expectNoCursor(query.cursor)
  const filters = filtersOf(query, property)
  const window = { limit: query.limit, offset: query.offset }
  const first = exportProperties({ db, project }, filters, window)
  // The second time, each page is read with its distinct ids, by another query.
  const { columns, count, uuids } = await survey(affordPages(first, c.var.usage, 2))
  await noteList(c, uuids, count)
  const pages = exportPersons({ db, project }, filters, window)
  return csvResponse(c, 'persons', columns, toJsonPages(pages))
}

const requestOf = ({ var: { user, key, now } }: Context<AppEnv>): Request => ({
  actor: actorOf(user, key),
  now: now.getTime(),
  id: uuidv7({ msecs: now.getTime() })
})

/** Reads what has to be known before the first line: the columns, and who will be in the file. */
async function survey(pages: AsyncIterable<Pick<PersonRow, 'uuid' | 'properties'>[]>) {
  const columns = new Set(['created_at', 'distinct_ids', 'id', 'name', 'uuid'])
  const uuids: string[] = []
  let count = 0
  for await (const rows of pages) {
    count += rows.length
    uuids.push(...rows.slice(0, MAX_NAMED - uuids.length).map(({ uuid }) => uuid))
    for (const row of rows) {
      for (const key of flatten({ properties: JSON.parse(row.properties) }).keys()) {
        columns.add(key)
      }
    }
  }
  return { columns: [...columns].sort(), count, uuids }
}

async function* toJsonPages(pages: AsyncIterable<PersonRow[]> | PersonRow[][]) {
  for await (const rows of pages) {
    yield rows.map(personToJson)
  }
}
