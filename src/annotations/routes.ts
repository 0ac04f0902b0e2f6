import * as z from 'zod'
import { allow } from '../access/auth.ts'
import type { Scope } from '../access/open.ts'
import { userToJson } from '../access/user.ts'
import { noDate, readFrom, readUntil } from '../calendar/dates.ts'
import { ANNOTATION_SCOPES } from '../db/schema.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { createRouter } from '../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage } from '../http/page.ts'
import { expectUnchanged } from '../http/read-only-fields.ts'
import { validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { Flag, KnownId, SearchText, wholeFrom } from '../input/parameters.ts'
import { CREATE, LIST, RETRIEVE, UPDATE } from './reference.ts'
import { AnnotationInput } from './schemas.ts'
import {
  type AnnotationRow,
  annotationToJson,
  findAnnotation,
  findMissingPlace,
  findShownAnnotation,
  insertAnnotation,
  listAnnotations,
  updateAnnotation
} from './store.ts'
import { type AnnotationTerms, changeAnnotation, NEW_ANNOTATION } from './terms.ts'

const AnnotationPath = z.object({ id: KnownId })

/** Annotations per page, also without a `limit`: tools read the first page only. */
const PAGE_SIZE = 1_000

const DateText = z.string().max(100).optional()

const ListQuery = PageQuery.omit({ cursor: true }).extend({
  limit: wholeFrom(1)
    .default(PAGE_SIZE)
    .meta({
      description: `Results per page: ${PAGE_SIZE} by default, and at most.`
    }),
  search: SearchText.optional().meta({
    description: 'Only annotations with this text; ignores the case of A to Z.'
  }),
  scope: z
    .enum([...ANNOTATION_SCOPES, 'insight'])
    .transform((scope) => (scope === 'insight' ? 'dashboard_item' : scope))
    .optional()
    .meta({ description: 'Only annotations of this scope; `insight` means `dashboard_item`.' }),
  date_from: DateText.meta({ description: 'The earliest `date_marker`, such as `-7d`.' }),
  date_to: DateText.meta({
    description: 'The latest `date_marker`. A date without a time is the end of that day.'
  }),
  is_emoji: Flag.optional().meta({
    description: '`true` for annotations that are an emoji only, `false` for all others.'
  })
})

/** Read-only fields of which a client may send back an old value. */
const CHANGING = [
  'updated_at',
  'dashboard_name',
  'insight_short_id',
  'insight_name',
  'insight_derived_name'
]

export const annotationRoutes = createRouter()
  .get('/annotations', LIST, allow('annotation:read'), validateQuery(ListQuery), async (c) => {
    const { date_from, date_to, is_emoji: isEmoji, ...query } = c.req.valid('query')
    const { project, now } = c.var
    const page = readPage(c.req.url, NO_CURSOR, query)
    const listing = {
      search: query.search,
      scope: query.scope,
      from: readDate('date_from', date_from, (text) => readFrom(text, project, now)),
      until: readDate('date_to', date_to, (text) => readUntil(text, 'minute', project, now)),
      isEmoji
    }
    const found = await listAnnotations(c.var, listing, page.rows)
    return answerList(c, page, found, { toJson: annotationToJson })
  })
  .post(
    '/annotations',
    CREATE,
    allow('annotation:write'),
    validateBody(AnnotationInput),
    async (c) => {
      const { project, user, now } = c.var
      const terms = changeAnnotation(NEW_ANNOTATION, c.req.valid('json'), project.timezone)
      await expectPlace(c.var, terms, NEW_ANNOTATION)
      const id = await insertAnnotation(c.var, terms, { by: userToJson(user), now })
      return c.json(annotationToJson(await getAnnotation(c.var, id)), 201)
    }
  )
  .get(
    '/annotations/:id',
    RETRIEVE,
    allow('annotation:read'),
    validatePath(AnnotationPath),
    async (c) => {
      const row = await findShownAnnotation(c.var, c.req.valid('param').id)
      if (!row) {
        throw new NotFoundError()
      }
      return c.json(annotationToJson(row))
    }
  )
  .patch(
    '/annotations/:id',
    UPDATE,
    allow('annotation:write'),
    validatePath(AnnotationPath),
    validateBody(AnnotationInput),
    async (c) => {
      const { project, now } = c.var
      const before = await getAnnotation(c.var, c.req.valid('param').id)
      expectUnchanged(c.var.ignoredFields, [annotationToJson(before)], CHANGING)
      const terms = changeAnnotation(before, c.req.valid('json'), project.timezone)
      await expectPlace(c.var, terms, before)
      await updateAnnotation(c.var, before.id, terms, now)
      return c.json(annotationToJson(await getAnnotation(c.var, before.id)))
    }
  )

/** Finds an annotation, even if it is deleted. @throws not_found */
async function getAnnotation(scope: Scope, id: number): Promise<AnnotationRow> {
  const row = await findAnnotation(scope, id)
  if (!row) {
    throw new NotFoundError()
  }
  return row
}

/** @throws invalid_input, attr the parameter, for a text that is not a date */
function readDate(
  attr: string,
  text: string | undefined,
  read: (text: string) => number | undefined
): number | undefined {
  const time = text === undefined ? undefined : read(text)
  if (text !== undefined && time === undefined) {
    throw noDate(text, attr)
  }
  return time
}

/**
 * Checks that the insight and the dashboard exist. Does not check the ones that the annotation had
 * `before`: they may have been deleted.
 * @throws does_not_exist, attr `dashboard_item` or `dashboard_id`
 */
async function expectPlace(
  scope: Scope,
  { insightId, dashboardId }: AnnotationTerms,
  before: AnnotationTerms
): Promise<void> {
  const missing = await findMissingPlace(scope, {
    insightId: insightId === before.insightId ? null : insightId,
    dashboardId: dashboardId === before.dashboardId ? null : dashboardId
  })
  const refuse = (id: number | null, attr: string) =>
    new AppError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr)
  if (missing.insight) {
    throw refuse(insightId, 'dashboard_item')
  }
  if (missing.dashboard) {
    throw refuse(dashboardId, 'dashboard_id')
  }
}
