import { Hono } from 'hono'
import type { Db, Usage } from '../db/client.ts'
import type { JsonObject } from '../input/json.ts'
import type { KeyRow, ProjectRow, UserRow } from '../projects/store.ts'

/** Who calls, and a project that the key reaches. */
export type Reached = { key: KeyRow; user: UserRow; project: ProjectRow }

export type AppEnv = {
  Bindings: Env
  Variables: {
    now: Date
    requestId: string
    /** What the request has cost in all its databases so far. */
    usage: Usage
    /** The project's database; set by `allow` and `reading`, like the caller and the project below. */
    db: Db
    /** What a planned read found: `reading` knows its type. */
    found: unknown
    /** Set by whoever knows the project before the log line is written. */
    projectId: number
    keyId: number
    /** Set by `describe` for `allow`. @throws invalid_input for a query parameter that the operation does not have */
    expectKnown: () => void
    /** Set by `validateBody`: the fields of the body that the operation does not know, and that were passed over. */
    passedOver: JsonObject
    /** Settled when the last of a streamed answer has been sent. */
    streamed: Promise<void>
  } & Reached
}

/** A router in which a trailing slash makes no difference. */
export const createRouter = () => new Hono<AppEnv>({ strict: false })
