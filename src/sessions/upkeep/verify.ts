import type { Db } from '../../db/client.ts'
import { listKinds } from '../../rollups/store.ts'
import { type ComparedSession, compareSessions } from './store.ts'

/** Sessions of one statement, which reads their events. */
const PIECE = 200
const MAX_SHOWN = 100

export type WrongSession = { project_id: number } & Pick<
  ComparedSession,
  'session_id' | 'kept' | 'stored'
>

/**
 * Reads the events of sessions again, and compares with what the sessions say: of each project the newest by their ids.
 * @param pieces of 200 sessions, in all projects together, of which each has one at least
 */
export async function verifySessions(
  db: Db,
  pieces: number
): Promise<{ sessions: number; wrong: number; first: WrongSession[] }> {
  const projects = [...new Set((await listKinds(db)).map(({ project_id }) => project_id))]
  const share = Math.max(1, Math.floor(pieces / projects.length))
  const all: WrongSession[] = []
  let sessions = 0
  for (const project_id of projects) {
    let before: string | undefined
    for (let piece = 0; piece < share; piece += 1) {
      const compared = await compareSessions(db, project_id, before, PIECE)
      const wrong = compared.filter(
        ({ isComparable, kept, stored }) => isComparable && kept.join() !== stored.join()
      )
      all.push(
        ...wrong.map(({ session_id, kept, stored }) => ({ project_id, session_id, kept, stored }))
      )
      sessions += compared.length
      before = compared.at(-1)?.session_id
      if (compared.length < PIECE) {
        break
      }
    }
  }
  return { sessions, wrong: all.length, first: all.slice(0, MAX_SHOWN) }
}
