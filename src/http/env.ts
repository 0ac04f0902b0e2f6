import { Hono } from 'hono'
import type { Db, Usage } from '../db/client.ts'
import type { KeyRow, ProjectRow, UserRow } from '../projects/store.ts'

export type AppEnv = {
  Bindings: Env
  Variables: {
    now: Date
    requestId: string
    /** What the request has cost in all its databases so far. */
    usage: Usage
    /** Set by `allow`: who calls, which project, and that project's database. */
    key: KeyRow
    user: UserRow
    project: ProjectRow
    db: Db
    /** Set by whoever knows the project before the log line is written. */
    projectId: number
    keyId: number
    /** Settled when the last of a streamed answer has been sent. */
    streamed: Promise<void>
  }
}

/** A router in which a trailing slash makes no difference. */
export const createRouter = () => new Hono<AppEnv>({ strict: false })
