import type { Context } from 'hono'
import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { NotFoundError } from '../../errors.ts'
import { isSameHash, sha256 } from '../../hash.ts'
import { allow } from '../../http/auth.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { behindLink, prefersPage } from '../../http/notice.ts'
import { expectUnchanged } from '../../http/unchanged.ts'
import { expectNoBody, validateBody, validatePath, validateQuery } from '../../http/validation.ts'
import { openProject } from '../../projects/open.ts'
import { listSources, readRecording, recordingToJson } from '../list/store.ts'
import { openPart, SnapshotsQuery } from '../part.ts'
import { projectOfToken } from '../token.ts'
import { changeSharing } from './change.ts'
import { playerPage, policyOf } from './page.ts'
import { REFRESH, RETRIEVE, SHARED, SHARED_SNAPSHOTS, UPDATE } from './reference.ts'
import { type SharedRecordingJson, type SharingJson, SharingUpdateJson } from './schemas.ts'
import { findShared, findSharing, type SharingRow } from './store.ts'

const RecordingPath = z.object({
  recording_id: z.string().meta({ description: 'The id of the session.' })
})
const TokenPath = z.object({
  access_token: z.string().meta({ description: 'The token of the sharing configuration.' })
})

/** The page behind a link that does not work. It does not tell why, as the JSON does not. */
const DEAD = {
  title: 'This link does not work',
  words:
    'It may be incomplete, or what it showed is no longer shared. Ask the person who sent it to you for a new link.'
}

const PATH = '/session_recordings/:recording_id/sharing'

export const sharingRoutes = createRouter()
  .get(
    PATH,
    RETRIEVE,
    allow('sharing_configuration:read'),
    validatePath(RecordingPath),
    async (c) => {
      const sharing = await findSharing(
        c.var.db,
        c.var.project.id,
        c.req.valid('param').recording_id
      )
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
      return c.json(
        sharingToJson(
          c,
          await changeSharing(db, project.id, c.req.valid('param').recording_id, 'refresh')
        )
      )
    }
  )

/** Routes without a key; the token of the recording gives access. */
export const sharedRoutes = createRouter()
  .get('/shared/:access_token', SHARED, behindLink(DEAD), validatePath(TokenPath), async (c) => {
    const { db, projectId, sessionId } = await openShared(c, c.req.valid('param').access_token)
    const row = await readRecording(db, projectId, sessionId)
    if (!row) {
      throw new NotFoundError()
    }
    if (prefersPage(c)) {
      c.header('Content-Security-Policy', policyOf(new URL(c.req.url).origin))
      return c.html(playerPage(row.start_url ?? 'Session recording'))
    }
    const {
      person: _person,
      distinct_id: _distinctId,
      viewed: _viewed,
      viewers: _viewers,
      ...recording
    } = recordingToJson(row, projectId, 0, c.var.now)
    const sources = await listSources(db, projectId, sessionId)
    return c.json({ ...recording, sources } satisfies SharedRecordingJson)
  })
  .get(
    '/shared/:access_token/snapshots',
    SHARED_SNAPSHOTS,
    behindLink(DEAD),
    validatePath(TokenPath),
    validateQuery(SnapshotsQuery),
    async (c) => {
      const { db, projectId, sessionId } = await openShared(c, c.req.valid('param').access_token)
      const { blob_key: partId } = c.req.valid('query')
      if (partId === undefined) {
        return c.json({ sources: await listSources(db, projectId, sessionId) })
      }
      const lines = await openPart(c.env.BUCKET, projectId, sessionId, partId)
      return c.body(lines, 200, { 'Content-Type': 'application/jsonl' })
    }
  )

/** Finds the recording of a token. The response must not be cached, because sharing may be turned off at any moment. */
async function openShared(
  c: Context<AppEnv>,
  token: string
): Promise<{ db: Db; projectId: number; sessionId: string }> {
  c.header('Cache-Control', 'no-store')
  const projectId = projectOfToken(token)
  if (projectId === undefined) {
    throw new NotFoundError()
  }
  const open = await openProject(c.env, projectId, c.var.usage)
  if (!open) {
    throw new NotFoundError()
  }
  const { project, db } = open
  c.set('projectId', project.id)
  const hash = await sha256(token)
  const shared = await findShared(db, project.id, hash)
  if (!shared || !(await isSameHash(shared.shared_hash, hash))) {
    throw new NotFoundError()
  }
  return { db, projectId: project.id, sessionId: shared.session_id }
}

const sharingToJson = (
  c: Context<AppEnv>,
  { created_at, shared_hash, access_token }: SharingRow
): SharingJson => ({
  created_at: toIso(created_at),
  enabled: shared_hash !== null,
  access_token,
  url: `${new URL(c.req.url).origin}/shared/${access_token}`
})
