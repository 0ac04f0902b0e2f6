import { toIso } from '../calendar/clock.ts'
import type { ProjectDb } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { countPersonsIn } from '../membership/count.ts'

/** The number of persons in a cohort, when they were counted, and why they could not be. */
export type CohortCount = {
  count: number | null
  at: string | null
  error?: string
}

/** Counts the persons who are now in a cohort. An error of the filters becomes its message. */
export async function countCohort(
  db: ProjectDb,
  project: { id: number; timezone: string; weekStart: number },
  id: number,
  now: Date
): Promise<CohortCount> {
  try {
    return { count: await countPersonsIn(db, project, id, now), at: toIso(now.getTime()) }
  } catch (error) {
    if (error instanceof AppError && error.code !== 'unavailable') {
      return { count: null, at: null, error: error.message }
    }
    throw error
  }
}
