import { createObject } from '../bucket.ts'
import { sha256 } from '../hash.ts'
import { AccessEntry, dayFolder, dayOf } from './entry.ts'

/** Digits of the hash that names an object. */
const NAME_DIGITS = 40

/** Returns the content of an object: a line of JSON for each entry, oldest first, each once. */
export function toLines(entries: readonly AccessEntry[]): string {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  return [...byId.values()]
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}

/** Parses a line of an object. @throws ZodError, SyntaxError */
export const readLine = (line: string): AccessEntry => AccessEntry.parse(JSON.parse(line))

/** Returns the lines of an object's content. */
export const linesOf = (content: string): string[] => content.split('\n').filter(Boolean)

/** Returns the name of an object with these lines. */
export const nameOf = (lines: string): string => `${sha256(lines).slice(0, NAME_DIGITS)}.jsonl`

/**
 * Writes entries of one day of a project as an object. The content is its name, so that the same
 * entries, delivered again, make no second object.
 * @returns the key of the object
 */
export async function writeEntries(
  bucket: R2Bucket,
  folder: string,
  entries: readonly AccessEntry[]
): Promise<string> {
  const lines = toLines(entries)
  const key = `${folder}${nameOf(lines)}`
  await createObject(bucket, key, lines)
  return key
}

/** Returns the folder of an entry. */
export const folderOf = ({ project_id, at }: Pick<AccessEntry, 'project_id' | 'at'>): string =>
  dayFolder(project_id, dayOf(at))
