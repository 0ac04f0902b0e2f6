/** The name of a database's binding, and a D1 bookmark: `DB.00000085-0000024c`. */
const BOOKMARK = /^([A-Z][A-Z0-9_]*)\.([0-9a-f-]{1,80})$/

/**
 * Returns the bookmark in a header if it belongs to this database; a bookmark of another database
 * means nothing here.
 */
export function readBookmark(header: string | undefined, database: string): string | undefined {
  const [, name, bookmark] = BOOKMARK.exec(header ?? '') ?? []
  return name === database ? bookmark : undefined
}

export const writeBookmark = (database: string, bookmark: string): string =>
  `${database}.${bookmark}`
