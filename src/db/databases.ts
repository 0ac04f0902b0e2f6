import { UnavailableError } from '../errors.ts'

/** The binding of the database that holds projects, users and keys, and by default a project's data. */
export const CONTROL = 'DB'

/** The D1 binding that a project's row names. @throws unavailable when this deployment has no such binding */
export function databaseOf(env: Pick<Env, 'DB'>, name: string): D1Database {
  const binding: unknown = Object.hasOwn(env, name) ? env[name as keyof typeof env] : undefined
  if (isDatabase(binding)) {
    return binding
  }
  throw new UnavailableError(`The project’s database ${name} is not bound to this deployment.`)
}

/** The names of all D1 bindings that this deployment has. What stands for another service claims to have any method. */
export const listBound = (env: Env): string[] =>
  Object.entries(env).flatMap(([name, binding]) =>
    Object.getPrototypeOf(binding) === Object.getPrototypeOf(env[CONTROL]) ? name : []
  )

const isDatabase = (binding: unknown): binding is D1Database =>
  typeof binding === 'object' && binding !== null && 'withSession' in binding
