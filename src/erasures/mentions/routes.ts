import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { runRead } from '../../db/batch.ts'
import { NotFoundError } from '../../errors.ts'
import { readRange } from '../../events/range.ts'
import { createRouter } from '../../http/env.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { PersonPath } from '../../persons/path.ts'
import { findPerson, personToJson } from '../../persons/store.ts'
import { LIST } from './reference.ts'
import { findMentions } from './search.ts'

const MentionsQuery = z.object({
  before: z.string().max(100).optional().meta({
    description:
      'Only events before this time are examined: `continue_before` of an earlier search.'
  })
})

export const mentionRoutes = createRouter().get(
  '/persons/:id/mentions',
  LIST,
  allow('person:read'),
  validatePath(PersonPath),
  validateQuery(MentionsQuery),
  async (c) => {
    const { db, project, key, now } = c.var
    const { before } = c.req.valid('query')
    const { until } = readRange({ before }, project, now)
    const row = await runRead(db, findPerson(project.id, c.req.valid('param').id))
    if (!row) {
      throw new NotFoundError()
    }
    const person = personToJson(row)
    return c.json(
      await findMentions(db, project, { person, scopes: key.scopes, before: until, now })
    )
  }
)
