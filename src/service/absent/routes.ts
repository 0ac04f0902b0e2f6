import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { PageQuery } from '../../http/page.ts'
import { validateQuery } from '../../http/validation.ts'
import { SearchText } from '../../input/parameters.ts'

/**
 * Objects of PostHog that do not exist here: the paths of their lists, and their names in the
 * reference.
 */
const ABSENT = {
  actions: 'actions',
  feature_flags: 'feature flags'
}

const ListQuery = z.object({
  ...PageQuery.omit({ cursor: true }).shape,
  search: SearchText.optional().meta({ description: 'Finds nothing.' })
})

const NOTHING = { count: 0, next: null, previous: null, results: [] }

const EmptyPageJson = z
  .object({
    count: z.literal(0),
    next: z.null(),
    previous: z.null(),
    results: z.array(z.unknown()).max(0)
  })
  .meta({ id: 'EmptyPage', examples: [NOTHING] })

/** Empty lists of objects that tools read before they read others. */
export const absentRoutes = createRouter()

for (const [path, name] of Object.entries(ABSENT)) {
  absentRoutes.get(
    `/${path}`,
    describe({
      id: `${path}_list`,
      tag: 'Projects',
      summary: `List ${name}`,
      description: `There are no ${name} here, so the list is always empty. Tools that copy a project read it.`,
      answers: { 200: { text: 'An empty page.', schema: EmptyPageJson } }
    }),
    allow('project:read', 'query:read', 'insight:read', 'person:read'),
    validateQuery(ListQuery),
    (c) => c.json(NOTHING)
  )
}
