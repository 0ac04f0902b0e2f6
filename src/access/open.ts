import { openControl, openDb, type ProjectDb, type Usage } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { type Deployment, expectReleased } from './hold.ts'
import { findProjects, type ProjectRow } from './store.ts'

/** Where a function on a project's data works: the project, and the database with its data. */
export type Scope = { project: { id: number }; db: ProjectDb }

/** A project with all its settings, the database with its data, and the cost so far. */
export type OpenProject = { project: ProjectRow; db: ProjectDb; usage: Usage }

/**
 * Finds a project and opens its database; undefined if the project does not exist.
 * @param usage collects the cost in the control database and in the project's database
 * @throws HeldError while the project is held back; unavailable when this deployment does not bind
 * the project's database
 */
export async function openProject(
  env: Deployment,
  id: number,
  usage: Usage
): Promise<OpenProject | undefined> {
  const open = await openForUpkeep(env, id, usage)
  if (open) {
    expectReleased(open.project, env)
  }
  return open
}

/**
 * Like `openProject`, also while the project is held back: for work such as erasures, which shows
 * no data and stores no captured events.
 */
export async function openForUpkeep(
  env: Pick<Env, 'DB'>,
  id: number,
  usage: Usage
): Promise<OpenProject | undefined> {
  const [project] = await findProjects(openControl(env, usage).db, [id])
  return project && { project, db: openDb(databaseOf(env, project.database), usage).db, usage }
}
