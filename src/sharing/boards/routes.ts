import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { toIso } from '../../calendar/clock.ts'
import { NotFoundError } from '../../errors.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { expectUnchanged } from '../../http/unchanged.ts'
import { expectNoBody, validateBody, validatePath } from '../../http/validation.ts'
import { KnownId } from '../../input/parameters.ts'
import { findDashboard } from '../../insights/dashboards/store.ts'
import { findInsight } from '../../insights/store.ts'
import { type SharingJson, type SharingStateJson, SharingUpdateJson } from '../schemas.ts'
import { changeShare } from './change.ts'
import { describeSharing } from './reference.ts'
import { findShare, type Shared, type ShareRow } from './store.ts'

const Path = z.object({ id: KnownId })

const routesOf = (kind: 'insight' | 'dashboard') => {
  const reference = describeSharing(kind)
  const path = `/${kind}s/:id/sharing` as const
  return createRouter()
    .get(
      path,
      reference.retrieve,
      allow('sharing_configuration:read'),
      validatePath(Path),
      async (c) => {
        const object = await expectObject(c, kind, c.req.valid('param').id)
        const share = await findShare(c.var.db, object)
        return c.json(share ? shareToJson(c, share) : UNCHANGED_SHARING)
      }
    )
    .patch(
      path,
      reference.update,
      allow('sharing_configuration:write'),
      validatePath(Path),
      validateBody(SharingUpdateJson),
      async (c) => {
        const { db, now } = c.var
        const object = await expectObject(c, kind, c.req.valid('param').id)
        const before = await findShare(db, object)
        expectUnchanged(c.var.ignoredFields, [before ? shareToJson(c, before) : UNCHANGED_SHARING])
        return c.json(shareToJson(c, await changeShare(db, object, c.req.valid('json'), now)))
      }
    )
    .post(
      `${path}/refresh`,
      reference.refresh,
      allow('sharing_configuration:write'),
      validatePath(Path),
      expectNoBody,
      async (c) => {
        const { db, now } = c.var
        const object = await expectObject(c, kind, c.req.valid('param').id)
        return c.json(shareToJson(c, await changeShare(db, object, 'refresh', now)))
      }
    )
}

/** Routes that show and change the sharing of insights and dashboards. */
export const boardSharingRoutes = createRouter()
  .route('/', routesOf('insight'))
  .route('/', routesOf('dashboard'))

const UNCHANGED_SHARING: SharingStateJson = {
  created_at: null,
  enabled: false,
  access_token: null,
  url: null
}

/** @throws not_found for an insight or a dashboard that does not exist, or is deleted */
async function expectObject(
  c: Context<AppEnv>,
  kind: 'insight' | 'dashboard',
  objectId: number
): Promise<Shared> {
  const { db, project } = c.var
  const find = kind === 'insight' ? findInsight : findDashboard
  const found = await find(db, project.id, objectId)
  if (!found || found.deleted) {
    throw new NotFoundError()
  }
  return { projectId: project.id, kind, objectId }
}

const shareToJson = (
  c: Context<AppEnv>,
  { createdAt, sharedHash, accessToken }: ShareRow
): SharingJson => ({
  created_at: toIso(createdAt),
  enabled: sharedHash !== null,
  access_token: accessToken,
  url: `${new URL(c.req.url).origin}/shared/${accessToken}`
})
