import type { Scope } from '../../access/open.ts'
import { shuffleKinds } from '../../columns/slots/store.ts'
import type { Db } from '../../db/client.ts'
import { type ComparedSession, compareSessions } from './verify.store.ts'

/** Sessions compared per statement. The statement reads every event of those sessions. */
const PAGE = 200
/** Wrong sessions listed in `first`; `wrong` counts all of them. */
const MAX_SHOWN = 100

export type WrongSession = { project_id: number } & Pick<
  ComparedSession,
  'session_id' | 'from_row' | 'from_events'
>

/**
 * Compares each session's event count, start and end with its events, by descending id: newest
 * first if ids are UUIDv7, which SDKs generate.
 * @param pages the total number of pages to read, each of 200 sessions. The projects share them
 * equally; with more projects than pages, random projects get one page each
 * @returns the number of `sessions` read, including incomparable sessions; the number of `wrong`
 * sessions; and the `first` 100 of these
 */
export async function verifySessions(
  db: Db,
  pages: number
): Promise<{ sessions: number; wrong: number; first: WrongSession[] }> {
  // The projects that have event names, in random order.
  const found = new Set((await shuffleKinds(db)).map(({ project_id }) => project_id))
  const projects = [...found].slice(0, pages).sort((a, b) => a - b)
  const share = Math.max(1, Math.floor(pages / projects.length))
  const all: WrongSession[] = []
  let sessions = 0
  for (const projectId of projects) {
    for await (const compared of comparePages({ db, project: { id: projectId } }, share)) {
      sessions += compared.length
      all.push(...wrongOf(projectId, compared))
    }
  }
  return { sessions, wrong: all.length, first: all.slice(0, MAX_SHOWN) }
}

async function* comparePages(scope: Scope, pages: number): AsyncGenerator<ComparedSession[], void> {
  let before: string | undefined
  for (let page = 0; page < pages; page += 1) {
    const compared = await compareSessions(scope, before, PAGE)
    yield compared
    if (compared.length < PAGE) {
      return
    }
    before = compared.at(-1)?.session_id
  }
}

const wrongOf = (project_id: number, compared: ComparedSession[]): WrongSession[] =>
  compared
    .filter((session) => session.isComparable)
    .filter(({ from_row, from_events }) => from_row.join() !== from_events.join())
    .map(({ session_id, from_row, from_events }) => ({
      project_id,
      session_id,
      from_row,
      from_events
    }))
