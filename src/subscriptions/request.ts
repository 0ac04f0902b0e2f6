import * as z from 'zod'
import { parseIso } from '../calendar/clock.ts'
import { FREQUENCIES, TARGET_TYPES, WEEKDAYS } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { refusing, sameReason } from '../input/fields.ts'
import { checkUrl, OutboundError } from '../outbound.ts'
import { Timezone } from '../projects/project.ts'
import { daysInPeriod, nextOccurrence, type Schedule, YEARS } from './schedule.ts'

/** The largest 32-bit integer, PostHog's limit for `interval` and `count`. */
const INT32 = 2_147_483_647
/** E-mail addresses of one subscription. */
const MAX_RECIPIENTS = 50

const Id = z.int().nullish()
const DateText = z.string().max(100)

/** Fields of PostHog that are not supported here, and what to send instead. */
const UNSUPPORTED = {
  integration_id:
    'Not supported: for Slack, send the URL of an incoming webhook as `target_value`.',
  dashboard_export_insights:
    'Not supported: the first ten insights of a dashboard are always delivered.',
  format: 'Not supported: each channel has one format.',
  ...sameReason(
    ['ai_prompt', 'ai_summary', 'summary_enabled', 'summary_prompt_guide'],
    'Not supported: deliveries contain no summary by an AI.'
  ),
  ...sameReason(
    ['bymonth', 'bymonthday', 'byhour', 'byyearday', 'byweekno'],
    'Not supported: a schedule is made of `frequency`, `interval`, `byweekday`, `bysetpos` and `start_date`, which sets the day and the time.'
  ),
  ...sameReason(['byday', 'days', 'weekdays'], 'Send the weekdays as `byweekday`.'),
  ...sameReason(
    ['time', 'time_of_day', 'hour'],
    'Deliveries have the time of day of `start_date`.'
  ),
  ...sameReason(['email', 'emails', 'recipients', 'url'], 'Send the recipients as `target_value`.'),
  freq: 'Send the frequency as `frequency`.',
  insight_id: 'Send the insight as `insight`.',
  dashboard_id: 'Send the dashboard as `dashboard`.',
  end_date: 'Send the end of the schedule as `until_date`.'
}

const SWITCH = ['enabled', 'active', 'is_active']

/** The writable fields of a subscription. Omitted fields do not change. */
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
        .meta({
          description: 'The weekdays to deliver on; null for the day that `start_date` sets.'
        }),
      bysetpos: z.int().min(-366).max(366).nullish().meta({
        description:
          'Selects one of the matching weekdays in a period: 1 is the first, -1 the last.'
      }),
      count: z
        .int()
        .min(1)
        .max(INT32)
        .nullish()
        .meta({ description: 'The number of deliveries from `start_date` on; null for no limit.' }),
      start_date: DateText.meta({
        description:
          'The start of the schedule, ISO 8601; deliveries have its time of day. Without an offset it is local to `timezone`.'
      }).optional(),
      until_date: DateText.nullish().meta({
        description: 'The end of the schedule, ISO 8601; null for no end.'
      }),
      deleted: z
        .boolean()
        .optional()
        .meta({ description: '`true` deletes the subscription, `false` restores it.' }),
      title: z.string().trim().max(100).nullish().meta({
        description: 'The title of its messages; null for the name of the dashboard or insight.'
      }),
      invite_message: z
        .string()
        .trim()
        .max(10_000)
        .nullish()
        .meta({ description: 'A text that is added to the first delivery.' }),
      timezone: Timezone.optional().meta({
        description: "The time zone of the schedule; by default the project's."
      }),
      paused: z
        .boolean()
        .optional()
        .meta({ description: '`true` pauses deliveries, `false` resumes them.' })
    })
    .meta({ id: 'SubscriptionChange', examples: [{ title: 'Weekly numbers', paused: false }] }),
  {
    ...UNSUPPORTED,
    ...sameReason(SWITCH, { always: 'Pause or resume deliveries with `paused`.' })
  }
)
export type SubscriptionChange = z.infer<typeof SubscriptionChange>

