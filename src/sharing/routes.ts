import type { Context } from 'hono'
import * as z from 'zod'
import { type OpenProject, openProject } from '../access/open.ts'
import { projectOfToken } from '../access/share-token.ts'
import { throttle } from '../access/throttle.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { csvResponse, expectNoMark, FormatQuery, wantsCsv } from '../http/csv.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { answerPage, FRAMED, nonceOf } from '../http/html-page.ts'
import { behindLink, prefersPage } from '../http/notice.ts'
import { validatePath, validateQuery } from '../http/validation.ts'
import { BOARD_QUERIES } from '../insights/charts/compute.ts'
import { csvOf } from '../insights/charts/csv.ts'
import { boardPage, type ShownBoard } from '../insights/charts/page.ts'
import { isSpent } from '../queues/invocation.ts'
import { listSources, readRecording, recordingToJson } from '../recordings/list/store.ts'
import { openPart, SnapshotsQuery } from '../recordings/part.ts'
import { computeShared } from './boards/board.ts'
import type { SharedBoardJson } from './boards/schemas.ts'
import { describeRecording } from './recordings/about.ts'
import { playerPage, playerPolicy } from './recordings/page.ts'
import type { SharedRecordingJson } from './recordings/schemas.ts'
import { findVisit } from './recordings/visit.store.ts'
import { EMBEDDED, SHARED, SHARED_SNAPSHOTS } from './reference.ts'
import { findShared, type Sharable, type SharableBoard } from './store.ts'

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

type Format = z.output<typeof FormatQuery>['format']

/** Routes without a key: the token in the path gives access to one shared object. */
export const sharedRoutes = createRouter()
  .get(
    '/shared/:access_token',
    SHARED,
    behindLink(DEAD),
    validatePath(TokenPath),
    validateQuery(FormatQuery),
    async (c) => {
      const { open, shared } = await openShared(c, c.req.valid('param').access_token)
      const { format } = c.req.valid('query')
      return shared.kind === 'recording'
        ? answerRecording(c, open, shared.objectId, format)
        : answerBoard(c, open, shared, format)
    }
  )
  .get(
    '/embedded/:access_token',
    EMBEDDED,
    behindLink(DEAD),
    validatePath(TokenPath),
    async (c) => {
      const { access_token: token } = c.req.valid('param')
      const { open, shared } = await openShared(c, token)
      if (shared.kind === 'recording') {
        throw new NotFoundError()
      }
      const board = await readBoard(c, open, shared)
      const csv = `/shared/${encodeURIComponent(token)}?format=csv&bom=true`
      return answerPage(c, boardPage(board, { isEmbedded: true, csv }), { policy: FRAMED })
    }
  )
  .get(
    '/shared/:access_token/snapshots',
    SHARED_SNAPSHOTS,
    behindLink(DEAD),
    validatePath(TokenPath),
    validateQuery(SnapshotsQuery),
    async (c) => {
      const { open, shared } = await openShared(c, c.req.valid('param').access_token)
      if (shared.kind !== 'recording') {
        throw new NotFoundError()
      }
      const { db, project } = open
      const { objectId: sessionId } = shared
      const { blob_key: partId } = c.req.valid('query')
      if (partId === undefined) {
        return c.json({ sources: await listSources({ db, project }, sessionId) })
      }
      const lines = await openPart(c.env.BUCKET, project.id, sessionId, partId)
      return c.body(lines, 200, { 'Content-Type': 'application/jsonl' })
    }
  )

/**
 * Finds the object that is shared under a token, and opens its project. The response must not be
 * cached, because sharing may be turned off at any moment.
 * @throws not_found
 */
async function openShared(
  c: Context<AppEnv>,
  token: string
): Promise<{ open: OpenProject; shared: Sharable }> {
  c.header('Cache-Control', 'no-store')
  const projectId = projectOfToken(token)
  const open = projectId && (await openProject(c.env, projectId, c.var.usage))
  if (!open) {
    throw new NotFoundError()
  }
  c.set('projectId', open.project.id)
  const shared = await findShared(open, sha256(token))
  if (!shared) {
    throw new NotFoundError()
  }
  return { open, shared }
}

async function answerRecording(
  c: Context<AppEnv>,
  { db, project }: OpenProject,
  sessionId: string,
  format: Format
): Promise<Response> {
  if (format === 'csv') {
    throw new AppError('invalid_input', 'A recording is no table: leave `format` out.', 'format')
  }
  expectNoMark(c)
  const row = await readRecording({ db, project }, sessionId)
  if (!row) {
    throw new NotFoundError()
  }
  if (format === undefined && prefersPage(c)) {
    const visit = await findVisit({ db, project }, sessionId)
    const page = playerPage(describeRecording(row, visit, project.timezone))
    const policy = playerPolicy(new URL(c.req.url).origin, nonceOf(c))
    return answerPage(c, page, { policy })
  }
  const {
    person: _person,
    distinct_id: _distinctId,
    viewed: _viewed,
    viewers: _viewers,
    ...recording
  } = recordingToJson(row, project.id, NO_USER, c.var.now)
  const sources = await listSources({ db, project }, sessionId)
  return c.json({ ...recording, sources } satisfies SharedRecordingJson)
}

async function answerBoard(
  c: Context<AppEnv>,
  open: OpenProject,
  shared: SharableBoard,
  format: Format
): Promise<Response> {
  const isTable = wantsCsv(c, format)
  const board = await readBoard(c, open, shared)
  if (isTable) {
    return csvResponse(c, 'numbers', ...csvOf(board))
  }
  if (format === undefined && prefersPage(c)) {
    return answerPage(c, boardPage(board))
  }
  const { note: _, ...json } = board
  return c.json(json satisfies SharedBoardJson)
}

/** Computes a shared insight or dashboard. @throws throttled, unavailable */
async function readBoard(
  c: Context<AppEnv>,
  open: OpenProject,
  shared: SharableBoard
): Promise<ShownBoard> {
  const { now, usage } = c.var
  await throttle(c.env, `shared ${open.project.id}`, 'insight:read', now)
  return computeShared(open, shared, now, () => isSpent(usage, BOARD_QUERIES))
}
