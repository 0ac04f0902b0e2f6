import type { Db } from '../db/client.ts'
import type { Asked } from '../trends/computation.ts'
import type { ProjectCalendar } from '../trends/periods.ts'

/** Where a question is computed, and how its events are read: see `Asked`. */
export type QuestionPlace = { db: Db; project: ProjectCalendar } & Pick<
  Asked,
  'found' | 'stepEvents'
>
