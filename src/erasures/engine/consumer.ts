import type { OpenProject } from '../../access/open.ts'
import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { purgeDeadLetters } from '../../dead-letters/purge.ts'
import { catching, describeError, UnavailableError } from '../../errors.ts'
import { findSecret, WrongSecretError } from '../../ledger/secret.ts'
import { log } from '../../log.ts'
import { consumeEach } from '../../queues/consume.ts'
import { MAX_DELAY, retryOrDrop } from '../../queues/failure.ts'
import type { Invocation } from '../../queues/invocation.ts'
import { openUpkeepOf, readMessage } from '../../queues/message.ts'
import { Remover } from '../events/remover.ts'
import { findRemoval } from '../events/store.ts'
import { Eraser, mayComplete } from '../persons/eraser.ts'
import { markFailed, noteFailure, noteWaiting } from '../persons/purge.store.ts'
import { openSigner, type Signer, type Signing } from '../receipts/issue.ts'
import {
  type ErasureMessage,
  firstMessage,
  mayContinue,
  messageAfter,
  QueueMessage,
  type RemovalMessage
} from './message.ts'
import { type ErasureRow, findOpenErasures, finishRuns } from './store.ts'
import { searchWaiting } from './waiting.ts'

/**
 * Failures after which an erasure waits: for the next run if it is part of a run, otherwise for the
 * next sweep.
 */
const MAX_ATTEMPTS = 8

/**
 * How often, at most, a consumer checks again whether everything accepted before an erasure or a
 * removal is processed. The delays are 5, 10, 20… seconds, about ten minutes in all. The last check
 * removes the data of erased persons from what is still not processed; a removal waits for the next
 * sweep.
 */
const MAX_WAITS = 7
/** Delay of the first check, seconds. */
const FIRST_WAIT = 5
/** Returns the seconds until the next check after `waited` checks. */
const waitAfter = (waited: number): number => FIRST_WAIT * 2 ** waited
/** Half of the first delay, seconds. The delay doubles with each failure: 20, 40, 80… */
const RETRY_UNIT = 10

export type ErasureQueue = {
  send(body: QueueMessage, options?: { delaySeconds: number }): Promise<unknown>
}

type ErasureInvocation = Invocation<
  Pick<Env, 'DB' | 'BUCKET'> & Signing & { ERASURE_QUEUE: ErasureQueue }
>

/**
 * Continues the erasures and removals that messages name. Messages may arrive twice, at the same
 * time and in any order, and the work may be interrupted anywhere.
 * @returns the outcome of the messages, and the number of erasures and removals that were completed
 */
export async function consumeErasures(batch: MessageBatch, invocation: ErasureInvocation) {
  let completed = 0
  const outcome = await consumeEach(
    batch,
    async ({ body }) => {
      const message = readMessage(QueueMessage, 'an erasure message', body)
      completed += await continueMessage(message, invocation)
    },
    retryOrDrop(batch.queue)
  )
  return { ...outcome, completed }
}

/**
 * Continues what a message names as far as one invocation's limits allow, and sends a message for
 * the rest.
 * @returns the number of completed erasures and removals
 * @throws PoisonError if the project does not exist, unavailable when the database cannot do the
 * work now, and any failure of a removal; failures of erasures are only noted
 */
export async function continueMessage(
  message: QueueMessage,
  invocation: ErasureInvocation
): Promise<number> {
  const { env } = invocation
  const open = await openUpkeepOf(message.project_id, invocation)
  const secret = await catching(WrongSecretError, findSecret(env, open.db))
  const isWrong = secret instanceof WrongSecretError
  // With a wrong secret, deletions wait: the sweep takes them up.
  const work = {
    open,
    invocation,
    signer: isWrong ? undefined : await openSigner(env, secret),
    fault: isWrong ? secret.message : undefined
  }
  return 'removal' in message ? continueRemoval(message, work) : continueErasures(message, work)
}

type Opened = {
  open: OpenProject
  invocation: ErasureInvocation
  signer: Signer | undefined
  /** Why nothing may be deleted now. */
  fault: string | undefined
}

/**
 * Continues the erasures of a message. Erasures that must wait for data of their persons, accepted
 * before them, are purged but not completed, and get a delayed message. So do erasures that fail
 * and have attempts left.
 */
