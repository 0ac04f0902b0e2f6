import { UnavailableError } from '../errors.ts'

/**
 * The binding of the control database, which holds projects, users and keys, and by default the
 * projects' data.
 */
export const CONTROL = 'DB'

/** Returns the D1 binding of this name. @throws unavailable when the deployment has none */
export function databaseOf(env: Pick<Env, 'DB'>, name: string): D1Database {
  const binding: unknown = Object.hasOwn(env, name) ? env[name as keyof typeof env] : undefined
  if (isDatabase(binding)) {
    return binding
  }
  throw new UnavailableError(`The project’s database ${name} is not bound to this deployment.`)
}

/**
 * Lists the names of this deployment's D1 bindings. Compares prototypes, because a service binding
 * claims to have every method.
 */
export const listBound = (env: Env): string[] =>
  Object.entries(env).flatMap(([name, binding]) =>
    Object.getPrototypeOf(binding) === Object.getPrototypeOf(env[CONTROL]) ? name : []
  )

const isDatabase = (binding: unknown): binding is D1Database =>
  typeof binding === 'object' && binding !== null && 'withSession' in binding
