import * as z from 'zod'
import { parseIso } from '../calendar/clock.ts'
import { FREQUENCIES, TARGET_TYPES, WEEKDAYS } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { refusing } from '../input/fields.ts'
import { checkUrl, OutboundError } from '../outbound.ts'
import { Timezone } from '../projects/project.ts'
import { daysInPeriod, nextOccurrence, type Schedule, YEARS } from './schedule.ts'

const INT32 = 2_147_483_647
const MAX_RECIPIENTS = 50

const Id = z.int().nullish()
const DateText = z.string().max(100)

/** What PostHog delivers by and we do not. */
const ELSEWHERE = {
  integration_id: 'Slack is reached by the URL of an incoming webhook, in `target_value`.',
  dashboard_export_insights: 'The first ten insights of a dashboard are delivered.'
}

/** What a client may say of a subscription; what it leaves out is as it was. */
export const SubscriptionChange = refusing(
  z
    .object({
      dashboard: Id.meta({
        description: 'The dashboard to deliver: its first ten insights. Null for none.'
      }),
      insight: Id.meta({
        description:
          'The insight to deliver. With a dashboard as well, both are delivered; with neither, nothing is.'
      }),
      target_type: z
        .enum(TARGET_TYPES)
        .meta({ description: 'How the subscription is delivered.' })
        .optional(),
      target_value: z
        .string()
        .trim()
        .min(1)
        .max(20_000)
        .meta({
          description: `Where it is delivered: up to ${MAX_RECIPIENTS} e-mail addresses separated by commas, the URL of a Slack incoming webhook, or the URL of a webhook.`
        })
        .optional(),
      frequency: z
        .enum(FREQUENCIES)
        .meta({ description: 'The unit that `interval` counts.' })
        .optional(),
      interval: z
        .int()
        .min(1)
        .max(INT32)
        .meta({ description: 'Deliveries are this many days, weeks, months or years apart.' })
        .optional(),
      byweekday: z
        .array(z.enum(WEEKDAYS))
        .max(100)
        .transform((days) => [...new Set(days)])
        .nullish()
        .meta({ description: 'The weekdays of a delivery; null for that of `start_date`.' }),
      bysetpos: z.int().min(-366).max(366).nullish().meta({
        description:
          'Which of the matching weekdays in a period counts: 1 is the first, -1 the last.'
      }),
      count: z
        .int()
        .min(1)
        .max(INT32)
        .nullish()
        .meta({ description: 'The number of deliveries from `start_date` on; null for no limit.' }),
      start_date: DateText.meta({
        description:
          'When the schedule starts, ISO 8601; its time of day is that of each delivery. Without an offset it is read in `timezone`.'
      }).optional(),
      until_date: DateText.nullish().meta({
        description: 'When the schedule ends, ISO 8601; null for never.'
      }),
      deleted: z
        .boolean()
        .optional()
        .meta({ description: '`true` deletes the subscription, `false` restores it.' }),
      title: z
        .string()
        .trim()
        .max(100)
        .nullish()
        .meta({ description: 'The title of its messages; null for that of what is delivered.' }),
      invite_message: z
        .string()
        .trim()
        .max(10_000)
        .nullish()
        .meta({ description: 'A text in the first message.' }),
      timezone: Timezone.optional().meta({
        description: "The time zone of the schedule; the project's unless given."
      }),
      paused: z
        .boolean()
        .optional()
        .meta({ description: '`true` pauses deliveries, `false` resumes them.' })
    })
    .meta({ id: 'SubscriptionChange', examples: [{ title: 'Weekly numbers', paused: false }] }),
  ELSEWHERE
)
export type SubscriptionChange = z.infer<typeof SubscriptionChange>

const { shape } = SubscriptionChange

export const SubscriptionInput = refusing(
  SubscriptionChange.omit({ paused: true })
    .extend({
      target_type: shape.target_type.unwrap(),
      target_value: shape.target_value.unwrap(),
      frequency: shape.frequency.unwrap(),
      start_date: shape.start_date.unwrap()
    })
    .meta({
      id: 'SubscriptionInput',
      examples: [
        {
          insight: 44,
          target_type: 'email',
          target_value: 'ada@example.com, grace@example.com',
          frequency: 'weekly',
          byweekday: ['monday'],
          start_date: '2026-11-23T09:00:00+01:00',
          timezone: 'Europe/Berlin'
        }
      ]
    }),
  { ...ELSEWHERE, paused: 'A new subscription is not paused: PATCH pauses it.' }
)

/** What is kept of a subscription as its users said it. */
export type Terms = Schedule & {
  dashboardId: number | null
  insightId: number | null
  targetType: (typeof TARGET_TYPES)[number]
  targetValue: string
  title: string | null
  inviteMessage: string | null
  deleted: boolean
}

/** What a new subscription is where its request says nothing. */
export const newTerms = (timezone: string): Terms => ({
  dashboardId: null,
  insightId: null,
  targetType: 'email',
  targetValue: '',
  frequency: 'daily',
  interval: 1,
  byweekday: null,
  bysetpos: null,
  count: null,
  startDate: 0,
  untilDate: null,
  timezone,
  title: null,
  inviteMessage: null,
  deleted: false
})

