import * as z from 'zod'
import { putObject } from '../bucket.ts'
import { canonical } from '../encoding.ts'
import { sha256 } from '../hash.ts'
import {
  after,
  ENTRIES_PREFIX,
  type Entry,
  GENESIS,
  Head,
  headOf,
  keyOf,
  LedgerError
} from './entry.ts'
import { noteGivenUp, readGivenUp } from './given-up.ts'
import { placeOf, readIntact } from './ledger.ts'

/*
 * Requests read only the entries that their database has not applied. The walk reads all entries,
 * from the first to the last, a part of them each night, and begins again. It notes in the bucket
 * where it has stopped, so that a restore of a database does not change that.
 */

/** Entries read at once: 100 gets of the bucket. */
const READ_AT_ONCE = 100

const NOTE = 'sweeps/ledger.json'

const Fault = z.object({
  /** The key of the damaged or missing object: an entry, or an object that an entry names. */
  key: z.string(),
  /** The key of another object that may be the damaged one instead. */
  other: z.string().optional(),
  /** A sentence. */
  text: z.string()
})
/** What is wrong with the ledger. */
export type Fault = z.infer<typeof Fault>

const Progress = z.object({
  /** The walk continues after this entry. */
  head: Head,
  /** The last entry that any walk has reached. Without it, entries at the end are missing. */
  last: Head,
  /** Why the walk cannot go on. */
  fault: Fault.nullable()
})
type Progress = z.infer<typeof Progress>

/** The object in the bucket; `digest` is the SHA-256 of the progress as JSON with sorted keys. */
const Note = z.object({ progress: Progress, digest: z.string() })

const START: Progress = { head: GENESIS, last: GENESIS, fault: null }

/**
 * Checks the objects that an entry names. @returns how many requests that was worth
 * @throws LedgerError with the key of an object that is missing or damaged
 */
export type CheckNamed = (bucket: R2Bucket, entry: Entry) => Promise<number>

type Walk = {
  checkNamed: CheckNamed
  /** The last entry that each database has applied, read before the walk. */
  applied: readonly Head[]
  /** Requests to the bucket after which the walk stops; the last entry may add some. */
  most: number
  /** Whether to begin at the first entry instead of where the last walk has stopped. */
  isWhole?: boolean
  /** Called after each page with the number of the last entry. */
  onProgress?: (seq: number) => void
}

/** The number of entries read, the fault that ended the walk, and whether it reached the end. */
export type Walked = { entries: number; fault: Fault | null; isDone: boolean }

/** Continues the walk. A walk that a fault has ended begins there again. */
export async function walkLedger(bucket: R2Bucket, walk: Walk): Promise<Walked> {
  const progress = await readProgress(bucket)
  const givenUp = await readGivenUp(bucket)
  const applied = walk.applied.filter(({ seq }) => !givenUp.has(keyOf(seq)))
  let head = walk.isWhole ? GENESIS : progress.head
  let { last } = progress
  let fault: Fault | null = null
  let entries = 0
  let isDone = false
  try {
    for (let requests = 0; !isDone && requests < walk.most; ) {
      const limit = Math.min(READ_AT_ONCE, walk.most - requests)
      const page = await readPast(bucket, head, { limit, givenUp, seen: [last, ...applied] })
      requests += 1 + page.entries.length
      head = page.from
      for (const entry of page.entries) {
        const next = expectKnown(headOf(entry), [last, ...applied])
        requests += await checkUnless(givenUp, () => walk.checkNamed(bucket, entry))
        head = next
        last = head.seq > last.seq ? head : last
        entries += 1
      }
      isDone = page.entries.length === 0
      walk.onProgress?.(head.seq)
    }
    if (isDone) {
      expectEnd(head, [last, ...applied], givenUp)
      head = GENESIS
    }
  } catch (error) {
    fault = faultOf(error)
  }
  await writeProgress(bucket, { head, last, fault })
  return { entries, fault, isDone }
}

/** Returns the fault that the walk has found and that is not mended, as far as is known. */
export const readFault = async (bucket: R2Bucket): Promise<Fault | null> =>
  (await readProgress(bucket)).fault

/** Whether a fault is about an object, or may be. */
export const isAbout = ({ key, other }: Fault | LedgerError, object: string): boolean =>
  key === object || other === object

/** Lets the walk pass a damaged or missing object, and no longer report it. */
export async function giveUpObject(bucket: R2Bucket, key: string): Promise<void> {
  await noteGivenUp(bucket, key)
  // The walk begins anew: where it has stopped, and the last entry that it has reached, may be the
  // one that is given up.
  await writeProgress(bucket, START)
}

