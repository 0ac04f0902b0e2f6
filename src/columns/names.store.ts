import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { CHECKSUM_DIGITS } from './codec.ts'

/**
 * Returns an expression for the JSON list in encoded names, for `json_each`. The checksum is not
 * verified: a list that is not JSON is an empty one.
 */
export const listedIn = (encoded: SQLWrapper): SQL => {
  const json = sql`substr(${encoded}, ${sql.raw(String(CHECKSUM_DIGITS + 1))})`
  return sql`iif(json_valid(${json}), ${json}, '[]')`
}
