import { createObject } from '../bucket.ts'
import type { AnyDb } from '../db/client.ts'
import { canonical } from '../encoding.ts'
import { catching, describeError, UnavailableError } from '../errors.ts'
import { log } from '../log.ts'
import {
  type Announced,
  after,
  type Body,
  type Entry,
  GENESIS,
  type Head,
  headOf,
  keyOf,
  LedgerError,
  makeEntry,
  readEntry
} from './entry.ts'
import { readGivenUp } from './given-up.ts'
import { readApplied } from './store.ts'

/** Attempts to write an entry; an attempt fails when another entry takes its number first. */
const MAX_ATTEMPTS = 20

/** Entries that `isBehind` reads; normally there are none. */
const CHECKED = 100

const UNWRITTEN =
  'The ledger of erasures cannot be written now, so nothing has been deleted yet. Try again.'

/**
 * The ledger of erasures: a chain of objects in the bucket, each created once. A restore of a
 * database does not change it.
 */
export class Ledger {
  readonly #bucket: R2Bucket
  #head: Head

  /** @param known an entry that exists, the later the better: the end is searched from there */
  constructor(bucket: R2Bucket, known: Head) {
    this.#bucket = bucket
    this.#head = known
  }

  /** Appends an entry. @throws UnavailableError when the bucket does not take it */
  async append(body: Body, now: number): Promise<Head> {
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const entry = makeEntry(await this.#findHead(), body, now)
        if (await createObject(this.#bucket, keyOf(entry.link.seq), JSON.stringify(entry))) {
          this.#head = headOf(entry)
          return this.#head
        }
      }
    } catch (error) {
      log('error', 'ledger not written', { error: describeError(error) })
      throw new UnavailableError(UNWRITTEN, error)
    }
    throw new UnavailableError(UNWRITTEN)
  }

  /**
   * Appends an entry about data that is about to be deleted. @throws UnavailableError like `append`
   */
  async announce<B extends Body>(body: B, now: number): Promise<Announced<B>> {
    await this.append(body, now)
    return body as Announced<B>
  }

  /**
   * Like `announce`, but appends nothing if a note says that the ledger has the entry already;
   * makes the note otherwise.
   */
  async announceOnce<B extends Body>(
    body: B,
    now: number,
    note: { isMade: () => Promise<boolean>; make: () => Promise<unknown> }
  ): Promise<Announced<B>> {
    if (!(await note.isMade())) {
      await this.append(body, now)
      await note.make()
    }
    return body as Announced<B>
  }

  /**
   * Finds the last entry: doubles the step until an entry is missing, then bisects. Numbers have no
   * gaps.
   */
  async #findHead(): Promise<Head> {
    const { seq } = this.#head
    let step = 1
    while (await this.#exists(seq + step)) {
      step *= 2
    }
    let low = seq + Math.floor(step / 2)
    let high = seq + step
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (await this.#exists(middle)) {
        low = middle
      } else {
        high = middle
      }
    }
    if (low > seq) {
      this.#head = headOf(await readAt(this.#bucket, low))
    }
    return this.#head
  }

  async #exists(seq: number): Promise<boolean> {
    return (await this.#bucket.head(keyOf(seq))) !== null
  }
}

/**
 * Opens the ledger. @param db a database, which has noted how long the ledger is at least; without
 * one, the end is searched from the first entry
 */
export const openLedger = async ({ BUCKET }: Pick<Env, 'BUCKET'>, db?: AnyDb): Promise<Ledger> =>
  new Ledger(BUCKET, db ? await readApplied(db) : GENESIS)

/** Announces a request. Each try of the request calls it, with what the try would delete. */
export type Announce<B extends Body> = (body: B) => Promise<Announced<B>>

/**
 * Returns an `Announce` that appends an entry for each try whose entry differs from that of the try
 * before.
 */
export function announcer<B extends Body>(ledger: Ledger, now: number): Announce<B> {
  let last: { text: string; announced: Announced<B> } | undefined
  return async (body) => {
    const text = canonical(body)
    if (last?.text !== text) {
      last = { text, announced: await ledger.announce(body, now) }
    }
    return last.announced
  }
}

/**
 * Reads the entries after `head`, at most `limit`, in order.
 * @param seen places of entries in the chain that were read before
 * @throws LedgerError when one is missing, damaged, or does not follow the one before
 */
