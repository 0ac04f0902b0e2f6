import { allow } from '../../access/auth.ts'
import { createRouter } from '../../http/env.ts'
import { validateBody } from '../../http/validation.ts'
import { announcer } from '../../ledger/ledger.ts'
import { unlockLedger } from '../../ledger/secret.ts'
import { actorOf } from '../../persons/activity/entry.ts'
import type { Extent } from '../extent.ts'
import { previewKept } from '../persons/preview.ts'
import { eraseKept, findNamed, hasKept, type NamedErasures, unfinished } from './erase-kept.ts'
import { COMPLETE } from './reference.ts'
import { CompleteDeletion } from './schemas.ts'

export const keptDataRoutes = createRouter().post(
  '/persons/complete_deletion',
  COMPLETE,
  allow('person:write'),
  validateBody(CompleteDeletion),
  async (c) => {
    const body = c.req.valid('json')
    const { db, project, user, key, now } = c.var
    const uuids = body.ids ?? body.uuids
    const named = uuids ? { uuids } : { distinctIds: (body.distinct_ids ?? []).map(String) }
    const extent = {
      deleteEvents: body.delete_events ?? true,
      deleteRecordings: body.delete_recordings ?? true
    }
    if (body.dry_run) {
      const found = await findNamed(db, project, named)
      const remains = unfinished(found, extent)
      const wanted = { remains, ...extent, setting: c.env, now }
      return c.json({
        ...resultsOf(found, extent, 'found'),
        preview: await previewKept(db, project.id, wanted)
      })
    }
    const { ledger } = await unlockLedger(c.env, db)
    const found = await eraseKept(db, c.env.ERASURE_QUEUE, project, {
      named,
      ...extent,
      actor: actorOf(user, key),
      setting: c.env,
      announce: announcer(ledger, now.getTime()),
      now
    })
    return c.json(resultsOf(found, extent, 'completing'))
  }
)

function resultsOf(found: NamedErasures[], extent: Extent, done: 'completing' | 'found') {
  const resultOf = (remains: NamedErasures['remains']) => {
    if (remains.length === 0) {
      return 'not_found'
    }
    return remains.some((one) => hasKept(one, extent)) ? done : 'nothing_kept'
  }
  return {
    persons_found: unfinished(found, extent).length,
    results: found.map(({ name, remains }) => ({
      id: name,
      result: resultOf(remains),
      person_uuids: [...new Set(remains.map(({ personUuid }) => personUuid))]
    }))
  }
}
