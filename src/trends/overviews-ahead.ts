import { type Overviews, planOverviews } from '../columns/sealed.ts'
import type { Read } from '../db/batch.ts'
import type { JsonObject } from '../input/json.ts'
import { outlineOf, type ProjectCalendar } from './periods.ts'
import { sketchPart } from './plan.ts'
import { readOutline } from './request.ts'

/** Projects whose calendar an isolate remembers; a full memory is emptied. */
const MAX_PROJECTS = 1_000

const calendars = new Map<number, ProjectCalendar>()

/** Remembers the calendar of a project, by which its next trend is planned early. */
export function rememberCalendar({ id, timezone, weekStart }: ProjectCalendar): void {
  if (calendars.size >= MAX_PROJECTS && !calendars.has(id)) {
    calendars.clear()
  }
  calendars.set(id, { id, timezone, weekStart })
}

/**
 * Plans a read of the overviews that a trend needs, before the trend's project is read. Uses the
 * calendar that the project had when its last trend was computed; if the calendar has changed
 * since, the trend reads other overviews later. Returns undefined for an unknown calendar, for all
 * time, for comparisons, whose earlier period follows from the number of buckets, and for an
 * invalid request, which the route refuses later.
 */
export function planAhead(
  projectId: number,
  readFields: () => JsonObject,
  now: Date
): Read<Overviews> | undefined {
  try {
    return planEarly(projectId, readFields(), now)
  } catch {
    return undefined
  }
}

function planEarly(projectId: number, fields: JsonObject, now: Date): Read<Overviews> | undefined {
  const project = calendars.get(projectId)
  const query = project && readOutline(fields, project, now)
  if (!query || query.from === 'all' || query.compare) {
    return undefined
  }
  const period = outlineOf(query, { from: query.from, until: query.until }, project)
  return planOverviews(
    query.series.map((series) => sketchPart(project, query, { series, period }).stretch)
  )
}
