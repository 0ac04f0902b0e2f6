import { describeChange, formatValue } from '../charts/format.ts'
import { escapeHtml } from '../html.ts'
import { onOneLine } from '../input/show.ts'
import { cut, directionOf, type FigureLine, formatMoment, type InsightPart } from './content.ts'
import { chartOf, type Digest, notesOf, subjectOf } from './digest.ts'
import type { Sent } from './outcome.ts'

export type Email = {
  subject: string
  html: string
  text: string
  headers: Record<string, string>
  attachments: EmailAttachment[]
}

/** Error codes of Cloudflare's e-mail service after which another attempt may succeed. */
const TRANSIENT = [
  'E_RATE_LIMIT_EXCEEDED',
  'E_DAILY_LIMIT_EXCEEDED',
  'E_INTERNAL_SERVER_ERROR',
  'E_DELIVERY_FAILED'
]
/** Characters of a subject. */
const MAX_SUBJECT = 200

/** Sends an e-mail to one address. Without a binding, or when refused, returns the reason. */
export async function sendEmail(
  binding: SendEmail | undefined,
  from: string,
  to: string,
  { subject, ...email }: Email
): Promise<Sent> {
  if (!binding) {
    return { kind: 'permanent', error: 'This deployment has no send_email binding.' }
  }
  try {
    const sender = { name: 'Edge Analytics', email: from }
    await binding.send({
      from: sender,
      to,
      subject: cut(onOneLine(subject), MAX_SUBJECT),
      ...email
    })
    return { kind: 'sent' }
  } catch (error) {
    const said =
      error instanceof Error
        ? error.message.slice(0, 300)
        : 'The e-mail service failed without a reason.'
    const code = readCode(error)
    // Only an error with a code says that the service did not accept the e-mail.
    if (code === undefined) {
      return { kind: 'uncertain', error: said }
    }
    return { kind: TRANSIENT.includes(code) ? 'transient' : 'permanent', error: `${code}: ${said}` }
  }
}

function readCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('E_') ? code : undefined
}

/**
 * Writes the e-mail of a digest for one recipient. The charts are inline images, each above the
 * table with its numbers, so that the numbers remain where a mail program shows no images.
 * @param images the charts as PNG in base64, by the insight's id
 * @param unsubscribe the recipient's link to unsubscribe, which mail programs can also use in one
 * click (RFC 8058)
 */
export function toEmail(digest: Digest, images: Map<number, string>, unsubscribe: string): Email {
  const { content, summary } = digest
  const about = `${content.project} · ${formatMoment(content.at, content.timezone)}`
  const why = `You receive this e-mail because your address was subscribed to it; it is ${summary}.`
  const more = content.more > 0 ? [`…and ${content.more} more on the dashboard.`] : []
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
      ...content.parts.map((part) => toText(part, chartOf(digest, part))),
      ...more,
      `-- \n${why}\nUnsubscribe: ${unsubscribe}`
    ].join('\n\n'),
    html: toPage(
      subjectOf(digest),
      [
        `<h1 style="${HEADING}">${escapeHtml(subjectOf(digest))}</h1>`,
        `<p style="${QUIET}">${escapeHtml(about)}</p>`,
        ...notesOf(digest).map(
          (note) => `<p style="${NOTE}">${escapeHtml(note).replaceAll('\n', '<br>')}</p>`
        ),
        ...content.parts.map((part) => toSection(digest, images, part)),
        ...more.map((text) => `<p style="${QUIET}">${text}</p>`)
      ],
      `${escapeHtml(why)} <a href="${escapeHtml(unsubscribe)}" style="color:inherit">Unsubscribe</a>`
    ),
    attachments: [...images].map(([insight, content]) => ({
      disposition: 'inline',
      contentId: contentIdOf(insight),
      filename: `${contentIdOf(insight)}.png`,
      type: 'image/png',
      content
    }))
  }
}

const contentIdOf = (insight: number): string => `chart-${insight}`

