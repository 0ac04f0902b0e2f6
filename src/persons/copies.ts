/*
 * Each change of a person leaves a copy of all properties, a version. A person's credit bounds them: an event earns a
 * multiple of its own bytes, and a copy is made as long as the credit pays for it. So what a project stores is in
 * proportion to what it was sent. A person of 3 kB whose every event of 600 bytes changes something earns more than that
 * costs.
 */

/**
 * Bytes that a byte of an event earns. All that is stored of events may take 20 times their bytes and 1 kB each; with this,
 * the worst mixtures of events, persons, sessions and searchable names take three quarters of that.
 */
const CREDIT_PER_BYTE = 10

/** Bytes that each event earns, however small. */
const CREDIT_PER_EVENT = 400

/** A new person takes about 400 bytes of rows and index entries, which its first event has to earn. */
export const NEW_CREDIT = -CREDIT_PER_EVENT

/** Credit that may be saved up beyond the next copy. */
const MAX_SAVED = 65_536

/** Bytes of the full-text index for a byte of text that search looks in. */
const SEARCH_BYTES = 10

/** A page of SQLite, what of it rows can use, and what a copy's row takes beside the copy. */
const [PAGE, USABLE, ROW] = [4_096, 4_060, 12]

/** Bytes that SQLite takes for a copy: as many rows as fit share a page, a longer one has pages of its own. */
export function copyCost(bytes: number): number {
  const perPage = Math.floor(USABLE / (bytes + ROW))
  return perPage > 0 ? Math.ceil(PAGE / perPage) : bytes + PAGE / 2
}

/** The credit of a person with `bytes` of properties after an event that was received with `received` bytes. */
export const earnCredit = (credit: number, received: number, bytes: number): number =>
  Math.min(credit + CREDIT_PER_EVENT + CREDIT_PER_BYTE * received, MAX_SAVED + copyCost(bytes))

/** What the credit pays for text that becomes searchable, in bytes. */
export const searchCost = (bytes: number): number => bytes * SEARCH_BYTES
