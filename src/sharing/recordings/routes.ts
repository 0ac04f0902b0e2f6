import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { toIso } from '../../calendar/clock.ts'
import { NotFoundError } from '../../errors.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { expectUnchanged } from '../../http/unchanged.ts'
import { expectNoBody, validateBody, validatePath } from '../../http/validation.ts'
import { type SharingJson, SharingUpdateJson } from '../schemas.ts'
import { changeSharing } from './change.ts'
import { REFRESH, RETRIEVE, UPDATE } from './reference.ts'
import { findSharing, type SharingRow } from './store.ts'

const RecordingPath = z.object({
  recording_id: z.string().meta({ description: 'The id of the session.' })
})

const PATH = '/session_recordings/:recording_id/sharing'

export const sharingRoutes = createRouter()
  .get(
    PATH,
    RETRIEVE,
    allow('sharing_configuration:read'),
    validatePath(RecordingPath),
    async (c) => {
      const { db, project } = c.var
      const sharing = await findSharing(db, project.id, c.req.valid('param').recording_id)
      if (!sharing) {
        throw new NotFoundError()
      }
      return c.json(sharingToJson(c, sharing))
    }
  )
  .patch(
    PATH,
    UPDATE,
    allow('sharing_configuration:write'),
    validatePath(RecordingPath),
    validateBody(SharingUpdateJson),
    async (c) => {
      const { db, project } = c.var
      const { recording_id: id } = c.req.valid('param')
      const before = await findSharing(db, project.id, id)
      if (before) {
        expectUnchanged(c.var.ignoredFields, [sharingToJson(c, before)])
      }
      return c.json(sharingToJson(c, await changeSharing(db, project.id, id, c.req.valid('json'))))
    }
  )
  .post(
    `${PATH}/refresh`,
    REFRESH,
    allow('sharing_configuration:write'),
    validatePath(RecordingPath),
    expectNoBody,
    async (c) => {
      const { db, project } = c.var
      const { recording_id: id } = c.req.valid('param')
      return c.json(sharingToJson(c, await changeSharing(db, project.id, id, 'refresh')))
    }
  )

const sharingToJson = (
  c: Context<AppEnv>,
  { created_at, shared_hash, access_token }: SharingRow
): SharingJson => ({
  created_at: toIso(created_at),
  enabled: shared_hash !== null,
  access_token,
  url: `${new URL(c.req.url).origin}/shared/${access_token}`
})
