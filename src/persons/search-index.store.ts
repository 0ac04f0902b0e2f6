/*
 * The full-text index `persons_search`, which triggers of `persons` keep up to date. The lower 32
 * bits of its rowids are the id of the person, the bits above are the id of the project.
 */

import { type SQL, sql } from 'drizzle-orm'

const LAST_PERSON_ID = sql.raw(String(2 ** 32 - 1))

/** SQL: the rowid of a person. */
export const searchRowOf = (projectId: number, personId: SQL): SQL =>
  sql`${projectId} << 32 | ${personId}`

/** SQL: the id of the person of a rowid. */
export const personOfSearchRow = sql`rowid & ${LAST_PERSON_ID}`

/** SQL: whether a rowid belongs to the project. */
export const isSearchRowOf = (projectId: number): SQL =>
  sql`rowid between ${projectId} << 32 and (${projectId} << 32) + ${LAST_PERSON_ID}`
