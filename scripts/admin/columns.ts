import { z } from 'zod'
import { findProjects } from '../../src/access/store.ts'
import { buildChunks, findChunks } from '../../src/columns/chunks.ts'
import { findSealable, MANY_LATE, sealEvents } from '../../src/columns/seal.ts'
import { newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import type { Service } from '../local.ts'
import { command, Id, InputError, integer } from './command.ts'
import { showProgress } from './progress.ts'

export const columns = {
  seal: command({
    script: 'seal',
    isLongRunning: true,
    usage: '[-- --project <id>]',
    options: { project: integer },
    schema: z.object({ project: Id.optional() }),
    async run(service, { project }) {
      const sealed = []
      for (const database of await chooseDatabases(service, project)) {
        sealed.push(await sealDatabase(service, database, project))
      }
      return { sealed }
    }
  })
}

/** Returns the project's database, or all databases if no project is given. */
async function chooseDatabases(
  { db, databases }: Service,
  project: number | undefined
): Promise<string[]> {
  if (project === undefined) {
    return databases
  }
  const [row] = await findProjects(db, [project])
  if (!row) {
    throw new InputError('project', `There is no project ${project}.`)
  }
  return [row.database]
}

/**
 * No limits, because the command may take as long as it needs. `counted` is bound in SQL, which has
 * no infinity: a database has far fewer chunks.
 */
const ALL = { most: Number.POSITIVE_INFINITY, counted: 1_000_000_000 }

async function sealDatabase({ env }: Service, database: string, project: number | undefined) {
  const usage = newUsage()
  const { db } = openDb(databaseOf(env, database), usage)
  const isChosen = ({ project_id }: { project_id: number }) =>
    project === undefined || project_id === project
  const chunks = (await findChunks(db, ALL)).filter(isChosen)
  for (const [i, chunk] of chunks.entries()) {
    await buildChunks(db, chunk)
    showProgress(`${database}: ${i + 1} of ${chunks.length} chunks of identities`)
  }
  const clock = () => new Date()
  const now = clock().getTime()
  let sealed = { segments: 0, events: 0 }
  for await (const { found } of findSealable(db, { now, minLate: MANY_LATE })) {
    const before = sealed
    const add = ({ segments, events }: typeof sealed) => ({
      segments: before.segments + segments,
      events: before.events + events
    })
    const done = await sealEvents(found.filter(isChosen), {
      db,
      usage,
      clock,
      minLate: MANY_LATE,
      maxQueries: Number.POSITIVE_INFINITY,
      onProgress: (progress) => {
        const { segments, events } = add(progress)
        showProgress(`${database}: ${segments} segments, ${events} events`)
      }
    })
    sealed = add(done)
  }
  showProgress('')
  return { database, chunks: chunks.length, ...sealed }
}
