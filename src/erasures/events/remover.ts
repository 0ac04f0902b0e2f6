import { toIso } from '../../calendar/clock.ts'
import { AppError } from '../../errors.ts'
import { DeletionEngine, type State, type Verified } from '../engine/engine.ts'
import { findOldestRequest } from '../engine/waiting.ts'
import type { Signer } from '../receipts/issue.ts'
import { Filters, readEventFilters } from './filters.ts'
import { readList } from './list.ts'
import { issueRemovalReceipt } from './receipt.ts'
import { removeListed } from './remove.ts'
import { findEvents } from './scan.ts'
import { completeRemoval, countListed, findRemoval, noteError, type RemovalRow } from './store.ts'
import { triedAt } from './token.ts'

/** Listed events searched per query. */
const SEARCHED_AT_ONCE = 5_000

/** Removes listed events of one project, or some of their properties. */
export class Remover extends DeletionEngine<RemovalRow> {
  wait = ({ id }: RemovalRow, why: string) => noteError(this.open.db, id, why, this.now())

  /** Waits at the end for events that were accepted before the request. */
  async remove(removal: RemovalRow): Promise<'waiting' | 'cut' | 'removed'> {
    const { env, clock } = this.invocation
    const tools = { bucket: env.BUCKET, work: this.work, clock }
    if (!(await removeListed(this.open.db, removal, tools))) {
      return 'cut'
    }
    const oldest = await findOldestRequest(this.open, removal.requestedAt, this.invocation)
    if (oldest <= removal.requestedAt) {
      await this.wait(
        removal,
        `Events accepted before the request, the oldest at ${toIso(oldest)}, are not processed yet. The deletion is completed after them.`
      )
      return 'waiting'
    }
    return 'removed'
  }

  /** Searches for the listed events once more, and for events that match the filters. */
  protected async verify({ id }: RemovalRow, signer: Signer): Promise<State | Verified> {
    const { db, project } = this.open
    // Read again for the present counts. Another invocation may have completed the removal.
    const removal = await findRemoval(db, project.id, id)
    if (!removal || removal.completedAt !== null) {
      return 'completed'
    }
    const remaining = await this.#countListed(removal)
    if (remaining > 0) {
      throw new Error(`The verification still found ${remaining} events.`)
    }
    const at = this.now()
    const searched = { matching: await this.#countMatching(removal), at }
    const receipt = await issueRemovalReceipt(removal, searched, signer)
    return { receipt, at, complete: () => completeRemoval(db, removal, receipt.stored, at) }
  }

  async #countListed(removal: RemovalRow): Promise<number> {
    const uuids = await readList(this.invocation.env.BUCKET, removal)
    let count = 0
    for (let from = 0; from < uuids.length; from += SEARCHED_AT_ONCE) {
      const some = uuids.slice(from, from + SEARCHED_AT_ONCE)
      count += await countListed(this.open.db, removal, some)
    }
    return count
  }

  /** Counts the events that match; null if the filters are unknown, or match too many to search. */
  async #countMatching({ id, filters, properties }: RemovalRow): Promise<number | null> {
    if (filters === null) {
      return null
    }
    const { db, project } = this.open
    // Relative dates mean the same as in the dry run, which has decided what is removed.
    const asOf = new Date(triedAt(id))
    const wanted = { filters: readEventFilters(Filters.parse(filters), project, asOf), properties }
    try {
      return (await findEvents(db, project, wanted, asOf)).uuids.length
    } catch (error) {
      if (error instanceof AppError && error.code === 'query_too_large') {
        return null
      }
      throw error
    }
  }
}
