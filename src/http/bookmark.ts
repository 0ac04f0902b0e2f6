const BOOKMARK = /^([A-Z][A-Z0-9_]*)\.([0-9a-f-]{1,80})$/

/** Only a bookmark of this very database counts: another's would name a state that it never had. */
export function readBookmark(header: string | undefined, database: string): string | undefined {
  const [, name, bookmark] = BOOKMARK.exec(header ?? '') ?? []
  return name === database ? bookmark : undefined
}

export const writeBookmark = (database: string, bookmark: string): string =>
  `${database}.${bookmark}`
