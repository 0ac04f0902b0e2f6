import type { Db } from '../db/client.ts'
import { DamageError } from './codec.ts'
import type { Pace } from './pace.ts'
import { type EncodedColumn, groupColumns } from './property-columns.ts'

/*
 * Copies of rows, which are read instead of the rows. A copy that is read equals its rows, whatever
 * happens while it is built, and wherever the run is interrupted:
 *
 * 1. `begin` makes the copy exist, with a token of its own. From this commit on, triggers note each
 *    change of its rows, or remove the copy. Nothing is read of a copy that is being built.
 * 2. Its rows are read, and its columns written, after this commit, and only as long as the copy
 *    has this token.
 * 3. `finish` lets the copy be read, if it still has this token and lacks nothing that was noted.
 *
 * What triggers note is the business of each kind: see segments.ts, actor-chunks.ts,
 * version-chunks.ts.
 */

/**
 * A copy that is being built. No other copy has its token, not even after the database was
 * restored: caches use it as a key, and the checksum of each text of the copy covers it.
 */
export type Building = { build: string }

/** What a build writes: its columns, and at the end the rest. */
export type EncodedCopy<Content> = { content: Content; columns: Iterable<EncodedColumn> }

/** How copies of a kind are built. */
export type CopyBuilder<Key, Copy extends Building, Content> = {
  /** @returns undefined if another run builds the copy */
  begin: (db: Db, key: Key) => Promise<Copy | undefined>
  /** Reads and encodes the rows. @returns undefined if there are none; then the copy is removed */
  encode: (db: Db, copy: Copy, pace: Pace) => Promise<EncodedCopy<Content> | undefined>
  write: (db: Db, copy: Copy, columns: readonly EncodedColumn[]) => Promise<{ ms: number }>
  /** @returns whether the copy may be read from now on */
  finish: (db: Db, copy: Copy, content: Content) => Promise<boolean>
}

/** How copies of a kind are compared with their rows. */
export type CopyVerifier<Key, Copy extends Building> = {
  /** Lists copies that are built, in random order. */
  sample: (db: Db, limit: number) => Promise<Key[]>
  /** Reads a copy that is built, with all of its columns; undefined if it is gone. */
  open: (db: Db, key: Key) => Promise<Copy | undefined>
  /**
   * Returns the column or other part that differs from the rows; undefined if the copy equals them.
   */
  findDifference: (db: Db, copy: Copy, pace: Pace) => Promise<string | undefined>
  /** Lets the copy be read no more. @returns whether it existed */
  discard: (db: Db, copy: Copy) => Promise<boolean>
}

/**
 * Builds a copy. May be interrupted anywhere, and run several times at once.
 * @returns its content; undefined if there is nothing to copy, or something got in the way: then a
 * later run builds the copy
 */
export async function buildCopy<Key, Copy extends Building, Content>(
  db: Db,
  kind: CopyBuilder<Key, Copy, Content>,
  key: Key,
  pace: Pace
): Promise<Content | undefined> {
  const copy = await kind.begin(db, key)
  if (!copy) {
    return undefined
  }
  const encoded = await kind.encode(db, copy, pace)
  if (!encoded) {
    return undefined
  }
  for await (const columns of groupColumns(encoded.columns)) {
    await pace.after(() => kind.write(db, copy, columns))
  }
  return (await kind.finish(db, copy, encoded.content)) ? encoded.content : undefined
}

/** How many copies were compared, and those that differed from their rows, each with the place. */
export type VerifiedCopies<Copy> = { compared: number; wrong: { copy: Copy; difference: string }[] }

/**
 * Compares copies with their rows, in random order. Wrong ones are discarded, and the next run
 * builds them again. Rows may change in the meantime.
 * @param most largest number of copies to compare
 * @param isSpent returns true once no further copy may be compared
 */
export async function verifyCopies<Key, Copy extends Building>(
  db: Db,
  kind: CopyVerifier<Key, Copy>,
  { most, pace, isSpent }: { most: number; pace: Pace; isSpent: () => boolean }
): Promise<VerifiedCopies<Copy>> {
  const keys = await kind.sample(db, isSpent() ? 0 : most)
  const wrong: VerifiedCopies<Copy>['wrong'] = []
  let compared = 0
  for (const key of keys) {
    if (isSpent()) {
      break
    }
    compared += 1
    const copy = await kind.open(db, key)
    const difference = copy && (await differenceOf(db, kind, copy, pace))
    // A copy whose rows have changed meanwhile is gone.
    if (copy && difference !== undefined && (await kind.discard(db, copy))) {
      wrong.push({ copy, difference })
    }
  }
  return { compared, wrong }
}

async function differenceOf<Copy extends Building>(
  db: Db,
  { findDifference }: Pick<CopyVerifier<unknown, Copy>, 'findDifference'>,
  copy: Copy,
  pace: Pace
): Promise<string | undefined> {
  try {
    return await findDifference(db, copy, pace)
  } catch (error) {
    if (error instanceof DamageError) {
      return 'encoding'
    }
    throw error
  }
}
