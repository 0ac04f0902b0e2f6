import * as z from 'zod'
import { openControl } from '../db/client.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { answerList, NO_CURSOR, PageQuery, pageSchema, readPage, rowsOf } from '../http/page.ts'
import { expectUnchanged } from '../http/read-only-fields.ts'
import { validateBody, validateQuery } from '../http/validation.ts'
import { allow, allowCaller } from './auth.ts'
import {
  CallerJson,
  callerToJson,
  ProjectInput,
  ProjectJson,
  projectToApi,
  toProjectChange
} from './schemas.ts'
import { findProjects, updateProject } from './store.ts'

const TAG = 'Projects'

const ListQuery = z.object({ limit: PageQuery.shape.limit, offset: PageQuery.shape.offset })

const LIST = describe({
  id: 'projects_list',
  tag: TAG,
  summary: 'List projects',
  description: 'Lists the projects that the key has access to, sorted by id.',
  answers: { 200: { text: 'A page of projects.', schema: pageSchema('ProjectPage', ProjectJson) } }
})

const RETRIEVE = describe({
  id: 'projects_retrieve',
  tag: TAG,
  summary: 'Retrieve a project',
  answers: { 200: { text: 'The project.', schema: ProjectJson } }
})

const ME = describe({
  id: 'users_me_retrieve',
  tag: TAG,
  summary: 'Retrieve the owner of the key',
  description:
    'Returns the user to whom the key belongs, and the first project that the key has access to.',
  answers: { 200: { text: 'The user.', schema: CallerJson } }
})

const UPDATE = describe({
  id: 'projects_partial_update',
  tag: TAG,
  summary: 'Change the settings of a project',
  description:
    'Changes only the fields in the body. The capture of events follows within half a minute.',
  answers: { 200: { text: 'The project.', schema: ProjectJson } }
})

export const projectListRoutes = createRouter().get(
  '/',
  LIST,
  allowCaller('project:read'),
  validateQuery(ListQuery),
  async (c) => {
    const { control, key } = c.var
    const page = readPage(c.req.url, NO_CURSOR, c.req.valid('query'))
    const all = await findProjects(control, key.projectIds)
    return answerList(c, page, rowsOf(page, all), { toJson: projectToApi })
  }
)

export const projectRoutes = createRouter()
  .get('/', RETRIEVE, allow('project:read'), (c) => c.json(projectToApi(c.var.project)))
  .patch('/', UPDATE, allow('project:write'), validateBody(ProjectInput), async (c) => {
    const { project, ignoredFields, usage, now } = c.var
    expectUnchanged(ignoredFields, [projectToApi(project)])
    const change = toProjectChange(c.req.valid('json'), project, now)
    const { db } = openControl(c.env, usage)
    return c.json(projectToApi(await updateProject(db, project.id, change)))
  })

export const userRoutes = createRouter().get(
  '/api/users/@me',
  ME,
  allowCaller('user:read'),
  async (c) => {
    const { control, key, user } = c.var
    const [team] = await findProjects(control, key.projectIds)
    return c.json(callerToJson(user, team))
  }
)
