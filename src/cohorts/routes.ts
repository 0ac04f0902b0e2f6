import type { Context, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { expectScope } from '../access/credentials.ts'
import type { Scope } from '../access/open.ts'
import { userToJson } from '../access/user.ts'
import { AppError, NotFoundError, renaming, withAttr } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage } from '../http/page.ts'
import { expectUnchanged } from '../http/read-only-fields.ts'
import { expectNoBody, validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { readDecoded } from '../input/encoding.ts'
import type { Json, JsonObject } from '../input/json.ts'
import { Flag, KnownId, SearchText, wholeFrom } from '../input/parameters.ts'
import { show } from '../input/show.ts'
import { readActors } from '../questions/actors/request.ts'
import { NUMBERS, PERSONS } from '../questions/kinds.ts'
import { loadAnswers } from '../questions/load-answers.ts'
import { countCohort } from './count.ts'
import { readPersonsCsv } from './csv.ts'
import {
  ADD_MEMBERS,
  CREATE,
  DESTROY,
  LIST,
  NOT_STATIC,
  REMOVE_MEMBER,
  RETRIEVE,
  UPDATE
} from './reference.ts'
import {
  CohortChange,
  CohortInput,
  type CohortJson,
  MemberInput,
  MembersInput,
  type UploadJson
} from './schemas.ts'
import {
  addMembers,
  type CohortRow,
  cohortToJson,
  deleteCohort,
  findCohortRow,
  insertCohort,
  listCohorts,
  removeMember,
  updateCohort
} from './store.ts'
import { changeCohort, checkFilters, newCohort } from './terms.ts'

const CohortPath = z.object({ id: KnownId })

const ListQuery = PageQuery.omit({ cursor: true }).extend({
  search: SearchText.optional().meta({
    description: 'Only cohorts with this text in their name; ignores the case of A to Z.'
  }),
  type: z.enum(['static', 'dynamic']).optional().meta({
    description: 'Only static cohorts, or only those with filters.'
  }),
  created_by_id: wholeFrom(1).optional().meta({ description: 'Only cohorts of this user.' }),
  hide_behavioral_cohorts: Flag.refine(
    (hides) => !hides,
    'Cohorts cannot be hidden by what their filters say.'
  )
    .optional()
    .meta({ description: 'Only `false` is supported.' })
})

/** Read-only fields of which a client may send back an old value. */
const CHANGING = ['count', 'last_calculation', 'errors_calculating', 'last_error_message']

/** Largest form with a file, bytes. */
const MAX_FORM_BYTES = 10_000_000

/** Reads a form, which may have a file `csv`, as the JSON body that has the same fields. */
const readForm: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (/^\s*multipart\/form-data\s*;/i.test(c.req.header('Content-Type') ?? '')) {
    c.set('body', formToJson(c.req.raw))
  }
  await next()
}

/** @throws parse_error; invalid_input, attr the field, for a field that occurs twice */
async function formToJson(request: Request): Promise<Json> {
  const bytes = await readDecoded(request, MAX_FORM_BYTES)
  const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' }
  const form = await new Response(bytes, { headers }).formData().catch(() => {
    throw new AppError('parse_error', 'The form cannot be read.')
  })
  const fields = new Map<string, Json>()
  for (const [name, value] of form.entries()) {
    if (fields.has(name)) {
      throw new AppError('invalid_input', 'This field occurs twice: send it once.', name)
    }
    const text = typeof value === 'string' ? value : await value.text()
    fields.set(
      name,
      name === 'is_static' && /^(true|false)$/i.test(text) ? /true/i.test(text) : text
    )
  }
  return Object.fromEntries(fields)
}

