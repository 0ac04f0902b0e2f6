import * as z from 'zod'
import { SESSION_TYPES, type SessionProperty } from '../properties/session.ts'

const SessionPropertyJson = z.object({
  id: z.string().meta({ description: 'The same as `name`.' }),
  name: z.string(),
  is_numerical: z.boolean(),
  property_type: z.enum(SESSION_TYPES),
  is_seen_on_filtered_events: z.null(),
  tags: z.array(z.string())
})

export const SessionPropertiesJson = z
  .object({ count: z.int().min(0), results: z.array(SessionPropertyJson) })
  .meta({
    id: 'SessionProperties',
    examples: [
      {
        count: 1,
        results: [
          {
            id: '$session_duration',
            name: '$session_duration',
            is_numerical: true,
            property_type: 'Duration',
            is_seen_on_filtered_events: null,
            tags: []
          }
        ]
      }
    ]
  })
export type SessionPropertiesJson = z.infer<typeof SessionPropertiesJson>

export const propertyToJson = ({
  name,
  type
}: SessionProperty): z.infer<typeof SessionPropertyJson> => ({
  id: name,
  name,
  is_numerical: type === 'Numeric' || type === 'Duration',
  property_type: type,
  is_seen_on_filtered_events: null,
  tags: []
})

export const SessionValuesJson = z
  .object({
    results: z.array(
      z.object({
        name: z.string(),
        count: z
          .int()
          .min(1)
          .meta({ description: 'The number of sessions that are over and have this value.' })
      })
    ),
    refreshing: z.literal(false)
  })
  .meta({
    id: 'SessionValues',
    examples: [
      {
        results: [
          { name: 'google', count: 812 },
          { name: 'newsletter', count: 77 }
        ],
        refreshing: false
      }
    ]
  })
export type SessionValuesJson = z.infer<typeof SessionValuesJson>
