import { describeMoment } from '../calendar/words.ts'
import { describeChange, formatIn } from '../charts/format.ts'
import type { Email } from '../email.ts'
import { isolate } from '../input/show.ts'
import type { InsightPart } from './content.ts'
import { chartOf, type Digest, notesOf, subjectOf } from './digest.ts'
import { digestPage, noticePage } from './email-page.ts'
import { firstOf, layOut, type ShownList } from './layout.ts'
import type { Painted } from './picture/picture.ts'

/** The address of a recipient, and the link by which it unsubscribes. */
export type Addressee = { to: string; unsubscribe: string }

/**
 * Writes the e-mail of a digest for one recipient. It stays short, however many insights it is
 * about: the page that it links to has all of them. Mail programs can also unsubscribe in one click
 * (RFC 8058).
 */
export function toEmail(
  digest: Digest,
  painted: Painted | undefined,
  { to, unsubscribe }: Addressee
): Email {
  const { content } = digest
  const about = `${isolate(content.project)} · ${describeMoment(content.at, content.timezone)}`
  const why = whyOf(digest, to)
  const more = content.more > 0 ? [`…and ${content.more} more on the dashboard.`] : []
  const contentId = painted && `chart-${painted.insight}`
  const { list } = layOut(content.parts)
  return {
    subject: subjectOf(digest),
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click'
    },
    text: [
      subjectOf(digest),
      about,
      ...notesOf(digest),
      ...content.parts.map((part) => toText(part, { list, chart: chartOf(digest, part) })),
      ...more,
      `All charts: ${digest.page}`,
      `-- \n${why}\nUnsubscribe: ${unsubscribe}`
    ].join('\n\n'),
    html: digestPage(digest, {
      chart: painted && { ...painted, source: `cid:${contentId}` },
      why,
      unsubscribe
    }),
    attachments:
      painted && contentId
        ? [
            {
              disposition: 'inline',
              contentId,
              filename: `${contentId}.png`,
              type: 'image/png',
              content: painted.content
            }
          ]
        : []
  }
}

/**
 * Says why one gets an e-mail: `Sent every week on Monday to ada@example.com. The next one comes on
 * 30 November 2026.`
 */
function whyOf({ summary, next, alert, content: { timezone } }: Digest, to: string): string {
  if (alert) {
    return `Sent to ${to} by an alert that is ${summary}.`
  }
  const schedule = summary.replace(/^s/, 'S')
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: timezone })
  const coming = next === null ? '' : ` The next one comes on ${day.format(next)}.`
  return `${schedule} to ${to}.${coming}`
}

/** What was paused: its title, the address at which it is resumed, and the noun for it. */
export type Paused = { title: string; url: string; noun: 'subscription' | 'alert' }

/** Writes the e-mail that tells the owner that a subscription or an alert was paused. */
export function toNotice({ title, url, noun }: Paused, reason: string): Email {
  const subject = `Paused: ${title}`
  const next = `Nothing is delivered until you resume the ${noun}: fix the cause, then PATCH ${url} with {"enabled": true}.`
  return {
    subject,
    headers: {},
    attachments: [],
    text: [subject, reason, next].join('\n\n'),
    html: noticePage({
      title: subject,
      reason,
      next,
      why: `You receive this e-mail because you created the ${noun}.`
    })
  }
}

function toText(
  part: InsightPart,
  { list, chart }: { list: ShownList | undefined; chart: string | undefined }
): string {
  const name = isolate(part.name)
  if ('failure' in part) {
    return `${name}\n  ${part.failure}`
  }
  const { rows, left } = part === list?.part ? list : firstOf(part)
  const lines = rows.map((line) => {
    const change = describeChange(line.value, line.previous, line.unit)
    return `  ${isolate(line.label)}: ${formatIn(line.unit, line.value)}${change && ` (${change})`}`
  })
  return [
    `${name} (${part.range})`,
    ...lines,
    ...(part.words ? [`  ${part.words}`] : []),
    ...(left > 0 ? [`  …and ${left} more`] : []),
    ...(chart === undefined ? [] : [`  Chart: ${chart}`])
  ].join('\n')
}
