import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { cohortsIn, type Definition, type Inlined } from './definition.ts'
import { readDefinition } from './read-definition.ts'
import { readDefinitions } from './store.ts'

/** Returns the error for a cohort that does not exist. */
export const noCohort = (id: number | string, attr: string): AppError =>
  new AppError('invalid_input', `The cohort ${id} does not exist, or was deleted.`, attr)

/** Filters that the definitions of a question's cohorts may have in all, with those of others. */
const MAX_LEAVES = 200

export type Inlining = {
  db: Db
  project: { id: number; timezone: string; weekStart: number }
  now: Date
}

/**
 * Reads the definitions of cohorts, with those of the cohorts that they name in their place.
 * @throws invalid_input, attr `properties`, for an unknown cohort, and for cohorts that name each
 * other; query_too_large
 */
export async function inlineCohorts(
  inlining: Inlining,
  ids: readonly string[]
): Promise<Map<string, Inlined>> {
  const known = await readAll(inlining, ids)
  const left = { leaves: MAX_LEAVES }
  return new Map([...new Set(ids)].map((id) => [id, inlineOne(id, { known, path: [], left })]))
}

/** Like `inlineCohorts`, for a definition that is not stored: that of the cohort `own`, if any. */
export async function inlineDefinition(
  inlining: Inlining,
  definition: Definition,
  own?: string
): Promise<Inlined> {
  const known = await readAll(inlining, cohortsIn(definition))
  const path = own === undefined ? [] : [own]
  return inline(definition, { known, path, left: { leaves: MAX_LEAVES } })
}

type KnownCohorts = ReadonlyMap<string, Definition | 'static'>

async function readAll(
  { db, project, now }: Inlining,
  ids: readonly string[]
): Promise<KnownCohorts> {
  const known = new Map<string, Definition | 'static'>()
  for (let wanted = [...new Set(ids)]; wanted.length > 0; ) {
    for (const { id, isStatic, filters } of await readDefinitions({ db, project }, wanted)) {
      known.set(String(id), isStatic ? 'static' : readDefinition(filters, { ...project, now }))
    }
    const missing = wanted.find((id) => !known.has(id))
    if (missing !== undefined) {
      throw noCohort(missing, 'properties')
    }
    const named = wanted.flatMap((id) => {
      const definition = known.get(id)
      return definition && definition !== 'static' ? cohortsIn(definition) : []
    })
    wanted = [...new Set(named)].filter((id) => !known.has(id))
  }
  return known
}

type Step = { known: KnownCohorts; path: readonly string[]; left: { leaves: number } }

function inlineOne(id: string, step: Step): Inlined {
  const { known, path } = step
  countLeaf(step)
  if (path.includes(id)) {
    throw new AppError(
      'invalid_input',
      `The cohorts ${[...path.slice(path.indexOf(id)), id].join(' → ')} name each other in a circle: take the filter out of one of them.`,
      'properties'
    )
  }
  const definition = known.get(id)
  if (definition === undefined) {
    throw new Error('A cohort was not read.')
  }
  if (definition === 'static') {
    return { kind: 'members', id: Number(id) }
  }
  return inline(definition, { ...step, path: [...path, id] })
}

function inline(definition: Definition, step: Step): Inlined {
  switch (definition.kind) {
    case 'group':
      return { ...definition, nodes: definition.nodes.map((node) => inline(node, step)) }
    case 'not':
      return { kind: 'not', node: inline(definition.node, step) }
    case 'cohort':
      return inlineOne(definition.id, step)
    default:
      countLeaf(step)
      return definition
  }
}

/** @throws query_too_large, attr `properties` */
function countLeaf({ left }: Step): void {
  left.leaves -= 1
  if (left.leaves < 0) {
    throw new AppError(
      'query_too_large',
      `The cohorts have more than ${MAX_LEAVES} filters in all, with those of the cohorts that they name: use fewer of them.`,
      'properties'
    )
  }
}
