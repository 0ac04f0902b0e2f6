import type * as z from 'zod'
import type { Deployment } from '../access/hold.ts'
import { type OpenProject, openForUpkeep, openProject } from '../access/open.ts'
import { PoisonError } from './failure.ts'
import type { Invocation } from './invocation.ts'

/**
 * Parses the body of a message. The error is logged, so it names the wrong fields but never their
 * values.
 * @param kind name of the message in the error: `an erasure message`
 * @throws PoisonError for any other body
 */
export function readMessage<S extends z.ZodType>(
  schema: S,
  kind: string,
  body: unknown
): z.output<S> {
  const result = schema.safeParse(body)
  if (result.success) {
    return result.data
  }
  const fields = result.error.issues.map(({ path }) => nameOf(path) || 'the body')
  throw new PoisonError(
    `This is not ${kind}; wrong fields: ${[...new Set(fields)].join(', ').slice(0, 300)}.`
  )
}

/**
 * Opens the project that a message names.
 * @throws PoisonError if the project does not exist, HeldError while it is held back
 */
export const openProjectOf = async (
  projectId: number,
  { env, usage }: Invocation<Deployment>
): Promise<OpenProject> => existing(projectId, await openProject(env, projectId, usage))

/**
 * Opens the project for upkeep, even while it is held back: see `openForUpkeep`.
 * @throws PoisonError if the project does not exist
 */
export const openUpkeepOf = async (
  projectId: number,
  { env, usage }: Invocation<Pick<Env, 'DB'>>
): Promise<OpenProject> => existing(projectId, await openForUpkeep(env, projectId, usage))

function existing(projectId: number, open: OpenProject | undefined): OpenProject {
  if (!open) {
    throw new PoisonError(`There is no project ${projectId}.`)
  }
  return open
}

/** `['to', 0, 'name']` → `to[0].name` */
const nameOf = (path: PropertyKey[]): string =>
  path
    .map((part, i) =>
      typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`
    )
    .join('')
