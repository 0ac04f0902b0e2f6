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
    /** Set by `allow` and `allowReading`: the project's database. */
    db: Db
    /** Set with it: the project's id, to ask that database with; what it answers is only for who may see the project. */
    tenantId: number
    /** Set with it: who calls, and which project. @throws what the request is refused with */
    caller: () => Promise<Reached>
    /** Set by whoever knows the project before the log line is written. */
    projectId: number
    keyId: number
    /** Set by `describe` for `allow`. @throws invalid_input for a query parameter that the operation does not have */
    expectKnown: () => void
    /** Set by `validateBody`: the fields of the body that the operation does not know, and that were passed over. */
    passedOver: JsonObject
    /** Settled when the last of a streamed answer has been sent. */
    streamed: Promise<void>
    /** What `caller` says; set by `allow` alone. */
  } & Reached
}

/** A router in which a trailing slash makes no difference. */
export const createRouter = () => new Hono<AppEnv>({ strict: false })
