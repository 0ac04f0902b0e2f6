import { Hono } from 'hono'
import { getPathNoStrict } from 'hono/utils/url'
import type { ControlDb, ProjectDb, Usage } from '../db/client.ts'
import type { Json, JsonObject } from '../input/json.ts'

/** What every handler gets. `access/caller.ts` adds the caller and the project. */
export type AppEnv = {
  Bindings: Env
  Variables: {
    now: Date
    requestId: string
    /** The id of the operation in the reference; set by `describe`. */
    operationId: string
    /** The cost of the request in all databases so far. */
    usage: Usage
    /** The project's database. Set once the key is accepted. */
    db: ProjectDb
    /** The control database, on paths without a project. Set once the key is accepted. */
    control: ControlDb
    /** The answer of the planned read; `foundFor` of `reading` gives it its type. */
    found: unknown
    /** Set once the project is known, for the log line. */
    projectId: number
    keyId: number
    /**
     * Checks the query parameters; set by `describe` for `allow`. @throws invalid_input for an
     * unknown parameter
     */
    expectKnown: () => void
    /** The JSON body; set when a handler first reads it. */
    body: Promise<Json> | undefined
    /** The unknown fields of the body that were ignored; set by `validateBody`. */
    ignoredFields: JsonObject
    /** Settles when a streamed response has ended: sent, failed or cancelled. */
    streamed: Promise<void>
  }
}

/**
 * A router in which a trailing slash makes no difference, nor do several slashes at the beginning:
 * clients that join a host ending in a slash with a path send `//batch/`.
 */
export const createRouter = () =>
  new Hono<AppEnv>({ getPath: (request) => getPathNoStrict(request).replace(/^\/{2,}/, '/') })
