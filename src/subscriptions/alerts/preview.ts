import type { OpenProject } from '../../access/open.ts'
import { toIso } from '../../calendar/clock.ts'
import { DAY } from '../../calendar/units.ts'
import type { AlertRule, CheckSchedule } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import type { TrendQuery } from '../../trends/query.ts'
import { evaluate } from './condition.ts'
import { readIntervals } from './samples.ts'
import { nextCheck, SETTLING_MS } from './schedule.ts'
import { intervalToJson } from './schemas.ts'

/** Days of the past that a preview looks at. */
const PREVIEW_DAYS = 30

type Fired = {
  at: string
  over_at: string | null
  calculated_value: number | null
  interval: { from: string; until: string } | null
  description: string
}

/**
 * Says when an alert would have fired in the last 30 days.
 * @throws invalid_input, attr `insight`, for an insight by the minute
 */
export async function previewAlert(
  open: OpenProject,
  query: TrendQuery,
  { rule, checks }: { rule: AlertRule; checks: CheckSchedule },
  now: Date
): Promise<{ checks: number; fired: Fired[] }> {
  if (query.interval === 'minute') {
    throw new AppError(
      'invalid_input',
      'An insight by the minute has too many intervals for a preview.',
      'insight'
    )
  }
  const at = now.getTime()
  const from = at - PREVIEW_DAYS * DAY
  const intervals = await readIntervals(open, query, rule, { from, until: at, now })
  const fired: Fired[] = []
  let isFiring = false
  let count = 0
  let done = 0
  for (let due = nextCheck(checks, from); due <= at; due = nextCheck(checks, due)) {
    const end = intervals.findLastIndex(({ until }) => until <= due - SETTLING_MS) + 1
    const found = evaluate(rule, intervals.slice(done, Math.max(done, end)), isFiring)
    done = Math.max(done, end)
    count += 1
    isFiring = found.isFiring
    const last = fired.at(-1)
    const isOpen = last !== undefined && last.over_at === null
    if (found.event !== null && isOpen) {
      fired[fired.length - 1] = { ...last, over_at: toIso(due) }
    }
    if (found.event === 'firing' || (found.event === 'over' && !isOpen)) {
      fired.push({
        at: toIso(due),
        over_at: found.event === 'over' ? toIso(due) : null,
        calculated_value: found.value,
        interval: intervalToJson(found.interval),
        description: found.words
      })
    }
  }
  return { checks: count, fired }
}
