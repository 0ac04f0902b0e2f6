import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { runRead } from '../../db/batch.ts'
import { NotFoundError } from '../../errors.ts'
import { EventCursor } from '../../events/reference.ts'
import { createRouter } from '../../http/env.ts'
import { PageQuery, readPage } from '../../http/page.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { PersonPath } from '../../persons/path.ts'
import { findPerson, personToJson } from '../../persons/store.ts'
import { mentionsToJson } from './answer.ts'
import { LIST } from './reference.ts'
import { findMentions } from './search.ts'

const MentionsQuery = z.object({
  cursor: PageQuery.shape.cursor.meta({
    description: 'Only older events are examined: `cursor` of an earlier search.'
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
    const { rows } = readPage(c.req.url, EventCursor, { ...c.req.valid('query'), offset: 0 })
    const row = await runRead(db, findPerson(project.id, c.req.valid('param').id))
    if (!row) {
      throw new NotFoundError()
    }
    const person = personToJson(row)
    const search = { person, scopes: key.scopes, after: rows.after, now }
    return c.json(mentionsToJson(await findMentions(db, project, search)))
  }
)
