import { z } from 'zod'
import { listProjects } from '../../src/access/store.ts'
import { accessToJson } from '../../src/access-log/schemas.ts'
import { type AccessQuery, searchAccess } from '../../src/access-log/search.ts'
import { noDate, readFrom } from '../../src/calendar/dates.ts'
import { command, Id, InputError, integer, text } from './command.ts'

const DEFAULT_LIMIT = 1_000

export const accessLog = {
  list: command({
    script: 'access-log',
    isLongRunning: true,
    usage:
      '[-- [--project <id>] [--person <uuid>] [--key <id>] [--since <date>] [--until <date>] [--limit <count>]]',
    options: {
      project: integer,
      person: text,
      key: integer,
      since: text,
      until: text,
      limit: integer
    },
    schema: z.object({
      project: Id.optional(),
      person: z
        .guid('must be the UUID of a person')
        .transform((uuid) => uuid.toLowerCase())
        .optional(),
      key: Id.optional(),
      since: z.string().optional(),
      until: z.string().optional(),
      limit: z.int().min(1, 'must be 1 or more').default(DEFAULT_LIMIT)
    }),
    /** Lists the newest reads of a project, or of all projects. Dates are on each project's clock. */
    async run({ db, bucket }, { project, person, key, since, until, limit }, now) {
      const all = await listProjects(db)
      const chosen = all.filter(({ id }) => project === undefined || id === project)
      if (project !== undefined && chosen.length === 0) {
        throw new InputError('project', `There is no project ${project}.`)
      }
      const entries = []
      for (const one of chosen) {
        const timeOf = (name: string, given: string | undefined, absent: number): number => {
          const time = given === undefined ? absent : readFrom(given, one, now)
          if (time === undefined) {
            throw new InputError(name, noDate(given, name).message)
          }
          return time
        }
        entries.push(
          ...(await readWhole(await bucket(), {
            projectId: one.id,
            person,
            key,
            since: timeOf('since', since, 0),
            until: timeOf('until', until, now.getTime() + 1),
            limit
          }))
        )
      }
      const newest = entries.sort((a, b) => b.at - a.at).slice(0, limit)
      return { reads: newest.map(toRow) }
    }
  })
}

type Entry = Awaited<ReturnType<typeof searchAccess>>['entries'][number]

/** Reads entries until there are enough, also where one search reads too few objects. */
async function readWhole(bucket: R2Bucket, query: Omit<AccessQuery, 'after'>): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let after: AccessQuery['after']; ; ) {
    const limit = query.limit - entries.length
    const found = await searchAccess(bucket, { ...query, limit, after })
    entries.push(...found.entries)
    if (found.searchedUntil === undefined || entries.length >= query.limit) {
      return entries
    }
    after = { at: found.searchedUntil, id: '' }
  }
}

function toRow(entry: Entry) {
  const { at, key, user, operation, object, object_id, count, filters, persons } =
    accessToJson(entry)
  return {
    at,
    project: entry.project_id,
    key: key && `${key.id} ${key.label}`,
    user: user?.email ?? null,
    operation,
    object,
    id: object_id,
    count,
    filters,
    persons: persons.length
  }
}