/**
 * The terms with what a request changes in them.
 * @param allow `OUTBOUND_ALLOW`
 * @throws invalid_input, attr the field, for dates that are none, targets that nothing can be sent to, and schedules that
 * contradict themselves or never occur
 */
export function changeTerms(terms: Terms, change: SubscriptionChange, allow: string): Terms {
  const timezone = change.timezone ?? terms.timezone
  const { dashboard, insight, start_date: start, until_date: until } = change
  const changed: Terms = {
    dashboardId: given(dashboard, terms.dashboardId),
    insightId: given(insight, terms.insightId),
    targetType: change.target_type ?? terms.targetType,
    targetValue: change.target_value ?? terms.targetValue,
    frequency: change.frequency ?? terms.frequency,
    interval: change.interval ?? terms.interval,
    byweekday: given(change.byweekday, terms.byweekday),
    bysetpos: given(change.bysetpos, terms.bysetpos),
    count: given(change.count, terms.count),
    startDate: start === undefined ? terms.startDate : readDate(start, timezone, 'start_date'),
    untilDate: given(
      typeof until === 'string' ? readDate(until, timezone, 'until_date') : until,
      terms.untilDate
    ),
    timezone,
    title: given(change.title, terms.title),
    inviteMessage: given(change.invite_message, terms.inviteMessage),
    deleted: change.deleted ?? terms.deleted
  }
  expectTarget(changed, allow)
  expectOccurring(changed)
  return changed
}

/** Returns what a change says, null included, or else the value before. */
const given = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value)

/** @returns ms UTC */
function readDate(text: string, timezone: string, attr: string): number {
  const time = parseIso(text, timezone)
  if (time === undefined) {
    throw new AppError(
      'invalid_input',
      'This is not a date-time of ISO 8601: YYYY-MM-DDThh:mm[:ss][Z|±hh:mm].',
      attr
    )
  }
  const year = new Date(time).getUTCFullYear()
  if (year < YEARS.first || year > YEARS.last) {
    throw new AppError('invalid_input', `Dates are from ${YEARS.first} to ${YEARS.last}.`, attr)
  }
  return Math.floor(time)
}

function expectTarget({ targetType, targetValue }: Terms, allow: string): void {
  const refuse = (why: string) => new AppError('invalid_input', why, 'target_value')
  if (targetType === 'email') {
    const addresses = recipientsOf(targetValue)
    const wrong = addresses.find((address) => !z.email().max(254).safeParse(address).success)
    if (wrong !== undefined || addresses.length === 0) {
      throw refuse(`"${wrong ?? ''}" is not a valid e-mail address.`)
    }
    if (addresses.length > MAX_RECIPIENTS) {
      throw refuse(`There are at most ${MAX_RECIPIENTS} addresses.`)
    }
    return
  }
  try {
    checkUrl(targetValue, allow)
  } catch (error) {
    throw error instanceof OutboundError ? refuse(error.message) : error
  }
}

/** The addresses of a list, each once. */
export function recipientsOf(list: string): string[] {
  const addresses = list.split(',').map((address) => address.trim())
  const given = addresses.filter((address) => address !== '')
  return [...new Map(given.map((address) => [address.toLowerCase(), address])).values()]
}

/**
 * Refuses a schedule of which nothing is left.
 * @param now ms UTC
 * @throws invalid_input, attr `until_date`, or `count` when it is exhausted
 */
export function expectFuture(schedule: Schedule, now: number): void {
  if (nextOccurrence(schedule, now) !== null) {
    return
  }
  const isEnded = schedule.untilDate !== null && schedule.untilDate <= now
  throw new AppError(
    'invalid_input',
    'This schedule is over: its last occurrence has passed.',
    isEnded || schedule.count === null ? 'until_date' : 'count'
  )
}

function expectOccurring(schedule: Schedule): void {
  const { frequency, byweekday, bysetpos, startDate, untilDate } = schedule
  const refuse = (why: string, attr: string) => new AppError('invalid_input', why, attr)
  if (untilDate !== null && untilDate < startDate) {
    throw refuse('The end is before the start.', 'until_date')
  }
  if (bysetpos === 0) {
    throw refuse('Positions are counted from 1, or from −1 backwards.', 'bysetpos')
  }
  if (bysetpos !== null && !byweekday?.length) {
    throw refuse('A position needs byweekday to count in.', 'bysetpos')
  }
  const days = daysInPeriod(frequency, byweekday ?? [])
  if (bysetpos !== null && Math.abs(bysetpos) > days) {
    throw refuse(`There are never more than ${days} such days in one period.`, 'bysetpos')
  }
  if (nextOccurrence({ ...schedule, untilDate: null }, startDate - 1000) === null) {
    throw refuse('This schedule never occurs.', 'byweekday')
  }
  if (nextOccurrence(schedule, startDate - 1000) === null) {
    throw refuse('This schedule does not occur before its end.', 'until_date')
  }
}