/**
 * Yields the entries from the first to the last, in order, past those that an operator has given
 * up; of these, yields the numbers.
 * @throws LedgerError when another one is missing, damaged, or does not follow the one before
 */
export async function* readKept(bucket: R2Bucket): AsyncGenerator<Entry | number> {
  const givenUp = await readGivenUp(bucket)
  let seq = 0
  for (let head = GENESIS, isDone = false; !isDone; ) {
    const { from, entries } = await readPast(bucket, head, {
      limit: READ_AT_ONCE,
      givenUp,
      seen: []
    })
    for (seq = head.seq + 1; seq <= from.seq; seq += 1) {
      yield seq
    }
    yield* entries
    head = entries.reduce((_, entry) => headOf(entry), from)
    isDone = entries.length === 0
  }
  for (; givenUp.has(keyOf(seq)); seq += 1) {
    yield seq
  }
}

/** A damaged note is as good as none: the walk begins at the first entry. */
async function readProgress(bucket: R2Bucket): Promise<Progress> {
  const object = await bucket.get(NOTE)
  const { data: note } = Note.safeParse(object && (await object.json().catch(() => undefined)))
  return note?.digest === sha256(canonical(note?.progress)) ? note.progress : START
}

const writeProgress = (bucket: R2Bucket, progress: Progress) => {
  const note: z.infer<typeof Note> = { progress, digest: sha256(canonical(progress)) }
  return putObject(bucket, NOTE, JSON.stringify(note))
}

/**
 * Reads the next entries after `head`, in order, past those that are given up. They follow `from`.
 * @returns no entry at the end of the ledger
 */
async function readPast(
  bucket: R2Bucket,
  head: Head,
  reading: { limit: number; givenUp: ReadonlySet<string>; seen: readonly Head[] }
): Promise<{ from: Head; entries: Entry[] }> {
  const { limit, givenUp, seen } = reading
  const seq = head.seq + 1
  if (!givenUp.has(keyOf(seq))) {
    const most = Math.min(limit, firstAfter(givenUp, seq) - seq)
    return { from: head, entries: await readIntact(bucket, head, most, seen) }
  }
  // Only the next entry names the hash of one that is given up. If the next one is given up, too,
  // the hash is not needed.
  const unknown = { seq, hash: GENESIS.hash }
  const { objects } = await bucket.list({ ...after(unknown), limit: 1 })
  if (objects.length === 0) {
    return { from: head, entries: [] }
  }
  const from = givenUp.has(keyOf(seq + 1)) ? unknown : await placeOf(bucket, seq)
  return readPast(bucket, from, reading)
}

/** Returns the number of the first entry after `seq` that is given up; Infinity without one. */
const firstAfter = (givenUp: ReadonlySet<string>, seq: number): number =>
  Math.min(
    ...[...givenUp]
      .filter((key) => key.startsWith(ENTRIES_PREFIX) && key > keyOf(seq))
      .map((key) => Number(key.slice(ENTRIES_PREFIX.length)))
  )

/** @throws LedgerError if an entry that was seen before is another one now */
function expectKnown(head: Head, seen: readonly Head[]): Head {
  if (seen.some(({ seq, hash }) => seq === head.seq && hash !== head.hash)) {
    throw new LedgerError(
      `Entry ${head.seq} of the ledger is not the one that was there before.`,
      keyOf(head.seq)
    )
  }
  return head
}

/** @throws LedgerError unless the ledger, which ends with `head`, has all entries seen before */
function expectEnd(head: Head, seen: readonly Head[], givenUp: ReadonlySet<string>): void {
  let seq = head.seq + 1
  while (givenUp.has(keyOf(seq))) {
    seq += 1
  }
  if (seen.some((known) => known.seq >= seq)) {
    throw new LedgerError(`Entry ${seq} of the ledger is missing.`, keyOf(seq))
  }
}

/** Returns the result of a check; 0 if it finds a fault in an object that is given up. */
async function checkUnless(
  givenUp: ReadonlySet<string>,
  check: () => Promise<number>
): Promise<number> {
  try {
    return await check()
  } catch (error) {
    if (givenUp.has(faultOf(error).key)) {
      return 0
    }
    throw error
  }
}

/** @throws any error but a LedgerError */
function faultOf(error: unknown): Fault {
  if (error instanceof LedgerError) {
    const { key, other, message: text } = error
    return { key, other, text }
  }
  throw error
}
