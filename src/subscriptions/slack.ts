import { describeMoment } from '../calendar/words.ts'
import { directionOf, formatChange, formatValue } from '../charts/format.ts'
import { isolate } from '../input/show.ts'
import { cut, type FigureLine, type Figures } from './content.ts'
import { chartOf, type Digest, notesOf, subjectOf } from './digest.ts'
import type { Sent } from './outcome.ts'
import { post } from './post.ts'

/** Characters of a header, Slack's limit. */
const MAX_HEADER = 150
/** Characters of an image's alternative text, Slack's limit. */
const MAX_ALT = 2_000
/** Characters of a text, Slack's limit. */
const MAX_TEXT = 3_000

/** Matches Slack's refusal of a message with an image that it cannot fetch. */
const UNFETCHED = /invalid_blocks|image/

/**
 * Sends a digest to an incoming webhook of Slack. Reads the response's body, in which Slack gives
 * the reason for a refusal. Slack fetches the charts while it accepts the message: if it cannot
 * fetch one, the digest is sent once more without charts.
 */
export async function sendSlack(
  url: string,
  digest: Digest,
  { allow, now }: { allow: string; now: Date }
): Promise<Sent> {
  const send = (message: object) =>
    post(url, { 'Content-Type': 'application/json' }, JSON.stringify(message), {
      allow,
      now,
      reads: true
    })
  const sent = await send(toBlocks(digest))
  const isUnfetched = sent.kind === 'permanent' && UNFETCHED.test(sent.error)
  return isUnfetched && digest.charts.size > 0 ? send(toBlocks(withoutCharts(digest))) : sent
}

const withoutCharts = (digest: Digest): Digest => ({ ...digest, charts: new Map() })

/** Writes a digest as Slack blocks. `text`, for notifications, has only the first part. */
export function toBlocks(digest: Digest) {
  const { content, summary } = digest
  const header = subjectOf(digest)
  const firstPart = content.parts.slice(0, 1).flatMap((part) => toLines(part, header))
  const ellipsis = content.parts.length > 1 ? ['…'] : []
  const preview = [escapeText(header), ...firstPart, ...ellipsis].join('\n')
  const about = `${isolate(content.project)} · ${describeMoment(content.at, content.timezone)} · ${summary}`
  return {
    text: cutEscaped(preview),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(header, MAX_HEADER), emoji: false } },
      ...notesOf(digest).map((note) => section(escapeText(note))),
      ...content.parts.flatMap((part) => [
        section(toLines(part, header).join('\n')),
        ...toImages(chartOf(digest, part), part)
      ]),
      ...(content.more > 0 ? [section(`…and ${content.more} more on the dashboard.`)] : []),
      section(`<${digest.page}|Open the charts>`),
      { type: 'context', elements: [{ type: 'mrkdwn', text: cutEscaped(escapeText(about)) }] }
    ]
  }
}

const section = (text: string) => ({
  type: 'section',
  text: { type: 'mrkdwn', text: cutEscaped(text) }
})

const toImages = (chart: string | undefined, { name }: Figures) =>
  chart === undefined
    ? []
    : [{ type: 'image', image_url: chart, alt_text: cut(`Chart of ${isolate(name)}`, MAX_ALT) }]

/** Writes a part; its name is left out if it stands above as the header. */
function toLines(part: Figures, header?: string): string[] {
  const title = part.name === header ? [] : [`*${escapeText(isolate(part.name))}*`]
  if ('failure' in part) {
    return [...title, escapeText(part.failure)]
  }
  const more = part.more > 0 ? [`…and ${part.more} more`] : []
  return [[...title, part.range].join(' · '), ...part.lines.map(toLine), ...more]
}

const ARROWS = { [-1]: '▼ ', 0: '', 1: '▲ ' }

function toLine(line: FigureLine): string {
  const figure = `• ${escapeText(isolate(line.label))}: *${formatValue(line.value)}*`
  const change = formatChange(line.value, line.previous)
  if (change === '') {
    return figure
  }
  const arrow = ARROWS[directionOf(line.value, line.previous)]
  return `${figure}  ${arrow}${change}`
}

/** Shortens an escaped text to Slack's limit, without a part of an escaped character at the end. */
const cutEscaped = (text: string): string => cut(text, MAX_TEXT).replace(/&[a-z]*…$/, '…')

/** Escapes Slack's control characters, which make links and mentions; `*` and `_` stay markup. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
