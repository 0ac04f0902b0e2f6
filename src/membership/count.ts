import { actorOfNumber, isPersonNumber } from '../columns/actor-numbers.ts'
import type { Db } from '../db/client.ts'
import { inCohort } from '../properties/filter.ts'
import { resolveCohorts } from './resolve.ts'
import { countPersons, countPersonsAmong } from './store.ts'

/** Persons whose existence a statement looks up. */
const AT_ONCE = 50_000

/** Counts the persons who are now in a cohort. @throws the errors of `resolveCohorts` */
export async function countPersonsIn(
  db: Db,
  project: { id: number; timezone: string; weekStart: number },
  cohort: number,
  now: Date
): Promise<number> {
  const filters = [{ type: 'AND' as const, values: [inCohort(cohort)] }]
  const cohorts = await resolveCohorts(db, project, filters, now)
  const actors = cohorts.get(String(cohort))
  if (!actors) {
    throw new Error('A cohort was not resolved.')
  }
  let noted = 0
  let some: number[] = []
  const countSome = async () => {
    noted += some.length > 0 ? await countPersonsAmong({ db, project }, some) : 0
    some = []
  }
  for (const number of actors.noted()) {
    if (isPersonNumber(number)) {
      some.push(actorOfNumber(number))
    }
    if (some.length === AT_ONCE) {
      await countSome()
    }
  }
  await countSome()
  return actors.isInverted ? (await countPersons({ db, project })) - noted : noted
}
