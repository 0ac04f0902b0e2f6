import type { Db } from '../db/client.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import {
  type Claim,
  claimOccurrences,
  type DeliveryId,
  findDue,
  takeStalled
} from './ledger/store.ts'
import type { DeliveryMessage } from './message.ts'
import { nextOccurrence } from './schedule.ts'
import type { SubscriptionRow } from './store.ts'

const CLAIMED_AT_ONCE = 500
const TAKEN_AT_ONCE = 500

/** A delivery that nobody has taken up for so long has lost its message, or its consumer died. */
const STALLED_MS = 5 * 60_000

/**
 * What every minute does: each occurrence that is due is entered in the ledger and sent to the queue, and so is, again,
 * what was lost on its way. Run twice, or twice at once, each occurrence is entered once.
 * @param queuesSince messages from before are lost, ms UTC
 * @returns how many occurrences were claimed, and how many deliveries were sent again
 */
export async function runDue(
  db: Db,
  queue: Sender<DeliveryMessage>,
  now: Date,
  queuesSince: number
): Promise<{ claimed: number; resent: number }> {
  const at = now.getTime()
  let claimed = 0
  for (let due = CLAIMED_AT_ONCE; due === CLAIMED_AT_ONCE; ) {
    const rows = await findDue(db, at, CLAIMED_AT_ONCE)
    claimed += await claim(db, queue, rows, at)
    due = rows.length
  }
  const before = Math.max(at - STALLED_MS, queuesSince)
  const stalled = await takeStalled(db, before, TAKEN_AT_ONCE, at)
  await queueDeliveries(queue, stalled)
  return { claimed, resent: stalled.length }
}

/**
 * Enters in the ledger what is due of these subscriptions and moves them on. Occurrences that were missed become one with
 * the last of them.
 * @returns how many were entered
 */
export async function claim(
  db: Db,
  queue: Sender<DeliveryMessage>,
  rows: SubscriptionRow[],
  now: number
): Promise<number> {
  const entered = await claimOccurrences(
    db,
    rows.flatMap((row) => toClaim(row, now)),
    now
  )
  await queueDeliveries(queue, entered)
  return entered.length
}

function toClaim(row: SubscriptionRow, now: number): Claim[] {
  const due = row.nextDeliveryDate
  if (due === null || due > now) {
    return []
  }
  const claim: Claim = {
    subscriptionId: row.id,
    due,
    occurrence: due,
    missed: 0,
    next: nextOccurrence(row, due)
  }
  while (claim.next !== null && claim.next <= now) {
    claim.occurrence = claim.next
    claim.missed += 1
    claim.next = nextOccurrence(row, claim.next)
  }
  return [claim]
}

/**
 * Queues deliveries of the ledger. A failure is only logged: a later minute queues them again.
 * @param delaySeconds until a consumer gets them, at most a day
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
