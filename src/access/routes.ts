import * as z from 'zod'
import { openControl } from '../db/client.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { answerList, NO_CURSOR, PageQuery, pageSchema, readPage, rowsOf } from '../http/page.ts'
import { expectNoBody, validateBody, validateQuery } from '../http/validation.ts'
import { allow, allowCaller } from './auth.ts'
import { BROWSER_KEY_DAYS } from './invitation.ts'
import { redeemInvitation } from './invitations.store.ts'
import {
  CallerJson,
  callerToJson,
  OwnKeyJson,
  ownKeyToJson,
  ProjectJson,
  projectToApi,
  RedeemedJson,
  RedeemJson
} from './schemas.ts'
import { findProjects, revokeKey } from './store.ts'
import { throttle } from './throttle.ts'

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

const OWN_KEY = describe({
  id: 'personal_api_keys_current_retrieve',
  tag: TAG,
  summary: 'Retrieve the key of the request',
  description: 'Returns what the key may do, its owner, and the projects that it has access to.',
  answers: { 200: { text: 'The key, without its secret part.', schema: OwnKeyJson } }
})

const REVOKE_OWN_KEY = describe({
  id: 'personal_api_keys_current_destroy',
  tag: TAG,
  summary: 'Revoke the key of the request',
  description:
    'The next request with this key is refused. The console does this when you sign out.',
  answers: { 204: { text: 'The key is revoked.' } }
})

const REDEEM = describe({
  id: 'invitations_redeem',
  tag: TAG,
  summary: 'Exchange an invitation for a key',
  description: `Needs no key. The code of an invitation works once, within 24 hours. The new key belongs to the invited user, and expires after ${BROWSER_KEY_DAYS} days.`,
  answers: { 201: { text: 'The new key.', schema: RedeemedJson } }
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

export const projectRoutes = createRouter().get('/', RETRIEVE, allow('project:read'), (c) =>
  c.json(projectToApi(c.var.project))
)

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

export const keyRoutes = createRouter()
  .get('/api/personal_api_keys/@current', OWN_KEY, allowCaller(), async (c) => {
    const { control, key, user } = c.var
    return c.json(ownKeyToJson(key, user, await findProjects(control, key.projectIds)))
  })
  .delete(
    '/api/personal_api_keys/@current',
    REVOKE_OWN_KEY,
    allowCaller(),
    expectNoBody,
    async (c) => {
      await revokeKey(c.var.control, c.var.key.id, c.var.now)
      return c.body(null, 204)
    }
  )
  .post('/api/invitations/redeem', REDEEM, validateBody(RedeemJson), async (c) => {
    const { now, usage } = c.var
    const address = c.req.header('CF-Connecting-IP') ?? ''
    await throttle(c.env, `invitations ${address}`, '', now)
    const { db } = openControl(c.env, usage)
    return c.json({ value: await redeemInvitation(db, c.req.valid('json'), now) }, 201)
  })
