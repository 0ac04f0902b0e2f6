import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { cursorSchema, cutPage, PageQuery, pageOf, readPage } from '../../http/page.ts'
import { validateBody, validatePath, validateQuery } from '../../http/validation.ts'
import { type SecretOpener, secretOpener, unlockLedger } from '../../ledger/secret.ts'
import { actorOf } from '../../persons/activity/entry.ts'
import { answerReceipt, ReceiptQuery, wantsPage } from '../receipts/answer.ts'
import { receiptOf } from './receipt.ts'
import { DELETE, LIST, RETRIEVE } from './reference.ts'
import { requestRemoval, tryRemoval } from './request.ts'
import { DeleteEvents, previewToJson, removalToJson } from './schemas.ts'
import { findRemoval, listRemovals, type RemovalRow } from './store.ts'

/** The position of the next page: removals with ids below `before`. */
const Cursor = cursorSchema({ before: z.string().max(36) })

const Path = z.object({
  id: z
    .string()
    .transform((id) => id.toLowerCase())
    .meta({ description: 'The id of the deletion, a UUID.' })
})

/** @throws UnavailableError when there is a receipt, but not the secret of its salt */
const toJson = async (row: RemovalRow, open: SecretOpener, now: Date) =>
  removalToJson(row, await receiptOf(row, open), now.getTime())

export const removalRoutes = createRouter()
  .post('/events/delete', DELETE, allow('person:write'), validateBody(DeleteEvents), async (c) => {
    const { db, project, user, key, now } = c.var
    const { dry_run: _, token, properties = null, ...filters } = c.req.valid('json')
    const wanted = { filters, properties }
    const { secret, ledger } = await unlockLedger(c.env, db)
    if (token === undefined) {
      const dryRun = await tryRemoval(db, project, wanted, { secret: secret.value, now })
      const preview = { properties, token: dryRun.token, now: now.getTime() }
      return c.json(previewToJson(dryRun.found, preview))
    }
    const removal = await requestRemoval(db, project, wanted, {
      token,
      actor: actorOf(user, key),
      secret: secret.value,
      bucket: c.env.BUCKET,
      ledger,
      now
    })
    return c.json(await toJson(removal, async () => secret, now), 201)
  })
  .get('/events/deletions', LIST, allow('person:read'), validateQuery(PageQuery), async (c) => {
    const { db, project, now } = c.var
    const page = readPage(c.req.url, Cursor, c.req.valid('query'))
    const found = await listRemovals(db, project.id, {
      ...page.rows,
      before: page.rows.after?.before
    })
    const { shown, place } = cutPage(page, found, ({ id }) => ({ before: id }))
    const open = secretOpener(c.env, db)
    const results = await Promise.all(shown.map((row) => toJson(row, open, now)))
    return c.json(pageOf(c.req.url, { ...place, results }))
  })
  .get(
    '/events/deletions/:id',
    RETRIEVE,
    allow('person:read'),
    validatePath(Path),
    validateQuery(ReceiptQuery),
    async (c) => {
      const { db, project, now } = c.var
      const row = await findRemoval(db, project.id, c.req.valid('param').id)
      if (!row) {
        throw new NotFoundError()
      }
      const deletion = await toJson(row, secretOpener(c.env, db), now)
      if (!wantsPage(c, c.req.valid('query'))) {
        return c.json(deletion)
      }
      const { receipt } = deletion
      if (!receipt) {
        throw new NotFoundError(
          'The deletion has no receipt: it is not completed, or it has failed.'
        )
      }
      const { wordsOf } = await import('./words.ts')
      return answerReceipt(c, { receipt, ...wordsOf(receipt, project.name) })
    }
  )
