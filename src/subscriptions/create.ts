import type * as z from 'zod'
import { userToJson } from '../access/user.ts'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import type { SubscriptionInput } from './request.ts'
import { PAUSED_BY_USER } from './resume.ts'
import { nextOccurrence } from './schedule.ts'
import { SubscriptionJson, subscriptionWithSecret } from './schemas.ts'
import { newSecret } from './signature.ts'
import {
  findAnswer,
  insertSubscription,
  reserveSubscriptionId,
  type SubscriptionRow
} from './store.ts'
import { expectSubject } from './subject.ts'
import { changeTerms, expectFuture, newTerms } from './terms.ts'

export type Creation = {
  project: { id: number; timezone: string }
  user: Parameters<typeof userToJson>[0]
  input: z.infer<typeof SubscriptionInput>
  idempotencyKey: string | undefined
  /** The origin of this service, with which links in messages begin. */
  origin: string
  /** The setting `OUTBOUND_ALLOW`. */
  outboundAllow: string
  now: Date
}

/**
 * Creates a subscription. A request repeated with its idempotency key gets the first response.
 * @throws invalid_input, does_not_exist, conflict; unavailable after too many concurrent requests
 * with the same key
 */
export async function createSubscription(db: Db, creation: Creation): Promise<SubscriptionJson> {
  const { user, input, idempotencyKey } = creation
  const hash = sha256(JSON.stringify(input))
  return retryConflicts(async () => {
    const earlier = await findEarlierAnswer(db, creation, hash)
    if (earlier) {
      return earlier
    }
    const row = await composeSubscription(db, creation, () => reserveSubscriptionId(db))
    const answer = subscriptionWithSecret(row)
    await insertSubscription(
      db,
      row,
      idempotencyKey === undefined
        ? undefined
        : { userId: user.id, key: idempotencyKey, hash, answer: JSON.stringify(answer) }
    )
    return answer
  })
}

/** Returns the answer to an earlier request with this key. @throws conflict if it was different */
async function findEarlierAnswer(
  db: Db,
  { project, user, idempotencyKey: key, now }: Creation,
  hash: string
): Promise<SubscriptionJson | undefined> {
  if (key === undefined) {
    return undefined
  }
  const earlier = await findAnswer(db, { projectId: project.id, userId: user.id, key }, now)
  if (!earlier) {
    return undefined
  }
  if (earlier.hash !== hash) {
    throw new AppError(
      'conflict',
      'This idempotency key was used for another request.',
      'Idempotency-Key'
    )
  }
  return SubscriptionJson.parse(JSON.parse(earlier.answer))
}

/**
 * Returns the row of a new subscription, which is not stored.
 * @param reserveId called once everything else of the row is known to be valid
 * @throws invalid_input, does_not_exist
 */
export async function composeSubscription(
  db: Db,
  { project, user, input, origin, outboundAllow, now }: Omit<Creation, 'idempotencyKey'>,
  reserveId: () => Promise<number>
): Promise<SubscriptionRow> {
  const terms = await changeTerms(newTerms(project.timezone), input, outboundAllow)
  if (!terms.deleted) {
    await expectFuture(terms, now.getTime())
  }
  await expectSubject({ db, project }, terms, undefined)
  const isPaused = input.enabled === false
  return {
    ...terms,
    id: await reserveId(),
    projectId: project.id,
    createdBy: userToJson(user),
    createdAt: now.getTime(),
    nextDeliveryDate: terms.deleted || isPaused ? null : await nextOccurrence(terms, now.getTime()),
    failures: 0,
    pausedReason: isPaused ? PAUSED_BY_USER : null,
    secret: newSecret(),
    origin,
    revision: 0,
    checks: null
  }
}
