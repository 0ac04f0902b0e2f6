import type { KeyRow, ProjectRow, UserRow } from './store.ts'

/** The caller and, unless the path has none, the project. */
export type Reached = { key: KeyRow; user: UserRow; project: ProjectRow }

declare module 'hono' {
  interface ContextVariableMap extends Reached {}
}