/** Writes the e-mail that tells the owner that the subscription at `url` was paused. */
export function toNotice(title: string, reason: string, url: string): Email {
  const subject = `Paused: ${title}`
  const next = `Nothing is delivered until you resume the subscription: fix the cause, then PATCH ${url} with {"enabled": true}.`
  return {
    subject,
    headers: {},
    attachments: [],
    text: [subject, reason, next].join('\n\n'),
    html: toPage(
      subject,
      [
        `<h1 style="${HEADING}">${escapeHtml(subject)}</h1>`,
        `<p style="${NOTE}">${escapeHtml(reason)}</p>`,
        `<p style="margin:0;overflow-wrap:anywhere">${escapeHtml(next)}</p>`
      ],
      'You receive this e-mail because you created the subscription.'
    )
  }
}

const HEADING = 'margin:0 0 8px;font-size:22px;line-height:1.3;overflow-wrap:anywhere'
const QUIET = 'margin:0 0 16px;color:#57606a;font-size:14px'
const NOTE =
  'margin:0 0 16px;padding:10px 14px;background:#f3f4f6;border-radius:6px;overflow-wrap:anywhere'
const CELL = 'padding:8px 0;border-top:1px solid #e5e7eb;vertical-align:top'
const IMAGE = 'display:block;width:100%;max-width:568px;height:auto;border:0;margin:0 0 8px'
const COLORS = { [-1]: '#b42318', 0: '#57606a', 1: '#067647' }

function toText(part: InsightPart, chart: string | undefined): string {
  if ('failure' in part) {
    return `${part.name}\n  ${part.failure}`
  }
  const lines = part.lines.map((line) => {
    const change = describeChange(line.value, line.previous)
    return `  ${line.label}: ${formatValue(line.value)}${change && ` (${change})`}`
  })
  return [
    `${part.name} (${part.range})`,
    ...lines,
    ...(part.more > 0 ? [`  …and ${part.more} more`] : []),
    ...(chart === undefined ? [] : [`  Chart: ${chart}`])
  ].join('\n')
}

function toSection(digest: Digest, images: Map<number, string>, part: InsightPart): string {
  const title = `<h2 style="margin:24px 0 2px;font-size:17px;overflow-wrap:anywhere">${escapeHtml(part.name)}</h2>`
  if ('failure' in part) {
    return `${title}<p style="margin:0;color:#57606a">${escapeHtml(part.failure)}</p>`
  }
  const more = part.more > 0 ? `<p style="${QUIET}">…and ${part.more} more</p>` : ''
  return `${title}<p style="margin:0 0 8px;color:#57606a;font-size:14px">${escapeHtml(part.range)}</p>${toImage(digest, images, part)}
<table role="table" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse"><tbody>${part.lines.map(toRow).join('')}</tbody></table>${more}`
}

/** Returns a chart as an image with a link, or only the link if the e-mail has no image. */
function toImage(digest: Digest, images: Map<number, string>, part: InsightPart): string {
  const chart = chartOf(digest, part)
  if (chart === undefined || part.insight === undefined) {
    return ''
  }
  const link = `<a href="${escapeHtml(chart)}" style="color:#0b62c4;font-size:14px">`
  if (!images.has(part.insight)) {
    return `<p style="margin:0 0 8px">${link}Open the chart</a></p>`
  }
  const source = `cid:${contentIdOf(part.insight)}`
  return `${link}<img src="${source}" alt="${escapeHtml(`Chart of ${part.name}`)}" width="536" style="${IMAGE}"></a>`
}

/** Puts the change below its number, which leaves room for the label on a phone. */
function toRow(line: FigureLine): string {
  const change = describeChange(line.value, line.previous)
  const below = `<br><span style="font-size:13px;color:${COLORS[directionOf(line)]}">${escapeHtml(change)}</span>`
  return `<tr><th scope="row" style="${CELL};width:40%;text-align:left;font-weight:normal;overflow-wrap:anywhere">${escapeHtml(line.label)}</th>\
<td style="${CELL};text-align:right;padding-left:12px"><b style="font-size:15px;white-space:nowrap">${formatValue(line.value)}</b>${change && below}</td></tr>`
}

const toPage = (title: string, body: string[], foot: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;background:#f3f4f6;color:#1f2328;font:16px/1.5 -apple-system,'Segoe UI',Helvetica,Arial,sans-serif">
<div style="max-width:600px;margin:0 auto;padding:16px;box-sizing:border-box">
<div style="background:#fff;border-radius:8px;padding:24px 16px">
${body.join('\n')}
</div>
<p style="margin:16px 8px;color:#57606a;font-size:13px">${foot}</p>
</div>
</body>
</html>
`
