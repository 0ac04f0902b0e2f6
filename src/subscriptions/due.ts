import { MINUTE } from '../calendar/units.ts'
import type { Db } from '../db/client.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import { nextCheck } from './alerts/schedule.ts'
import { takeStalled } from './deliveries/attempts.store.ts'
import { type Claim, claimOccurrences, type DeliveryId, findDue } from './deliveries/store.ts'
import type { DeliveryMessage } from './message.ts'
import { nextOccurrence } from './schedule.ts'
import type { SubscriptionRow } from './store.ts'

/** Subscriptions whose occurrences are entered in one transaction. */
const CLAIMED_AT_ONCE = 500
/** Stalled deliveries that are queued again per minute. */
const TAKEN_AT_ONCE = 500

/** Longest that a delivery may be overdue, ms; then its message counts as lost. */
const STALLED_MS = 5 * MINUTE

/**
 * Stores and queues a delivery for every due occurrence. Deliveries whose message was lost are
 * queued again. Runs every minute; an occurrence gets one delivery, even from two runs at the same
 * time.
 * @param limits `queuesSince`: the queues have lost all messages sent before this time, ms UTC;
 * `isSpent` returns true once no further subscriptions may be read: the others stay due
 * @returns how many occurrences were claimed, and how many deliveries were queued again
 */
export async function runDue(
  db: Db,
  queue: Sender<DeliveryMessage>,
  now: Date,
  { queuesSince, isSpent }: { queuesSince: number; isSpent: () => boolean }
): Promise<{ claimed: number; resent: number }> {
  const at = now.getTime()
  let claimed = 0
  let rows: SubscriptionRow[] = []
  do {
    // Each page begins after the last, because faulty schedules stay due and would be read forever.
    rows = await findDue(db, at, CLAIMED_AT_ONCE, rows.at(-1))
    claimed += await claim(db, queue, rows, at)
  } while (rows.length === CLAIMED_AT_ONCE && !isSpent())
  const before = Math.max(at - STALLED_MS, queuesSince)
  const stalled = await takeStalled(db, before, TAKEN_AT_ONCE, at)
  await queueDeliveries(queue, stalled)
  return { claimed, resent: stalled.length }
}

/**
 * Stores deliveries for the due occurrences of these subscriptions and moves the subscriptions to
 * their next occurrence. Of several missed occurrences, only the last gets a delivery, with the
 * number of the others. A subscription whose schedule cannot be computed is logged and stays due;
 * it does not stop the others.
 * @returns the number of deliveries stored
 */
export async function claim(
  db: Db,
  queue: Sender<DeliveryMessage>,
  rows: SubscriptionRow[],
  now: number
): Promise<number> {
  const claims: Claim[] = []
  for (const row of rows) {
    try {
      claims.push(...(await toClaim(row, now)))
    } catch (error) {
      log('error', 'subscription schedule failed', {
        project: row.projectId,
        subscription: row.id,
        error: describeError(error)
      })
    }
  }
  const stored = await claimOccurrences(db, claims, now)
  await queueDeliveries(queue, stored)
  return stored.length
}

async function toClaim(row: SubscriptionRow, now: number): Promise<Claim[]> {
  const due = row.nextDeliveryDate
  if (due === null || due > now) {
    return []
  }
  let occurrence = due
  let missed = 0
  let next = await nextDue(row, due)
  while (next !== null && next <= now) {
    occurrence = next
    missed += 1
    next = await nextDue(row, next)
  }
  return [{ subscriptionId: row.id, due, occurrence, missed, next }]
}

const nextDue = async (row: SubscriptionRow, after: number): Promise<number | null> =>
  row.checks ? nextCheck(row.checks, after) : nextOccurrence(row, after)

/**
 * Queues stored deliveries. A failure is only logged, because the cron of a later minute queues
 * them again.
 * @param delaySeconds seconds until a consumer gets them, at most a day
 */
export async function queueDeliveries(
  queue: Sender<DeliveryMessage>,
  deliveries: DeliveryId[],
  delaySeconds = 0
): Promise<void> {
  try {
    const messages = deliveries.map(({ id, project_id }) => ({ id, project_id }))
    await sendAll(queue, messages, { delaySeconds })
  } catch (error) {
    log('warn', 'deliveries wait for the sweep', {
      deliveries: deliveries.length,
      error: describeError(error)
    })
  }
}
