import * as z from 'zod'
import { canonical } from '../encoding.ts'
import { sha256 } from '../hash.ts'

/** The prefix of the entries' keys in the bucket, which sort by the entries' numbers. */
export const ENTRIES_PREFIX = 'ledger/entries/'

/** An entry's number, from 1, and the hash of its link; the number is 0 in `GENESIS` only. */
export const Head = z.object({ seq: z.int().min(0), hash: z.string() })
export type Head = z.infer<typeof Head>

/** The number and the hash before the first entry. */
export const GENESIS: Head = { seq: 0, hash: '0'.repeat(64) }

/** A link of the chain. It contains only the hash of the body, so anybody may see it. */
const Link = z.object({
  seq: z.int().min(1),
  /** The hash of the link before. */
  prev: z.string(),
  /** ms UTC */
  at: z.int(),
  /** The SHA-256 of the body as JSON with sorted keys. */
  digest: z.string()
})
export type Link = z.infer<typeof Link>

/** The body of an entry: its kind, its project, and what the kind needs. */
const Body = z.looseObject({ kind: z.string(), project: z.int() })
export type Body = z.infer<typeof Body>

const Entry = z.object({ link: Link, body: Body })

declare const announced: unique symbol

/**
 * The body of an entry that the ledger has: written by `Ledger.announce`, or read by a replay. What
 * deletes personal data takes one, so that nothing is deleted that a replay would not delete again.
 */
export type Announced<B extends Body = Body> = B & { readonly [announced]: true }

/** An entry that the ledger has. */
export type Entry = { link: Link; body: Announced }

/** `12` → `ledger/entries/000000000012` */
export const keyOf = (seq: number): string => `${ENTRIES_PREFIX}${String(seq).padStart(12, '0')}`

/** Returns the options that list the entries after this one in the bucket. */
export const after = ({ seq }: Head) => ({ prefix: ENTRIES_PREFIX, startAfter: keyOf(seq) })

/** Makes the entry that follows `head`. */
export function makeEntry(head: Head, body: Body, at: number): z.infer<typeof Entry> {
  const digest = sha256(canonical(body))
  return { link: { seq: head.seq + 1, prev: head.hash, at, digest }, body }
}

/** Returns the place of an entry in the chain. */
export const headOf = ({ link }: Pick<Entry, 'link'>): Head => ({
  seq: link.seq,
  hash: sha256(canonical(link))
})

/**
 * Reads an entry from its JSON. @throws LedgerError unless it is entry `seq` and its link has the
 * hash of its body
 */
export function readEntry(json: unknown, seq: number): Entry {
  const { data: entry } = Entry.safeParse(json)
  if (entry?.link.seq !== seq || entry.link.digest !== sha256(canonical(entry.body))) {
    throw new LedgerError(`Entry ${seq} of the ledger is damaged or forged.`, keyOf(seq))
  }
  return { link: entry.link, body: entry.body as Announced }
}

/** Reads the body of an entry of one kind. @throws ZodError for any other body */
export const readBody = <S extends z.ZodType<Body>>(schema: S, body: Announced) =>
  schema.parse(body) as Announced<z.output<S>>

/**
 * The ledger is not the chain that was written, or an object that it names is not the one that was
 * written.
 */
export class LedgerError extends Error {
  /** The key of the damaged or missing object in the bucket. */
  readonly key: string
  /**
   * The key of another object that may be the damaged one instead, if nothing tells which of the
   * two it is.
   */
  readonly other: string | undefined

  constructor(message: string, key: string, other?: string) {
    super(message)
    this.key = key
    this.other = other
  }
}