const { shape } = SubscriptionChange

const NOT_PAUSED = 'A subscription cannot be created paused; pause it with PATCH.'

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
  {
    ...UNSUPPORTED,
    paused: NOT_PAUSED,
    ...sameReason(SWITCH, { always: NOT_PAUSED }),
    next_delivery_date:
      'The schedule sets the next delivery: send `start_date`, `frequency` and `byweekday`.'
  }
)

/** The settings of a subscription, as its users made them. */
export type Terms = Schedule & {
  dashboardId: number | null
  insightId: number | null
  targetType: (typeof TARGET_TYPES)[number]
  targetValue: string
  title: string | null
  inviteMessage: string | null
  deleted: boolean
}

/** Returns the defaults of a new subscription. */
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
 * Applies the changes of a request to the terms of a subscription.
 * @param allow the setting `OUTBOUND_ALLOW`
 * @throws invalid_input, attr is the field, for an unreadable date, a target that cannot be sent to, and a schedule that
 * contradicts itself or never occurs
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

/** Returns the changed value, which may be null, or the value before if the request leaves the field out. */
const given = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value)

/** Reads a date-time. @returns ms UTC. @throws invalid_input */
function readDate(text: string, timezone: string, attr: string): number {
  const time = parseIso(text, timezone)
  // `parseIso` reads a leap second as the second before.
  const hasLeapSecond = /:\d\d:60/.test(text)
  if (time === undefined || hasLeapSecond) {
    throw new AppError(
      'invalid_input',
      `\`${attr}\` must be an ISO 8601 date-time such as \`2026-11-23T09:00:00+01:00\`; got ${JSON.stringify(text)}.`,
      attr
    )
  }
  const year = new Date(time).getUTCFullYear()
  if (year < YEARS.first || year > YEARS.last) {
    throw new AppError(
      'invalid_input',
      `\`${attr}\` must be in the years ${YEARS.first} to ${YEARS.last}.`,
      attr
    )
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
      throw refuse(`Send at most ${MAX_RECIPIENTS} e-mail addresses.`)
    }
    return
  }
  try {
    checkUrl(targetValue, allow)
  } catch (error) {
    throw error instanceof OutboundError ? refuse(error.message) : error
  }
}

/** Splits a list of addresses; of addresses that differ only in case the last is kept. */
export function recipientsOf(list: string): string[] {
  const addresses = list.split(',').map((address) => address.trim())
  const given = addresses.filter((address) => address !== '')
  return [...new Map(given.map((address) => [address.toLowerCase(), address])).values()]
}

/**
 * Refuses a schedule without an occurrence after `now`, ms UTC.
 * @throws invalid_input, attr `until_date`, or `count` when it is used up
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
    throw refuse('`until_date` must not be before `start_date`.', 'until_date')
  }
  if (bysetpos === 0) {
    throw refuse(
      '`bysetpos` must not be 0: 1 is the first of the matching weekdays, -1 the last.',
      'bysetpos'
    )
  }
  if (bysetpos !== null && !byweekday?.length) {
    throw refuse('`bysetpos` needs `byweekday`.', 'bysetpos')
  }
  const days = daysInPeriod(frequency, byweekday ?? [])
  if (bysetpos !== null && Math.abs(bysetpos) > days) {
    throw refuse(
      `\`bysetpos\` must be between -${days} and ${days}: a period has no more matching weekdays.`,
      'bysetpos'
    )
  }
  if (nextOccurrence({ ...schedule, untilDate: null }, startDate - 1000) === null) {
    throw refuse('This schedule never occurs.', 'byweekday')
  }
  if (nextOccurrence(schedule, startDate - 1000) === null) {
    throw refuse('This schedule has no occurrence up to `until_date`.', 'until_date')
  }
}
