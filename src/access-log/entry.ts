import * as z from 'zod'

/** Persons that an entry names, at most: those of the first rows of a list. */
export const MAX_NAMED = 1_000

/** The prefix of the objects with entries. */
export const ACCESS_LOG_PREFIX = 'access-log/'

/** The kinds of objects that somebody reads. */
export const READ_OBJECTS = ['person', 'recording', 'export', 'receipt', 'list'] as const

/**
 * One read of personal data: a line of an object in the bucket, and the message of the queue. It
 * names persons by their UUIDs only, so that an erasure has nothing to remove from it.
 */
export const AccessEntry = z.object({
  /** A version 7 UUID. An entry that was delivered twice has the same id twice. */
  id: z.guid(),
  /** ms UTC */
  at: z.int(),
  project_id: z.int(),
  request_id: z.string(),
  /** Null for somebody who opened a shared link, and has no key. */
  key: z.object({ id: z.int(), label: z.string() }).nullable(),
  user: z.object({ id: z.int(), email: z.string() }).nullable(),
  /** The operation of the API reference: `persons_retrieve`. */
  operation: z.string(),
  object: z.enum(READ_OBJECTS),
  /** The UUID of a person, or the id of a session or a receipt; null for a list. */
  object_id: z.string().nullable(),
  /** The parameters of a list, without values that may name a person: see `describeFilters`. */
  filters: z.record(z.string(), z.unknown()),
  /** Rows of a list that were read; 1 for any other object. */
  count: z.int().min(0),
  persons: z.array(z.guid()).max(MAX_NAMED)
})
export type AccessEntry = z.infer<typeof AccessEntry>

/** Returns the day of a time: `2026-11-28`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Returns the prefix of a project's objects. */
export const projectFolder = (projectId: number): string => `${ACCESS_LOG_PREFIX}${projectId}/`

/** Returns the prefix of the objects of one day of a project: `access-log/7/2026-11-28/`. */
export const dayFolder = (projectId: number, day: string): string =>
  `${projectFolder(projectId)}${day}/`