export async function readAfter(
  bucket: R2Bucket,
  head: Head,
  limit: number,
  seen: readonly Head[] = []
): Promise<Entry[]> {
  const { objects } = await bucket.list({ ...after(head), limit })
  const gap = objects.findIndex(({ key }, i) => key !== keyOf(head.seq + 1 + i))
  if (gap >= 0) {
    const seq = head.seq + 1 + gap
    throw new LedgerError(`Entry ${seq} of the ledger is missing.`, keyOf(seq))
  }
  const entries = await Promise.all(objects.map((_, i) => readAt(bucket, head.seq + 1 + i)))
  let last = head
  for (const entry of entries) {
    if (entry.link.prev !== last.hash) {
      throw await explainBreak(bucket, last, headOf(entry), seen)
    }
    last = headOf(entry)
  }
  return entries
}

/**
 * Returns the error about an entry whose link does not name the hash of the one before. Either of
 * the two may have changed. It is the one before if the entry itself has the hash that the next one
 * names, or that it had when it was seen before.
 */
async function explainBreak(
  bucket: R2Bucket,
  before: Head,
  entry: Head,
  seen: readonly Head[]
): Promise<LedgerError> {
  const next = await catching(LedgerError, placeOf(bucket, entry.seq))
  const places = next instanceof LedgerError ? seen : [next, ...seen]
  const known = places.find(({ seq }) => seq === entry.seq)
  const why = `entry ${entry.seq} does not follow entry ${before.seq}.`
  if (!known && before.seq > GENESIS.seq) {
    return new LedgerError(
      `Entry ${before.seq} or entry ${entry.seq} of the ledger is damaged: ${why}`,
      keyOf(entry.seq),
      keyOf(before.seq)
    )
  }
  const isIntact = known?.hash === entry.hash && before.seq > GENESIS.seq
  const { seq } = isIntact ? before : entry
  return new LedgerError(`Entry ${seq} of the ledger is damaged: ${why}`, keyOf(seq))
}

/**
 * Reads some entries after `head`, at most `limit`, in order, none of them after a missing or
 * damaged one.
 * @returns at least one entry, unless `head` is the last
 * @throws LedgerError when the first one is missing, damaged, or does not follow `head`
 */
export async function readIntact(
  bucket: R2Bucket,
  head: Head,
  limit: number,
  seen: readonly Head[] = []
): Promise<Entry[]> {
  try {
    return await readAfter(bucket, head, limit, seen)
  } catch (error) {
    if (error instanceof LedgerError && limit > 1) {
      return readIntact(bucket, head, Math.floor(limit / 2), seen)
    }
    throw error
  }
}

/**
 * Checks that the ledger still has the last entry that a database has applied, unless an operator
 * has given that entry up. If another entry follows, leaves the check to `readAfter`: the link of
 * that entry names the hash of the applied one.
 * @throws LedgerError
 */
export async function expectApplied(bucket: R2Bucket, { seq, hash }: Head): Promise<void> {
  if (seq === GENESIS.seq || (await bucket.head(keyOf(seq + 1))) !== null) {
    return
  }
  const entry = await catching(LedgerError, readAt(bucket, seq))
  const isThere = !(entry instanceof LedgerError)
  if ((isThere && headOf(entry).hash === hash) || (await readGivenUp(bucket)).has(keyOf(seq))) {
    return
  }
  throw isThere
    ? new LedgerError(`Entry ${seq} of the ledger is not the one that was applied.`, keyOf(seq))
    : entry
}

/**
 * Yields the parsed JSON of every entry after `head`, in order, without checking that the entries
 * are a chain. Yields undefined for an entry that is not JSON.
 */
export async function* readUnchecked(bucket: R2Bucket, head: Head): AsyncGenerator<unknown> {
  let options: R2ListOptions | undefined = after(head)
  while (options) {
    const page: R2Objects = await bucket.list(options)
    for (const { key } of page.objects) {
      const object = await bucket.get(key)
      yield await object?.json().catch(() => undefined)
    }
    options = page.truncated ? { ...after(head), cursor: page.cursor } : undefined
  }
}

/** Returns the place of an entry as the next entry names it, for an entry that cannot be read. */
export async function placeOf(bucket: R2Bucket, seq: number): Promise<Head> {
  const next = await readAt(bucket, seq + 1)
  return { seq, hash: next.link.prev }
}

/**
 * Whether the ledger has entries from before `at`, ms UTC, that were not applied.
 * @throws LedgerError when the last applied entry, or one of the next 100, is missing or damaged
 */
export async function isBehind(bucket: R2Bucket, applied: Head, at: number): Promise<boolean> {
  await expectApplied(bucket, applied)
  const entries = await readAfter(bucket, applied, CHECKED)
  return entries.some(({ link }) => link.at <= at)
}

async function readAt(bucket: R2Bucket, seq: number): Promise<Entry> {
  const object = await bucket.get(keyOf(seq))
  if (!object) {
    throw new LedgerError(`Entry ${seq} of the ledger is missing.`, keyOf(seq))
  }
  return readEntry(await object.json().catch(() => undefined), seq)
}
