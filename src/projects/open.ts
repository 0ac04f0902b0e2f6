import { type Db, openDb, type Usage } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { findProjects, type ProjectRow } from './store.ts'

/** A project and the database that its data is in. */
export type OpenProject = { project: ProjectRow; db: Db }

/**
 * Finds a project and opens its database; undefined if the project does not exist.
 * @param usage collects the cost of the control database and of the project's
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
