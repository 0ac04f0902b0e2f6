import { Hono } from 'hono'
import type { Db, Usage } from '../db/client.ts'
import type { Json, JsonObject } from '../input/json.ts'
import type { KeyRow, ProjectRow, UserRow } from '../projects/store.ts'

/** The caller, and the project that the request names. */
export type Reached = { key: KeyRow; user: UserRow; project: ProjectRow }

export type AppEnv = {
  Bindings: Env
  Variables: {
    now: Date
    requestId: string
    /** The cost of the request in all databases so far. */
    usage: Usage
    /** The project's database; set by `allow` and `reading`, like the caller and the project below. */
    db: Db
    /** The answer of a planned read, whose type `reading` knows. */
    found: unknown
    /** Set once the project is known, for the log line. */
    projectId: number
    keyId: number
    /**
     * Checks the query parameters; set by `describe` for `allow`. @throws invalid_input for an
     * unknown parameter
     */
    expectKnown: () => void
    /** The body, once it is read. */
    body: Promise<Json> | undefined
    /** The unknown fields of the body that were ignored; set by `validateBody`. */
    ignoredFields: JsonObject
    /** Settles when a streamed response has been sent completely. */
    streamed: Promise<void>
  } & Reached
}

/** A router in which a trailing slash makes no difference. */
export const createRouter = () => new Hono<AppEnv>({ strict: false })
