import { isObject, type Json } from '../input/json.ts'
import { printTime } from '../sql/functions/times.ts'
import type { DrawingPlace, DrawnQuestion } from './drawing.ts'
import type { ListAnswer } from './list-answer.ts'
import { labelOf } from './select.ts'
import { drawStatement } from './sql/chart.ts'
import { readView } from './sql/view.ts'

/** Draws a list of events or persons as the table of a statement with the same columns. */
export function drawList(
  { columns, types, results, hasMore }: ListAnswer,
  place: DrawingPlace
): DrawnQuestion {
  const { timezone } = place.project
  const cellOf = (value: Json, type: string | undefined): Json => {
    if (type?.startsWith('DateTime') && typeof value === 'string') {
      return printTime(Date.parse(value), timezone)
    }
    return isObject(value) && type === 'Tuple' ? nameIn(value) : value
  }
  return drawStatement(
    { view: readView({}) },
    {
      types: columns.map((name, i) => [labelOf(name), types[i] ?? '']),
      results: results.map((row) => row.map((value, i) => cellOf(value, types[i]))),
      hasMore
    },
    place
  )
}

/** Returns the name of a person or an event: `Ada`, `$pageview`. */
const nameIn = ({ display_name, name, event, distinct_id }: Record<string, Json>): Json =>
  display_name ?? name ?? event ?? distinct_id ?? null