export const cohortRoutes = createRouter()
  .get('/cohorts', LIST, allow('cohort:read'), validateQuery(ListQuery), async (c) => {
    const { search, type, created_by_id: createdBy, ...query } = c.req.valid('query')
    const page = readPage(c.req.url, NO_CURSOR, query)
    const isStatic = type === undefined ? undefined : type === 'static'
    const found = await listCohorts(c.var, { search, isStatic, createdBy }, page.rows)
    return answerList(c, page, found, { toJson: (row) => cohortToJson(row) })
  })
  .post(
    '/cohorts',
    CREATE,
    allow('cohort:write'),
    readForm,
    validateBody(CohortInput),
    async (c) => {
      const { db, project, user, now } = c.var
      const input = c.req.valid('json')
      const terms = newCohort(input)
      if (terms.filters) {
        await checkFilters(db, project, terms.filters, { now })
      }
      const members = readMembers(input, c)
      const id = await insertCohort(c.var, terms, { by: userToJson(user), now })
      const upload = await members(id)
      const json = await showCohort(c, await getCohort(c.var, id))
      return c.json({ ...json, ...(upload && { upload }) }, 201)
    }
  )
  .get('/cohorts/:id', RETRIEVE, allow('cohort:read'), validatePath(CohortPath), async (c) =>
    c.json(await showCohort(c, await getCohort(c.var, c.req.valid('param').id)))
  )
  .patch(
    '/cohorts/:id',
    UPDATE,
    allow('cohort:write'),
    validatePath(CohortPath),
    validateBody(CohortChange),
    async (c) => {
      const { db, project, now } = c.var
      const input = c.req.valid('json')
      const before = await getCohort(c.var, c.req.valid('param').id)
      expectUnchanged(c.var.ignoredFields, [cohortToJson(before)], CHANGING)
      const terms = changeCohort(before, input)
      if (input.deleted) {
        await deleteCohort(c.var, before.id)
        return c.json({ ...cohortToJson({ ...before, ...terms }), deleted: true })
      }
      if (terms.filters && input.filters) {
        await checkFilters(db, project, terms.filters, { own: before.id, now })
      }
      await updateCohort(c.var, before.id, terms)
      return c.json(await showCohort(c, await getCohort(c.var, before.id)))
    }
  )
  .delete(
    '/cohorts/:id',
    DESTROY,
    allow('cohort:write'),
    validatePath(CohortPath),
    expectNoBody,
    async (c) => {
      const { id } = await getCohort(c.var, c.req.valid('param').id)
      await deleteCohort(c.var, id)
      return c.body(null, 204)
    }
  )
  .patch(
    '/cohorts/:id/add_persons_to_static_cohort',
    ADD_MEMBERS,
    allow('cohort:write'),
    validatePath(CohortPath),
    validateBody(MembersInput),
    async (c) => {
      const { id } = await getStatic(c.var, c.req.valid('param').id)
      const names = c.req.valid('json').person_ids
      const added = await addMembers(c.var, id, { by: 'person_id', names, now: c.var.now })
      return c.json({ success: true, ...added })
    }
  )
  .patch(
    '/cohorts/:id/remove_person_from_static_cohort',
    REMOVE_MEMBER,
    allow('cohort:write'),
    validatePath(CohortPath),
    validateBody(MemberInput),
    async (c) => {
      const { id } = await getStatic(c.var, c.req.valid('param').id)
      const uuid = c.req.valid('json').person_id
      await removeMember(c.var, id, { uuid, now: c.var.now })
      return c.json({ success: true })
    }
  )

/** Adds members to a new cohort, and says what it found; undefined for members without names. */
type AddAll = (cohortId: number) => Promise<UploadJson | undefined>

/**
 * Reads who the members of a new cohort are, so that nothing is stored for a request that is refused.
 * @throws invalid_input, attr `csv`; the errors of `readActors`, attr the path; permission_denied
 */
function readMembers(
  { is_static: isStatic, _create_static_person_ids: uuids, csv, query }: CohortInput,
  c: Context<AppEnv>
): AddAll {
  const { now } = c.var
  if (!isStatic) {
    return async () => undefined
  }
  if (query) {
    return membersOfQuery(query, c)
  }
  const named =
    typeof csv === 'string' ? readPersonsCsv(csv) : { by: 'person_id' as const, names: uuids ?? [] }
  return (id) => addMembers(c.var, id, { ...named, now })
}

function membersOfQuery(node: JsonObject, { var: scope }: Context<AppEnv>): AddAll {
  const { db, project, key, now } = scope
  if (node.kind !== 'ActorsQuery') {
    throw new AppError(
      'invalid_choice',
      `The persons of a cohort are found by an ActorsQuery; got ${show(node.kind)}.`,
      'query__kind'
    )
  }
  const inQuery = (attr: string | null) => (attr === null ? 'query' : `query__${attr}`)
  const query = renaming(
    () => readActors(node, project, now),
    ({ attr }) => inQuery(attr)
  )
  for (const scopes of [NUMBERS, PERSONS]) {
    expectScope(key, scopes)
  }
  return async (id) => {
    try {
      const { findPersonIds } = await loadAnswers()
      for await (const names of findPersonIds({ db, project }, query, now)) {
        await addMembers(scope, id, { by: 'id', names, now })
      }
    } catch (error) {
      await deleteCohort(scope, id)
      throw withAttr(error, ({ attr }) => inQuery(attr))
    }
  }
}

/** @throws not_found */
async function getCohort(scope: Scope, id: number): Promise<CohortRow> {
  const row = await findCohortRow(scope, id)
  if (!row) {
    throw new NotFoundError()
  }
  return row
}

/** Finds a static cohort. @throws not_found; invalid_input for another cohort */
async function getStatic(scope: Scope, id: number): Promise<CohortRow> {
  const row = await getCohort(scope, id)
  if (!row.isStatic) {
    throw new AppError('invalid_input', NOT_STATIC)
  }
  return row
}

/** Returns a cohort in the format of the API, with the number of persons who are in it now. */
async function showCohort(c: Context<AppEnv>, row: CohortRow): Promise<CohortJson> {
  const { db, project, now } = c.var
  const counted = row.isStatic ? undefined : await countCohort(db, project, row.id, now)
  return cohortToJson(row, counted)
}
