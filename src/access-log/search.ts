import { DAY } from '../calendar/units.ts'
import { type AccessEntry, dayFolder, dayOf, projectFolder } from './entry.ts'
import { linesOf, readLine } from './lines.ts'

/** Entries to find: of a person by the UUID, of a key by its id, in a range of time, ms UTC. */
export type AccessQuery = {
  projectId: number
  person: string | undefined
  key: number | undefined
  /** At or after this time. */
  since: number
  /** Before this time. */
  until: number
  /** Only entries that come after this one, newest first. */
  after: AccessPlace | undefined
  limit: number
}

export type AccessPlace = Pick<AccessEntry, 'at' | 'id'>

export type FoundAccess = {
  /** Newest first. */
  entries: AccessEntry[]
  /**
   * All entries at or after this time, ms UTC, have been searched. Set if the search ended early,
   * before it had found as many as it was asked for.
   */
  searchedUntil: number | undefined
}

/** Objects that one search reads; a day that has been begun is searched to its end. */
const MAX_OBJECTS = 2_000
/** Objects that are read at the same time. */
const OBJECTS_AT_ONCE = 6

/** Finds the newest entries that match, day by day. */
export async function searchAccess(
  bucket: R2Bucket,
  query: AccessQuery,
  maxObjects = MAX_OBJECTS
): Promise<FoundAccess> {
  const last = dayOf(Math.min(query.until - 1, query.after?.at ?? Number.POSITIVE_INFINITY))
  const days = (await listDays(bucket, query.projectId)).filter(
    (day) => day >= dayOf(query.since) && day <= last
  )
  const found = new Newest(query)
  let objects = 0
  for (const day of days.reverse()) {
    if (found.isFull) {
      break
    }
    if (objects >= maxObjects) {
      return { entries: found.entries, searchedUntil: Date.parse(day) + DAY }
    }
    objects += await searchDay(bucket, dayFolder(query.projectId, day), found)
  }
  return { entries: found.entries, searchedUntil: undefined }
}

/** Lists the days of which a project has entries, in order. */
export async function listDays(bucket: R2Bucket, projectId: number): Promise<string[]> {
  const prefix = projectFolder(projectId)
  const days: string[] = []
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const page: R2Objects = await bucket.list({ prefix, delimiter: '/', ...(cursor && { cursor }) })
    days.push(...page.delimitedPrefixes.map((folder) => folder.slice(prefix.length, -1)))
    isMore = page.truncated
    cursor = page.truncated ? page.cursor : undefined
  }
  return days.sort()
}

/** Lists the objects of a folder. */
export async function listObjects(bucket: R2Bucket, folder: string): Promise<R2Object[]> {
  const objects: R2Object[] = []
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const page: R2Objects = await bucket.list({ prefix: folder, ...(cursor && { cursor }) })
    objects.push(...page.objects)
    isMore = page.truncated
    cursor = page.truncated ? page.cursor : undefined
  }
  return objects
}

/** Searches the objects of a day. @returns how many were read */
async function searchDay(bucket: R2Bucket, folder: string, found: Newest): Promise<number> {
  const searched = new Set<string>()
  // What is missing has been joined to another object meanwhile, which the next list has.
  for (let isMissing = true; isMissing; ) {
    isMissing = false
    const keys = (await listObjects(bucket, folder))
      .map(({ key }) => key)
      .filter((key) => !searched.has(key))
    for (let at = 0; at < keys.length; at += OBJECTS_AT_ONCE) {
      const some = keys.slice(at, at + OBJECTS_AT_ONCE)
      const contents = await Promise.all(some.map(async (key) => (await bucket.get(key))?.text()))
      for (const [i, key] of some.entries()) {
        const content = contents[i]
        isMissing ||= content === undefined
        found.add(content ?? '')
        searched.add(key)
      }
    }
  }
  return searched.size
}

/** Keeps the newest entries that match, each once. */
class Newest {
  readonly #query: AccessQuery
  #kept = new Map<string, AccessEntry>()

  constructor(query: AccessQuery) {
    this.#query = query
  }

  add(content: string): void {
    const { person } = this.#query
    for (const line of linesOf(content)) {
      // Most lines are about others, and need not be parsed.
      if (person === undefined || line.includes(person)) {
        const entry = readLine(line)
        if (this.#matches(entry)) {
          this.#kept.set(entry.id, entry)
        }
      }
    }
    if (this.#kept.size > 2 * this.#query.limit) {
      this.#kept = new Map(this.entries.map((entry) => [entry.id, entry]))
    }
  }

  get isFull(): boolean {
    return this.#kept.size >= this.#query.limit
  }

  get entries(): AccessEntry[] {
    return [...this.#kept.values()].sort(newestFirst).slice(0, this.#query.limit)
  }

  #matches(entry: AccessEntry): boolean {
    const { person, key, since, until, after } = this.#query
    return (
      entry.at >= since &&
      entry.at < until &&
      (key === undefined || entry.key?.id === key) &&
      (person === undefined || entry.persons.includes(person) || entry.object_id === person) &&
      (after === undefined || newestFirst(after, entry) < 0)
    )
  }
}

const newestFirst = (a: AccessPlace, b: AccessPlace): number =>
  b.at - a.at || (a.id > b.id ? -1 : Number(a.id < b.id))
