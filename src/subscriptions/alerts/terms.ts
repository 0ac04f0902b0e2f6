import { parseIso } from '../../calendar/clock.ts'
import { DAY, HOUR } from '../../calendar/units.ts'
import type { AlertRule } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { show } from '../../input/show.ts'
import type { AlertChange } from './request.ts'

/** Largest bound of a percentage: 1000%. A larger one is probably not meant as a fraction. */
const MAX_SHARE = 10

/**
 * Applies the changes of a request to the rule of an alert.
 * @param fresh the id and the time of a new threshold
 * @throws invalid_input, attr the field, for bounds that contradict each other or the condition
 */
export function changeRule(
  before: AlertRule | undefined,
  { condition, threshold, config }: AlertChange,
  fresh: { id: string; created_at: string }
): AlertRule {
  const configuration = threshold?.configuration
  const compared: AlertRule['condition'] = condition
    ? { type: condition.type, compare_to: condition.compare_to ?? 'previous_interval' }
    : (before?.condition ?? { type: 'absolute_value', compare_to: 'previous_interval' })
  // A rule without bounds does not take over those of the rule before.
  const isKept = threshold === undefined && compared.type !== 'no_data'
  const kept = isKept ? before?.threshold.configuration : undefined
  const rule: AlertRule = {
    condition: compared,
    threshold: {
      id: before?.threshold.id ?? fresh.id,
      created_at: before?.threshold.created_at ?? fresh.created_at,
      name: '',
      configuration: configuration
        ? {
            type: configuration.type,
            bounds: {
              lower: configuration.bounds?.lower ?? null,
              upper: configuration.bounds?.upper ?? null
            }
          }
        : (kept ?? NO_BOUNDS)
    },
    config: {
      type: 'TrendsAlertConfig',
      series_index: config?.series_index ?? before?.config.series_index ?? 0,
      check_ongoing_interval: false
    }
  }
  expectConsistent(rule)
  return rule
}

const NO_BOUNDS: AlertRule['threshold']['configuration'] = {
  type: 'absolute',
  bounds: { lower: null, upper: null }
}

const refuse = (detail: string, attr: string) => new AppError('invalid_input', detail, attr)

const BOUNDS = 'threshold__configuration__bounds'

function expectConsistent(rule: AlertRule): void {
  expectBounds(rule)
  const { condition, threshold } = rule
  const isChange = condition.type.startsWith('relative')
  if (threshold.configuration.type === 'percentage' && !isChange) {
    throw refuse(
      `\`${condition.type}\` needs an absolute threshold: only a change has a percentage.`,
      'threshold__configuration__type'
    )
  }
  if (condition.compare_to === 'same_weekday' && !isChange) {
    throw refuse(
      '`compare_to` needs `relative_increase` or `relative_decrease`.',
      'condition__compare_to'
    )
  }
}

function expectBounds({ condition, threshold }: AlertRule): void {
  const { type, bounds } = threshold.configuration
  const { lower, upper } = bounds
  const isWithout = lower === null && upper === null
  if (condition.type === 'no_data' && !isWithout) {
    throw refuse('`no_data` has no bounds: leave out `threshold`.', BOUNDS)
  }
  if (condition.type !== 'no_data' && isWithout) {
    throw refuse(
      'Send `lower`, `upper` or both: without bounds, the alert would never fire.',
      BOUNDS
    )
  }
  if (lower !== null && upper !== null && lower > upper) {
    throw refuse('`lower` must not be greater than `upper`.', `${BOUNDS}__lower`)
  }
  const largest = Math.max(Math.abs(lower ?? 0), Math.abs(upper ?? 0))
  if (type === 'percentage' && largest > MAX_SHARE) {
    throw refuse(
      `Percentages are fractions: 0.5 is 50%, and ${MAX_SHARE} (1000%) is the largest bound.`,
      BOUNDS
    )
  }
}

const UNITS: Record<string, number> = { h: HOUR, d: DAY, w: 7 * DAY }

/**
 * Reads the end of a snooze: `2h` is two hours after `now`, ms UTC.
 * @returns ms UTC. @throws invalid_input
 */
export function readSnooze(text: string, timezone: string, now: number): number {
  const [, amount, unit = ''] = /^\s*(\d{1,4})([hdw])\s*$/.exec(text) ?? []
  const time = amount
    ? now + Number(amount) * (UNITS[unit] ?? 0)
    : Math.floor(parseIso(text, timezone) ?? Number.NaN)
  if (!(time > now)) {
    throw new AppError(
      'invalid_input',
      `\`snoozed_until\` must be a time from now such as \`2h\`, \`1d\` or \`1w\`, or a later ISO 8601 date-time; got ${show(text)}.`,
      'snoozed_until'
    )
  }
  return time
}
