import type { Db } from '../db/client.ts'
import type { FilterGroup } from '../properties/filter.ts'
import { countBehaviors } from './behaviors.ts'
import { definitionOf } from './definition.ts'
import { inlineDefinition } from './inline.ts'
import { compileDefinition } from './persons.store.ts'
import { behaviorsIn } from './resolve.ts'

/**
 * Compiles filters on persons, by their properties and by cohorts, to a condition on persons `m`.
 * @throws the errors of `inlineDefinition`, `countBehaviors` and `compileDefinition`
 */
export async function compilePersonFilter(
  db: Db,
  project: { id: number; timezone: string; weekStart: number },
  group: FilterGroup,
  now: Date
) {
  const definition = await inlineDefinition({ db, project, now }, definitionOf(group))
  const behaviors = await countBehaviors({ db, project, now }, behaviorsIn([definition]))
  return compileDefinition(db, project, definition, { behaviors, now })
}
