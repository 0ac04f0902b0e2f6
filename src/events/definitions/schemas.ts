import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import type { NameCount, NameRow, PropertyRow } from './store.ts'

export const EventDefinitionJson = z
  .object({
    id: z.string().meta({ description: 'The same as `name`.' }),
    name: z.string(),
    count: z.int().min(0).meta({ description: 'The number of stored events with this name.' }),
    last_seen_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The time of the latest event with this name; null if none is left.' })
  })
  .meta({
    id: 'EventDefinition',
    examples: [
      {
        id: '$pageview',
        name: '$pageview',
        count: 81234,
        last_seen_at: '2026-11-20T10:11:12.345Z'
      }
    ]
  })

const PROPERTY_KINDS = ['String', 'Numeric', 'Boolean'] as const

export const PropertyDefinitionJson = z
  .object({
    id: z.string().meta({ description: 'The same as `name`.' }),
    name: z.string(),
    is_numerical: z.boolean(),
    property_type: z.enum(PROPERTY_KINDS).nullable().meta({
      description:
        'The type of the newest value that is not null. Null for lists and objects, for a property whose values are all null, and for a property that is only in events older than the newest ones, which are read for the types.'
    }),
    is_seen_on_filtered_events: z.null(),
    tags: z.array(z.string())
  })
  .meta({
    id: 'PropertyDefinition',
    examples: [
      {
        id: 'price',
        name: 'price',
        is_numerical: true,
        property_type: 'Numeric',
        is_seen_on_filtered_events: null,
        tags: []
      }
    ]
  })

export const eventDefinitionToJson = ({ name }: NameRow, counted: NameCount | undefined) =>
  ({
    id: name,
    name,
    count: counted?.count ?? 0,
    last_seen_at: typeof counted?.last === 'number' ? toIso(counted.last) : null
  }) satisfies z.infer<typeof EventDefinitionJson>

const KINDS: Record<string, (typeof PROPERTY_KINDS)[number]> = {
  text: 'String',
  integer: 'Numeric',
  real: 'Numeric',
  true: 'Boolean',
  false: 'Boolean'
}

export function propertyDefinitionToJson({ name, kind }: PropertyRow) {
  const property_type = KINDS[kind ?? ''] ?? null
  return {
    id: name,
    name,
    is_numerical: property_type === 'Numeric',
    property_type,
    is_seen_on_filtered_events: null,
    tags: []
  } satisfies z.infer<typeof PropertyDefinitionJson>
}
