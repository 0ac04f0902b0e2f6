import type { Context } from 'hono'
import * as z from 'zod'
import { type OpenProject, openProject } from '../access/open.ts'
import { projectOfToken } from '../access/share-token.ts'
import { throttle } from '../access/throttle.ts'
import { NotFoundError } from '../errors.ts'
import { isSameHash, sha256 } from '../hash.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { behindLink, prefersPage } from '../http/notice.ts'
import { validatePath, validateQuery } from '../http/validation.ts'
import { BOARD_QUERIES } from '../insights/charts/compute.ts'
import { isSpent } from '../queues/invocation.ts'
import { listSources, readRecording, recordingToJson } from '../recordings/list/store.ts'
import { openPart, SnapshotsQuery } from '../recordings/part.ts'
import { computeShared } from './boards/board.ts'
import { boardPage } from './boards/page.ts'
import type { SharedBoardJson } from './boards/schemas.ts'
import { findShared as findSharedBoard } from './boards/store.ts'
import { playerPage, policyOf } from './recordings/page.ts'
import type { SharedRecordingJson } from './recordings/schemas.ts'
import { findShared } from './recordings/store.ts'
import { SHARED, SHARED_SNAPSHOTS } from './reference.ts'

const TokenPath = z.object({
  access_token: z.string().meta({ description: 'The token of the sharing configuration.' })
})

/** The page for a link that does not work. Like the JSON response, it does not tell why. */
const DEAD = {
  title: 'This link does not work',
  words:
    'It may be incomplete, or what it showed is no longer shared. Ask the person who sent it to you for a new link.'
}

/** The user id for a visitor without a key: the id of no user. */
const NO_USER = 0

/** Routes without a key: the token in the path gives access to one shared object. */
export const sharedRoutes = createRouter()
  .get('/shared/:access_token', SHARED, behindLink(DEAD), validatePath(TokenPath), async (c) => {
    const token = await openToken(c, c.req.valid('param').access_token)
    const sessionId = await findRecording(token)
    return sessionId === undefined
      ? answerBoard(c, token)
      : answerRecording(c, token.open, sessionId)
  })
  .get(
    '/shared/:access_token/snapshots',
    SHARED_SNAPSHOTS,
    behindLink(DEAD),
    validatePath(TokenPath),
    validateQuery(SnapshotsQuery),
    async (c) => {
      const token = await openToken(c, c.req.valid('param').access_token)
      const { db, project } = token.open
      const sessionId = await findRecording(token)
      if (sessionId === undefined) {
        throw new NotFoundError()
      }
      const { blob_key: partId } = c.req.valid('query')
      if (partId === undefined) {
        return c.json({ sources: await listSources(db, project.id, sessionId) })
      }
      const lines = await openPart(c.env.BUCKET, project.id, sessionId, partId)
      return c.body(lines, 200, { 'Content-Type': 'application/jsonl' })
    }
  )

/** A token whose project exists; nothing need be shared under it. */
type Token = { open: OpenProject; hash: string }

/** Opens the project of a token. The response must not be cached, because sharing may be turned off at any moment. */
async function openToken(c: Context<AppEnv>, token: string): Promise<Token> {
  c.header('Cache-Control', 'no-store')
  const projectId = projectOfToken(token)
  const open = projectId && (await openProject(c.env, projectId, c.var.usage))
  if (!open) {
    throw new NotFoundError()
  }
  c.set('projectId', open.project.id)
  return { open, hash: sha256(token) }
}

async function findRecording({ open, hash }: Token): Promise<string | undefined> {
  const shared = await findShared(open.db, open.project.id, hash)
  return shared && isSameHash(shared.shared_hash, hash) ? shared.session_id : undefined
}

async function answerRecording(
  c: Context<AppEnv>,
  { db, project }: OpenProject,
  sessionId: string
): Promise<Response> {
  const row = await readRecording(db, project.id, sessionId)
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
  } = recordingToJson(row, project.id, NO_USER, c.var.now)
  const sources = await listSources(db, project.id, sessionId)
  return c.json({ ...recording, sources } satisfies SharedRecordingJson)
}

async function answerBoard(c: Context<AppEnv>, { open, hash }: Token): Promise<Response> {
  const { now, usage } = c.var
  const share = await findSharedBoard(open.db, open.project.id, hash)
  if (!share?.sharedHash || !isSameHash(share.sharedHash, hash)) {
    throw new NotFoundError()
  }
  await throttle(c.env, `shared ${open.project.id}`, 'insight:read', now)
  const board = await computeShared(open, share, now, () => isSpent(usage, BOARD_QUERIES))
  if (prefersPage(c)) {
    // The request id is random and new for each request, as a nonce must be.
    const nonce = c.var.requestId
    c.header(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`
    )
    return c.html(boardPage(board, nonce))
  }
  const { note: _, ...json } = board
  return c.json(json satisfies SharedBoardJson)
}
