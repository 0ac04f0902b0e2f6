import type { OpenProject } from '../../access/open.ts'
import { type Ledger, openLedger } from '../../ledger/ledger.ts'
import type { Invocation } from '../../queues/invocation.ts'
import type { Issued, Signer } from '../receipts/issue.ts'
import { publishKey } from '../receipts/keys.ts'
import { PacedWork } from './paced-work.ts'

/** Why a deletion waits without secrets, as in `npm run purge:now`. */
const UNSIGNED =
  'Everything is removed. Within half an hour, the service signs the receipt and completes the deletion, if it has the secrets RECEIPT_KEY and RECEIPT_SECRET.'

/**
 * `waiting`: the deletion waits for its run, for data that is not processed yet, or for a secret,
 * or another message continues it. `cut`: another invocation must continue. `completed`: nothing is
 * left to do.
 */
export type State = 'waiting' | 'cut' | 'completed'

/** A search that has found nothing, and what it entitles to. */
export type Verified = {
  receipt: Issued
  /** The time of the search, ms UTC. */
  at: number
  /** Completes the deletion with the receipt, unless it has more to delete since the search. */
  complete: () => Promise<boolean>
}

/**
 * Carries out the deletions of a project, as far as one invocation's limits allow: removes the
 * data, searches it again, signs a receipt, enters the receipt in the ledger and completes the
 * deletion. Messages may arrive twice, at the same time, and the work may be interrupted anywhere.
 */
export abstract class DeletionEngine<Task> {
  protected readonly open: OpenProject
  protected readonly invocation: Invocation<Pick<Env, 'DB' | 'BUCKET'>>
  protected readonly work: PacedWork
  readonly #signer: Signer | undefined
  #ledger: Promise<Ledger> | undefined

  /** @param signer signs receipts; without it, no deletion is completed */
  constructor(
    open: OpenProject,
    invocation: Invocation<Pick<Env, 'DB' | 'BUCKET'>>,
    signer: Signer | undefined
  ) {
    this.open = open
    this.invocation = invocation
    this.work = new PacedWork(invocation)
    this.#signer = signer
  }

  /** Removes what a deletion deletes. @returns `removed` when nothing is left */
  abstract remove(task: Task): Promise<Exclude<State, 'completed'> | 'removed'>

  /** Notes why a deletion waits. */
  abstract wait(task: Task, why: string): Promise<unknown>

  /**
   * Searches everything once more.
   * @returns what comes next unless nothing is left
   * @throws when something is left that the next invocation would not remove
   */
  protected abstract verify(task: Task, signer: Signer): Promise<State | Verified>

  async advance(task: Task): Promise<State> {
    const removed = await this.remove(task)
    if (removed !== 'removed') {
      return removed
    }
    if (!this.#signer) {
      await this.wait(task, UNSIGNED)
      return 'waiting'
    }
    const verified = await this.verify(task, this.#signer)
    if (typeof verified === 'string') {
      return verified
    }
    const { receipt, at, complete } = verified
    this.#ledger ??= this.#openLedger(this.#signer, at)
    const entry = { kind: 'receipt', project: this.open.project.id, receipt: receipt.hash }
    await (await this.#ledger).append(entry, at)
    return (await complete()) ? 'completed' : 'cut'
  }

  protected now(): number {
    return this.invocation.clock().getTime()
  }

  /** Opens the ledger, which gets the key that signs before the first receipt. */
  async #openLedger({ key }: Signer, now: number): Promise<Ledger> {
    const { env } = this.invocation
    const ledger = await openLedger(env, this.open.db)
    await publishKey(env.BUCKET, key, ledger, now)
    return ledger
  }
}
