import * as z from 'zod'
import type { JsonObject } from '../input/json.ts'
import { uuidFromHex } from '../input/uuid.ts'
import type { EventRow } from './store.ts'

export const EventJson = z
  .object({
    id: z.guid().meta({ description: 'The uuid of the event.' }),
    event: z.string().meta({ description: 'The name of the event.' }),
    timestamp: z.iso.datetime().meta({ description: 'Always with milliseconds.' }),
    distinct_id: z
      .string()
      .nullable()
      .meta({ description: 'Null if the person was erased and the event is still stored.' }),
    person: z.object({ id: z.int(), uuid: z.guid() }).nullable().meta({
      description:
        'The person that the event belongs to now; null if that person was erased, or if the event has none.'
    }),
    session_id: z.string().nullable().meta({ description: 'Null without a session.' }),
    properties: z.record(z.string(), z.unknown())
  })
  .meta({
    id: 'StoredEvent',
    examples: [
      {
        id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
        event: '$pageview',
        timestamp: '2026-11-20T10:11:12.345Z',
        distinct_id: 'ada',
        person: { id: 731, uuid: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072' },
        session_id: '0199a3c4-0000-7f80-9a1b-2c3d4e5f6073',
        properties: { $browser: 'Firefox' }
      }
    ]
  })

export const EventPageJson = z
  .object({
    next: z
      .url()
      .nullable()
      .meta({ description: 'The absolute URL of the next page; null on the last page.' }),
    searched_until: z.iso.datetime().nullable().meta({
      description:
        'Set if the page ended early: all events later than this time, or earlier with `order=asc`, have been searched, and `next` continues there. Null otherwise.'
    }),
    results: z.array(EventJson)
  })
  .meta({
    id: 'StoredEventPage',
    examples: [
      {
        next: null,
        searched_until: null,
        results: [
          {
            id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
            event: '$pageview',
            timestamp: '2026-11-20T10:11:12.345Z',
            distinct_id: 'ada',
            person: { id: 731, uuid: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072' },
            session_id: '0199a3c4-0000-7f80-9a1b-2c3d4e5f6073',
            properties: { $browser: 'Firefox' }
          }
        ]
      }
    ]
  })

/** Returns an event as the API shows it. */
export function eventToJson(row: EventRow) {
  const properties: JsonObject = JSON.parse(row.properties)
  return {
    id: uuidFromHex(row.uuid),
    event: row.event,
    // Connectors compare these times as texts, and read none without a fraction.
    timestamp: new Date(row.timestamp).toISOString(),
    distinct_id: row.distinct_id,
    person:
      row.person_id !== null && row.person_uuid !== null
        ? { id: row.person_id, uuid: row.person_uuid }
        : null,
    session_id: row.session_id,
    properties
  } satisfies z.infer<typeof EventJson>
}
