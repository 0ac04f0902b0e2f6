import { withAttr } from '../errors.ts'

/** Turns a path in a node into a path in what contains the node. */
export type PathOf = (nodePath: string) => string

/** Returns the path in a node of a path in its `source`. */
export const inSource: PathOf = (path) => ['source', path].filter(Boolean).join('__')

/** Returns a handler that throws an error again; one that names a field, with the field's path. */
export const rethrowing =
  (pathOf: PathOf) =>
  (error: unknown): never => {
    throw withAttr(error, ({ code, attr }) =>
      attr === null || code === 'query_too_large' ? attr : pathOf(attr)
    )
  }
