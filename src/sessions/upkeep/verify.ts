import type { Db } from '../../db/client.ts'
import { listKinds } from '../../rollups/store.ts'
import { type ComparedSession, compareSessions } from './store.ts'

/** Sessions compared in one statement, which reads all their events. */
const PAGE = 200
/** Wrong sessions returned; all are counted. */
const MAX_SHOWN = 100

export type WrongSession = { project_id: number } & Pick<
  ComparedSession,
  'session_id' | 'kept' | 'stored'
>

/**
 * Compares sessions with their events, beginning with each project's highest ids, which are the newest sessions.
 * @param pages pages of 200 sessions for all projects together; each project gets at least one
 */
export async function verifySessions(
  db: Db,
  pages: number
): Promise<{ sessions: number; wrong: number; first: WrongSession[] }> {
  const projects = [...new Set((await listKinds(db)).map(({ project_id }) => project_id))]
  const share = Math.max(1, Math.floor(pages / projects.length))
  const all: WrongSession[] = []
  let sessions = 0
  for (const project_id of projects) {
    let before: string | undefined
    for (let page = 0; page < share; page += 1) {
      const compared = await compareSessions(db, project_id, before, PAGE)
      const wrong = compared.filter(
        ({ isComparable, kept, stored }) => isComparable && kept.join() !== stored.join()
      )
      all.push(
        ...wrong.map(({ session_id, kept, stored }) => ({ project_id, session_id, kept, stored }))
      )
      sessions += compared.length
      before = compared.at(-1)?.session_id
      if (compared.length < PAGE) {
        break
      }
    }
  }
  return { sessions, wrong: all.length, first: all.slice(0, MAX_SHOWN) }
}
