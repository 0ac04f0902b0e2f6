import * as z from 'zod'
import { MAX_FILTER_NAMES } from '../events/filters.ts'
import { MAX_EVENTS } from './events.ts'
import { MAX_SHOWN, type Mentions } from './search.ts'
import { MAX_ROWS } from './store.ts'
import { MAX_TEXTS, MIN_LENGTH } from './texts.ts'

const STORES = [
  'subscriptions',
  'alerts',
  'subscription_deliveries',
  'insights',
  'dashboards',
  'annotations',
  'cohorts',
  'persons',
  'events'
] as const

const Removal = z
  .object({
    method: z.enum(['PATCH', 'POST', 'DELETE']),
    path: z.string().meta({ description: 'Relative to the project.' }),
    body: z.record(z.string(), z.unknown())
  })
  .nullable()
  .meta({
    description:
      'The request that removes the texts: look at it before you send it. In other objects, `[removed]` takes the place of the texts. Null for deliveries of subscriptions, which the service deletes 90 days after they have finished, except the last of each subscription.'
  })

/** A store that was searched, and what was found in it. */
const StoreSearch = z.object({
  store: z.enum(STORES),
  scope: z.string().meta({ description: 'The scope that a key needs to look into this store.' }),
  looked: z.boolean().meta({ description: 'False if the key lacks the scope.' }),
  examined: z.int().min(0).meta({ description: 'Rows that were examined.' }),
  complete: z.boolean().meta({ description: 'Whether all rows of the store were examined.' }),
  found: z.int().min(0).meta({ description: 'The number of mentions.' }),
  mentions: z
    .array(
      z.object({
        id: z.string().meta({
          description:
            'The id of the object, the UUID of another person, or the property of other persons’ events.'
        }),
        fields: z
          .array(z.string())
          .meta({ description: 'The fields, or the properties, in which a text stands.' }),
        events: z
          .int()
          .nullable()
          .meta({ description: 'The number of events with the property; null for objects.' }),
        removal: Removal
      })
    )
    .meta({
      description: `The first ${MAX_SHOWN}. A property of events with more than ${MAX_FILTER_NAMES} names is several mentions, because its removal takes as many requests.`
    })
})

export const MentionsJson = z
  .object({
    texts: z.object({ total: z.int(), searched: z.int() }).meta({
      description: `How many ids and e-mail addresses the person has, and how many were looked for: at most ${MAX_TEXTS}, of at least ${MIN_LENGTH} characters.`
    }),
    stores: z.array(StoreSearch),
    searched_until: z.iso.datetime().nullable().meta({
      description:
        'If older events are left: the time of the last event that was examined. Otherwise null.'
    }),
    cursor: z.string().nullable().meta({
      description:
        'If older events are left: the `cursor` with which the next search continues. Otherwise null.'
    })
  })
  .meta({
    id: 'Mentions',
    examples: [
      {
        texts: { total: 3, searched: 3 },
        stores: [
          {
            store: 'subscriptions',
            scope: 'subscription:read',
            looked: true,
            examined: 12,
            complete: true,
            found: 1,
            mentions: [
              {
                id: '4',
                fields: ['target_value'],
                events: null,
                removal: {
                  method: 'PATCH',
                  path: 'subscriptions/4/',
                  body: { target_value: 'grace@example.com' }
                }
              }
            ]
          }
        ],
        searched_until: null,
        cursor: null
      }
    ]
  })

/** The bounds of a search, for texts of the reference. */
export const BOUNDS = `up to ${MAX_ROWS} rows of each store, and the newest ${MAX_EVENTS} events`

/** How much was found in a store, without what: for receipts. */
export const MentionCount = z.object({
  store: z.enum(STORES),
  looked: z.boolean().meta({ description: 'False if the key of the request lacked the scope.' }),
  examined: z.int().min(0).meta({ description: 'Rows that were examined.' }),
  complete: z.boolean().meta({ description: 'Whether all rows of the store were examined.' }),
  found: z.int().min(0).meta({ description: 'The number of mentions.' })
})
export type MentionCount = z.infer<typeof MentionCount>

/** The counts of all stores, as an erasure keeps them; null if nothing was looked for. */
export const MentionCounts = z.array(MentionCount).nullable()

/** Counts what was found. */
export const countMentions = ({ stores }: Mentions): MentionCount[] =>
  stores.map((store) => MentionCount.parse(store))
