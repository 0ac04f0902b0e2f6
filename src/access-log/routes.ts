import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { toIso } from '../calendar/clock.ts'
import { noDate, readFrom } from '../calendar/dates.ts'
import { AppError } from '../errors.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { cursorSchema, encodeCursor, PageQuery, pageLink, readPage } from '../http/page.ts'
import { validateQuery } from '../http/validation.ts'
import { IdentifyingText, wholeFrom } from '../input/parameters.ts'
import { AccessPageJson, accessToJson } from './schemas.ts'
import { type AccessPlace, searchAccess } from './search.ts'
import { ACCESS_LOG_MONTHS } from './upkeep.ts'

const Place = cursorSchema({ at: z.int(), id: z.string() })

const AccessQuery = z.object({
  ...PageQuery.omit({ offset: true }).shape,
  person: z
    .guid()
    .transform((uuid) => uuid.toLowerCase())
    .optional()
    .meta({ description: 'Only reads about the person with this UUID, also an erased one.' }),
  key: wholeFrom(1).optional().meta({ description: 'Only reads with the API key of this id.' }),
  since: IdentifyingText.optional().meta({ description: 'Only reads at this time or later.' }),
  until: IdentifyingText.optional().meta({ description: 'Only reads before this time.' })
})

const LIST = describe({
  id: 'access_log_list',
  tag: 'Persons',
  summary: 'List who has read personal data',
  description: `Newest first. Each read of a person, a recording, an export or a receipt is an entry, and so is each list of persons, events, recordings or actors. Entries appear within a minute and are kept for ${ACCESS_LOG_MONTHS} months. They name persons by their UUIDs only.`,
  answers: { 200: { text: 'A page of reads.', schema: AccessPageJson } },
  refusals: [
    ['invalid_input', '`since` must not be later than `until`.', 'since'],
    ['invalid_input', 'Invalid UUID', 'person']
  ]
})

export const accessLogRoutes = createRouter().get(
  '/access_log',
  LIST,
  allow('access_log:read'),
  validateQuery(AccessQuery),
  async (c) => {
    const { project, now } = c.var
    const { person, key, ...query } = c.req.valid('query')
    const timeOf = (attr: 'since' | 'until'): number | undefined => {
      const text = query[attr]
      const time = text === undefined ? undefined : readFrom(text, project, now)
      if (text !== undefined && time === undefined) {
        throw noDate(text, attr)
      }
      return time
    }
    const since = timeOf('since') ?? 0
    const until = timeOf('until') ?? now.getTime() + 1
    if (since > until) {
      throw new AppError('invalid_input', '`since` must not be later than `until`.', 'since')
    }
    const { size, rows } = readPage(c.req.url, Place, { ...query, offset: 0 })
    const { after, limit } = rows
    const range = { since, until, after, limit }
    const found = await searchAccess(c.env.BUCKET, { projectId: project.id, person, key, ...range })
    const shown = found.entries.slice(0, size)
    const last = found.entries.length > size ? shown.at(-1) : undefined
    const next = placeAfter(last, found.searchedUntil)
    return c.json({
      next: next ? pageLink(c.req.url, { size, offset: 0, cursor: encodeCursor(next, 0) }) : null,
      searched_until:
        !last && found.searchedUntil !== undefined ? toIso(found.searchedUntil) : null,
      results: shown.map(accessToJson)
    })
  }
)

/** Returns where the next page continues: after an entry, or where the search ended. */
function placeAfter(
  last: AccessPlace | undefined,
  searchedUntil: number | undefined
): AccessPlace | undefined {
  if (last) {
    return { at: last.at, id: last.id }
  }
  return searchedUntil === undefined ? undefined : { at: searchedUntil, id: '' }
}
