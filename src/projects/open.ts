import { type Db, openDb, type Usage } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { findProjects, type ProjectRow } from './store.ts'

/** A project and the database that its data is in. */
export type OpenProject = { project: ProjectRow; db: Db }

/**
 * Finds a project and opens the database that its row names; undefined when there is no such project.
 * @param usage counts what both databases cost
 * @throws unavailable when this deployment does not bind the project's database
 */
export async function openProject(
  env: Pick<Env, 'DB'>,
  id: number,
  usage: Usage
): Promise<OpenProject | undefined> {
  const [project] = await findProjects(openDb(env.DB, usage).db, [id])
  return project && { project, db: openDb(databaseOf(env, project.database), usage).db }
}
