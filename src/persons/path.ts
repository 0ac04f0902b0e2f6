import * as z from 'zod'
import { Whole } from '../input/parameters.ts'

const HINT = 'To find a person by a distinct id, list persons with the query parameter distinct_id.'
export const NO_ID = `A person's id must be an integer or a UUID. ${HINT}`

/** The id of a person in a path: its integer id or its uuid. */
export const PersonPath = z.object({
  id: z
    .union([Whole, z.guid({ abort: true })], NO_ID)
    .transform((id) => (typeof id === 'number' ? { id } : { uuid: id.toLowerCase() }))
    .meta({ description: "The person's integer id or its uuid." })
})