async function continueErasures(
  message: ErasureMessage,
  { open: opened, invocation, signer, fault }: Opened
): Promise<number> {
  const { project, db } = opened
  const { env, clock } = invocation
  const queue = env.ERASURE_QUEUE
  const found = await findOpenErasures(db, project.id, message.erasures)
  const open = found.filter((erasure) => mayContinue(message, erasure))
  if (fault !== undefined) {
    await noteWaiting(db, open, fault, clock().getTime())
    return 0
  }
  const eraser = new Eraser(opened, invocation, signer)

  // Searched before the dead letters: a message that becomes a dead letter in between still counts
  // as waiting.
  const search = await searchWaiting(opened, open.filter(mayComplete), {
    ...invocation,
    removes: message.waited >= MAX_WAITS
  })
  const waiting = open.filter(({ id }) => search.waiting.has(id))
  const ready = open.filter(({ id }) => !search.waiting.has(id))
  if (waiting.length > 0) {
    const sameTime = Map.groupBy(waiting, ({ id }) => search.waiting.get(id) ?? 0)
    for (const [oldest, rows] of sameTime) {
      await noteWaiting(db, rows, describeWait(oldest), clock().getTime())
    }
    await sendLater(queue, project.id, waiting, message.waited)
    await removeMeanwhile(eraser, db, waiting, clock)
  }

  // Dead letters hold events, which are purged in a run, and parts of recordings.
  const hasPurges = ready.some(({ run, deleteRecordings }) => run !== null || deleteRecordings)
  // What was just found to be unreadable has become a dead letter, which an earlier search has not
  // seen.
  const from = search.parked > 0 ? '' : message.letter
  if (from !== null && hasPurges) {
    const letter = await purgeDeadLetters(invocation, opened, from)
    if (letter !== null) {
      await queue.send(messageAfter(project.id, letter, ready))
      return 0
    }
  }
  const { completed, failures, rest } = await advanceEach(eraser, db, ready, clock)
  if (rest.length > 0) {
    await queue.send(messageAfter(project.id, null, rest))
  }
  await sendFailed(queue, project.id, failures)
  await finishRuns(db, clock().getTime())
  return completed
}

async function continueRemoval(
  message: RemovalMessage,
  { open, invocation, signer, fault }: Opened
): Promise<number> {
  const queue = invocation.env.ERASURE_QUEUE
  const removal = await findRemoval(open.db, open.project.id, message.removal)
  if (!removal || removal.completedAt !== null) {
    return 0
  }
  const remover = new Remover(open, invocation, signer)
  if (fault !== undefined) {
    await remover.wait(removal, fault)
    return 0
  }
  const state = await remover.advance(removal).catch(async (error) => {
    await remover.wait(removal, describeError(error))
    throw error
  })
  if (state === 'cut') {
    await queue.send(message)
  }
  if (state === 'waiting' && message.waited < MAX_WAITS) {
    const next = { ...message, waited: message.waited + 1 }
    await queue.send(next, { delaySeconds: waitAfter(message.waited) })
  }
  return state === 'completed' ? 1 : 0
}

/**
 * Advances erasures one after the other. `rest` are the erasures that another invocation must
 * advance.
 */
async function advanceEach(
  eraser: Eraser,
  db: Db,
  rows: ErasureRow[],
  clock: () => Date
): Promise<{ completed: number; failures: Failure[]; rest: ErasureRow[] }> {
  const failures: Failure[] = []
  let completed = 0
  for (const [i, erasure] of rows.entries()) {
    try {
      const state = await eraser.advance(erasure)
      if (state === 'cut') {
        return { completed, failures, rest: rows.slice(i) }
      }
      completed += state === 'completed' ? 1 : 0
    } catch (error) {
      failures.push(await recordFailure(db, erasure, error, clock))
    }
  }
  return { completed, failures, rest: [] }
}

/** Sends a delayed message for the failed erasures that have attempts left. */
async function sendFailed(
  queue: ErasureQueue,
  projectId: number,
  failures: Failure[]
): Promise<void> {
  const retried = failures.filter(({ tries }) => tries < MAX_ATTEMPTS).map(({ erasure }) => erasure)
  if (retried.length > 0) {
    const attempts = Math.max(...failures.map(({ tries }) => tries))
    await queue.send(messageAfter(projectId, null, retried), {
      delaySeconds: Math.min(MAX_DELAY, RETRY_UNIT * 2 ** attempts)
    })
  }
}

const describeWait = (oldest: number): string =>
  `Events or recordings of the person, the oldest accepted at ${toIso(oldest)}, are not processed yet. The deletion is completed after them.`

/**
 * Sends a delayed message that checks waiting erasures again, and then searches the dead letters
 * from the first on. After the last check, sends nothing: the sweep takes up the erasures for which
 * there was too much to search.
 */
async function sendLater(
  queue: ErasureQueue,
  projectId: number,
  rows: ErasureRow[],
  waited: number
): Promise<void> {
  if (waited < MAX_WAITS) {
    const ids = rows.map(({ id }) => id)
    await queue.send(firstMessage(projectId, ids, waited + 1), { delaySeconds: waitAfter(waited) })
  }
}

/** Purges the data of erasures that must wait, as far as the invocation's limits allow. */
async function removeMeanwhile(
  eraser: Eraser,
  db: Db,
  rows: ErasureRow[],
  clock: () => Date
): Promise<void> {
  for (const erasure of rows) {
    try {
      if ((await eraser.remove(erasure)) === 'cut') {
        return
      }
    } catch (error) {
      await recordFailure(db, erasure, error, clock)
    }
  }
}

type Failure = { erasure: ErasureRow; tries: number }

/**
 * Notes why an erasure failed. After its last attempt in a run, marks it as failed: it waits for
 * the next run.
 * @throws unavailable when the database cannot do the work now
 */
async function recordFailure(
  db: Db,
  erasure: ErasureRow,
  error: unknown,
  clock: () => Date
): Promise<Failure> {
  if (error instanceof UnavailableError) {
    throw error
  }
  const tries = await noteFailure(db, erasure, describeError(error), clock().getTime())
  log('error', 'erasure failed', {
    project: erasure.projectId,
    erasure: erasure.id,
    tries,
    error: describeError(error)
  })
  if (tries >= MAX_ATTEMPTS && erasure.run !== null) {
    await markFailed(db, erasure)
  }
  return { erasure, tries }
}
