import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { toIso } from '../../calendar/clock.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { expectUnchanged } from '../../http/read-only-fields.ts'
import { expectNoBody, validateBody, validatePath } from '../../http/validation.ts'
import { KnownId } from '../../input/parameters.ts'
import { changeSharing, readSharing } from '../change.ts'
import { type SharingJson, type SharingStateJson, SharingUpdateJson } from '../schemas.ts'
import type { Sharable, Sharing } from '../store.ts'
import { describeSharing } from './reference.ts'

const RecordingPath = z.object({
  recording_id: z.string().meta({ description: 'The id of the session.' })
})

const BoardPath = z.object({ id: KnownId })

/** Routes that show and change the sharing of recordings. */
export const recordingSharingRoutes = createRouter().route(
  '/session_recordings/:recording_id/sharing',
  settingsOf('recording', RecordingPath, (projectId, { recording_id: objectId }) => ({
    projectId,
    kind: 'recording',
    objectId
  }))
)

/** Routes that show and change the sharing of insights and dashboards. */
export const boardSharingRoutes = createRouter()
  .route('/insights/:id/sharing', settingsOfBoards('insight'))
  .route('/dashboards/:id/sharing', settingsOfBoards('dashboard'))

function settingsOfBoards(kind: 'insight' | 'dashboard') {
  return settingsOf(kind, BoardPath, (projectId, { id: objectId }) => ({
    projectId,
    kind,
    objectId
  }))
}

/** Makes the routes for one kind of object. @param objectOf returns the object that a path names */
function settingsOf<Path extends z.ZodObject>(
  kind: Sharable['kind'],
  path: Path,
  objectOf: (projectId: number, param: z.output<Path>) => Sharable
) {
  const reference = describeSharing(kind)
  return createRouter()
    .get(
      '/',
      reference.retrieve,
      allow('sharing_configuration:read'),
      validatePath(path),
      async (c) => {
        const { db, projectId } = c.var
        const object = objectOf(projectId, c.req.valid('param'))
        return c.json(toJson(c, await readSharing(db, object)))
      }
    )
    .patch(
      '/',
      reference.update,
      allow('sharing_configuration:write'),
      validatePath(path),
      validateBody(SharingUpdateJson),
      async (c) => {
        const { db, projectId, now, ignoredFields } = c.var
        const object = objectOf(projectId, c.req.valid('param'))
        expectUnchanged(ignoredFields, [toJson(c, await readSharing(db, object))])
        return c.json(toJson(c, await changeSharing(db, object, c.req.valid('json'), now)))
      }
    )
    .post(
      '/refresh',
      reference.refresh,
      allow('sharing_configuration:write'),
      validatePath(path),
      expectNoBody,
      async (c) => {
        const { db, projectId, now } = c.var
        const object = objectOf(projectId, c.req.valid('param'))
        return c.json(toJson(c, await changeSharing(db, object, 'refresh', now)))
      }
    )
}

const toJson = (c: Context<AppEnv>, sharing: Sharing | null): SharingJson | SharingStateJson =>
  sharing
    ? {
        created_at: toIso(sharing.createdAt),
        enabled: sharing.sharedHash !== null,
        access_token: sharing.accessToken,
        url: `${new URL(c.req.url).origin}/shared/${sharing.accessToken}`
      }
    : { created_at: null, enabled: false, access_token: null, url: null }
