import * as z from 'zod'

/**
 * The service's consumers. `QUEUE_NAMES` in wrangler.toml names the queue of each. `capture_dead`
 * gets the dead letters of `capture`, `recordings` and `access`, `deliveries_dead` those of
 * `deliveries`.
 */
export const CONSUMERS = [
  'capture',
  'recordings',
  'erasures',
  'deliveries',
  'columns',
  'access',
  'capture_dead',
  'deliveries_dead'
] as const
export type ConsumerName = (typeof CONSUMERS)[number]

/** The name of each consumer's queue: `{ capture: 'edge-analytics-capture', … }`. */
export const QueueNames = z
  .record(z.enum(CONSUMERS), z.string().min(1))
  .refine((names) => new Set(Object.values(names)).size === CONSUMERS.length, {
    error: 'QUEUE_NAMES must name a queue of its own for each consumer.'
  })

/**
 * Returns the consumer whose queue has this name in `QUEUE_NAMES`.
 * @throws when `QUEUE_NAMES` leaves out a consumer or does not name this queue
 */
export function consumerOf(queueNames: unknown, queue: string): ConsumerName {
  const names = QueueNames.parse(queueNames)
  const consumer = CONSUMERS.find((name) => names[name] === queue)
  if (!consumer) {
    throw new Error(`QUEUE_NAMES in wrangler.toml names no consumer for the queue ${queue}.`)
  }
  return consumer
}
