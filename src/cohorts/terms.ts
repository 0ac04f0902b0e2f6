import type { Db } from '../db/client.ts'
import { AppError, withAttr } from '../errors.ts'
import type { JsonObject } from '../input/json.ts'
import { inlineDefinition } from '../membership/inline.ts'
import { readDefinition } from '../membership/read-definition.ts'
import type { CohortChange, CohortInput } from './schemas.ts'
import type { CohortTerms } from './store.ts'

/**
 * Returns the terms of a new cohort.
 * @throws invalid_input, attr the field, for members of a cohort that is not static, and for
 * members sent in two ways; the errors of `changeCohort`
 */
export function newCohort(input: CohortInput): CohortTerms {
  const { is_static: isStatic } = input
  const [first, second] = (['_create_static_person_ids', 'csv', 'query'] as const).filter(
    (name) => (input[name] ?? null) !== null
  )
  if (first && !isStatic) {
    throw new AppError(
      'invalid_input',
      'Only a static cohort has members of its own: send `is_static` as true.',
      first
    )
  }
  if (second) {
    throw new AppError('invalid_input', `Send either \`${first}\` or \`${second}\`.`, second)
  }
  return changeCohort({ name: null, description: '', isStatic, filters: null }, input)
}

/**
 * Applies the changes of a request to a cohort.
 * @throws invalid_input, attr `filters`, for filters of a static cohort; required, attr `filters`,
 * for another cohort without filters
 */
export function changeCohort(
  before: CohortTerms,
  { name, description, filters }: CohortChange
): CohortTerms {
  const terms = {
    isStatic: before.isStatic,
    name: given(name, before.name),
    description: given(description, before.description) ?? '',
    filters: given(filters, before.filters)
  }
  if (terms.isStatic && terms.filters) {
    throw new AppError(
      'invalid_input',
      'A static cohort has no filters: it has members of its own.',
      'filters'
    )
  }
  if (!terms.isStatic && !terms.filters) {
    throw new AppError('required', 'This field is required.', 'filters')
  }
  return terms
}

const given = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value)

/**
 * Checks the filters of a cohort, and the cohorts that they name.
 * @param own the id of the cohort, if it is stored
 * @throws errors of input, attr the path; invalid_input, attr `filters`, for unknown cohorts, and
 * for cohorts that name each other
 */
export async function checkFilters(
  db: Db,
  project: { id: number; timezone: string; weekStart: number },
  filters: JsonObject,
  { own, now }: { own?: number | undefined; now: Date }
): Promise<void> {
  try {
    const definition = readDefinition(filters, { ...project, now })
    const path = own === undefined ? undefined : String(own)
    await inlineDefinition({ db, project, now }, definition, path).catch((error: unknown) => {
      throw withAttr(error, () => '')
    })
  } catch (error) {
    throw withAttr(error, ({ attr }) => (attr ? `filters__${attr}` : 'filters'))
  }
}
