import { describeInterval } from '../calendar/words.ts'
import type { Verdict } from '../db/schema.ts'
import { withoutControls } from '../input/show.ts'
import type { Content, InsightPart } from './content.ts'

/** What an alert tells. */
export type AlertNews = { id: string; verdict: Verdict }

/** The message that a channel sends to each recipient of a delivery. */
export type Digest = {
  subscriptionId: number
  deliveryId: number
  isTest: boolean
  /** The time at which the delivery was due, or a test was requested, ms UTC. */
  occurrence: number
  /** The number of earlier occurrences that were missed and that this delivery replaces. */
  missed: number
  /** The schedule in words. */
  summary: string
  /** The next time at which a delivery is due, ms UTC; null if there is none. */
  next: number | null
  /**
   * The subscription's invite message in its first scheduled delivery and in tests, otherwise null.
   */
  invite: string | null
  content: Content
  /**
   * The addresses of charts, by the insight's id; see `picture/ticket.ts`. A webhook gets all of
   * them, a message for people one.
   */
  charts: Map<number, string>
  /** The address of the page with all charts of the delivery. */
  page: string
  /** What the alert tells; null for a subscription. */
  alert: AlertNews | null
}

/** Returns the address of the chart of a part, undefined if it has none. */
export const chartOf = ({ charts }: Digest, { insight }: InsightPart): string | undefined =>
  insight === undefined ? undefined : charts.get(insight)

export const subjectOf = ({ isTest, content }: Digest): string =>
  `${isTest ? 'Test: ' : ''}${content.name}`

/** Lists the notes that stand above the figures. */
export function notesOf({ isTest, missed, invite, alert, content }: Digest): string[] {
  return [
    ...(alert ? [describeNews(alert, content.timezone)] : []),
    ...(isTest ? ['This is a test delivery, outside the schedule.'] : []),
    ...(missed > 0 && !alert ? [describeMissed(missed)] : []),
    ...(invite ? [withoutControls(invite)] : [])
  ]
}

/** `Sign-ups: 12; below 20 (24 Nov 2026).` */
function describeNews({ verdict: { words, interval } }: AlertNews, timezone: string): string {
  const time = interval ? ` (${describeInterval(interval, timezone)})` : ''
  return `${words.replace(/\.$/, '')}${time}.`
}

const describeMissed = (missed: number): string =>
  missed === 1
    ? 'One earlier delivery was missed; this one replaces it.'
    : `${missed} earlier deliveries were missed; this one replaces them.`
