import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import type { JsonObject } from '../../input/json.ts'
import type { Point } from './compute.ts'
import { BEGINNING, type TimelineQuery } from './query.ts'

export const TimelineJson = z
  .object({
    points: z.array(
      z.object({
        timestamp: z.iso
          .datetime()
          .meta({ description: 'The time of the first event in this state.' }),
        properties: z.record(z.string(), z.unknown()).meta({
          description:
            'All properties of the person at the time of that event; or at an earlier event, if the person is large and changes so often that not every change is kept. Empty for an event without a person profile.'
        }),
        relevant_event_count: z
          .int()
          .min(1)
          .meta({ description: 'The number of counted events from this point up to the next.' })
      })
    ),
    crucial_property_keys: z
      .array(z.string())
      .meta({ description: 'The crucial properties: a change of any of them starts a new point.' }),
    effective_date_from: z.iso.datetime().meta({
      description:
        'The start of the range; with `date_from=all`, the time of the first point or, without points, `effective_date_to`.'
    }),
    effective_date_to: z.iso.datetime().meta({ description: 'The last millisecond of the range.' })
  })
  .meta({
    id: 'PropertiesTimeline',
    examples: [
      {
        points: [
          {
            timestamp: '2026-10-01T00:00:00Z',
            properties: { plan: 'free' },
            relevant_event_count: 2
          },
          {
            timestamp: '2026-10-02T08:00:00Z',
            properties: { plan: 'pro' },
            relevant_event_count: 1
          }
        ],
        crucial_property_keys: ['plan'],
        effective_date_from: '2026-09-29T00:00:00Z',
        effective_date_to: '2026-10-05T23:59:59.999Z'
      }
    ]
  })

export const pointToJson = ({ timestamp, properties, count }: Point): JsonObject => ({
  timestamp: toIso(timestamp),
  properties,
  relevant_event_count: count
})

/**
 * Returns the response. With `date_from=all`, its range begins at the first point or, without
 * points, at the last millisecond.
 */
export function timelineToJson(
  points: Point[],
  { from, until, crucialKeys }: TimelineQuery
): JsonObject {
  const first = points[0]?.timestamp ?? until - 1
  return {
    points: points.map(pointToJson),
    crucial_property_keys: crucialKeys,
    effective_date_from: toIso(from === BEGINNING ? first : from),
    effective_date_to: toIso(until - 1)
  }
}
