import * as z from 'zod'
import { momentOf, parseClock, parseIso, toClock } from '../calendar/clock.ts'
import type { TARGET_TYPES } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { checkUrl, OutboundError } from '../outbound.ts'
import { MAX_RECIPIENTS, type SubscriptionChange } from './request.ts'
import { daysInPeriod, nextOccurrence, type Schedule, YEARS } from './schedule.ts'

/** The settings of a subscription, as its users made them. */
export type Terms = Schedule & {
  dashboardId: number | null
  insightId: number | null
  targetType: (typeof TARGET_TYPES)[number]
  /** Empty when the last recipient has unsubscribed; the subscription is then deleted. */
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
  startClock: null,
  untilDate: null,
  timezone,
  title: null,
  inviteMessage: null,
  deleted: false
})

/**
 * Applies the changes of a request to the terms of a subscription.
 * @param allow the setting `OUTBOUND_ALLOW`
 * @throws invalid_input, attr is the field, for an unreadable date, a target that cannot be sent
 * to, and a schedule that contradicts itself or never occurs
 */
export async function changeTerms(
  terms: Terms,
  change: SubscriptionChange,
  allow: string
): Promise<Terms> {
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
    ...readStart(terms, start, timezone),
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
  await expectOccurring(changed)
  return changed
}

/** Returns the changed value, perhaps null, or the one before if the request leaves it out. */
const given = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value)

/**
 * Reads the start of a schedule. A time that the clock skips becomes the first moment after the
 * gap.
 * @throws invalid_input
 */
function readStart(
  terms: Terms,
  text: string | undefined,
  timezone: string
): Pick<Terms, 'startDate' | 'startClock'> {
  const { startDate, startClock } = terms
  // A client that sends the whole subscription back sends the start with an offset.
  const isSame = (time: number) => time === startDate && timezone === terms.timezone
  if (text === undefined) {
    return { startDate, startClock: isSame(startDate) ? startClock : null }
  }
  const time = readDate(text, timezone, 'start_date')
  const clock = parseClock(text)
  if (clock === undefined) {
    return { startDate: time, startClock: isSame(time) ? startClock : null }
  }
  const moment = momentOf(Math.floor(clock), timezone)
  const isSkipped = toClock(moment, timezone) !== Math.floor(clock)
  return { startDate: moment, startClock: isSkipped ? Math.floor(clock) : null }
}

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

/**
 * Checks that messages can be sent to a target.
 * @param allow the setting `OUTBOUND_ALLOW`
 * @throws invalid_input, attr `target_value`
 */
export function expectTarget(
  { targetType, targetValue, deleted }: Pick<Terms, 'targetType' | 'targetValue' | 'deleted'>,
  allow: string
): void {
  const refuse = (why: string) => new AppError('invalid_input', why, 'target_value')
  if (targetValue === '' && deleted) {
    return
  }
  if (targetValue === '') {
    throw refuse(
      'All recipients have unsubscribed: to restore the subscription, send a new `target_value`.'
    )
  }
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

/** Splits a list of addresses. If addresses differ only in case, keeps the last of them. */
export function recipientsOf(list: string): string[] {
  const addresses = list.split(',').map((address) => address.trim())
  const given = addresses.filter((address) => address !== '')
  return [...new Map(given.map((address) => [address.toLowerCase(), address])).values()]
}

/**
 * Refuses a schedule without an occurrence after `now`, ms UTC.
 * @throws invalid_input, attr `until_date`, or `count` when it is used up
 */
export async function expectFuture(schedule: Schedule, now: number): Promise<void> {
  if ((await nextOccurrence(schedule, now)) !== null) {
    return
  }
  const isEnded = schedule.untilDate !== null && schedule.untilDate <= now
  throw new AppError(
    'invalid_input',
    'This schedule is over: its last occurrence has passed.',
    isEnded || schedule.count === null ? 'until_date' : 'count'
  )
}

async function expectOccurring(schedule: Schedule): Promise<void> {
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
  // The start may itself be an occurrence, at its full second.
  const beforeStart = startDate - 1000
  if ((await nextOccurrence({ ...schedule, untilDate: null }, beforeStart)) === null) {
    throw refuse('This schedule never occurs.', 'byweekday')
  }
  if ((await nextOccurrence(schedule, beforeStart)) === null) {
    throw refuse('This schedule has no occurrence up to `until_date`.', 'until_date')
  }
}
