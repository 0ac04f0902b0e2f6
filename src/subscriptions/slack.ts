import {
  cut,
  directionOf,
  type Figures,
  formatChange,
  formatMoment,
  formatNumber,
  type Line
} from './content.ts'
import type { Sent } from './delivery.ts'
import { type Digest, notesOf, subjectOf } from './digest.ts'
import { post } from './webhook.ts'

/** Characters of a header, Slack's limit. */
const MAX_HEADER = 150
/** Characters of a text, Slack's limit. */
const MAX_TEXT = 3_000

/** Sends a digest to an incoming webhook of Slack. A refusal names its reason in the response's body. */
export const sendSlack = (url: string, digest: Digest, allow: string): Promise<Sent> =>
  post(url, { 'Content-Type': 'application/json' }, JSON.stringify(toBlocks(digest)), {
    allow,
    reads: true
  })

/** Writes a digest as Slack blocks, with a text for notifications. */
export function toBlocks(digest: Digest) {
  const { content, summary } = digest
  const header = subjectOf(digest)
  const text = [
    ...content.parts.slice(0, 1).flatMap(toLines),
    ...(content.parts.length > 1 ? ['…'] : [])
  ].join('\n')
  const about = `${content.project} · ${formatMoment(content.at, content.timezone)} · ${summary}`
  return {
    text: cut(`${escapeText(header)}\n${text}`, MAX_TEXT),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(header, MAX_HEADER), emoji: false } },
      ...notesOf(digest).map((note) => section(escapeText(note))),
      ...content.parts.map((part) => section(toLines(part).join('\n'))),
      ...(content.more > 0 ? [section(`…and ${content.more} more on the dashboard.`)] : []),
      { type: 'context', elements: [{ type: 'mrkdwn', text: cut(escapeText(about), MAX_TEXT) }] }
    ]
  }
}

const section = (text: string) => ({
  type: 'section',
  text: { type: 'mrkdwn', text: cut(text, MAX_TEXT) }
})

function toLines(part: Figures): string[] {
  const title = `*${escapeText(part.name)}*`
  if ('failure' in part) {
    return [title, escapeText(part.failure)]
  }
  const more = part.more > 0 ? [`…and ${part.more} more`] : []
  return [`${title} · ${part.range}`, ...part.lines.map(toLine), ...more]
}

const ARROWS = { [-1]: '▼', 0: '', 1: '▲' }

function toLine(line: Line): string {
  const change = formatChange(line)
  const since = change && `  ${ARROWS[directionOf(line)]} ${change}`.replace('   ', '  ')
  return `• ${escapeText(line.label)}: *${formatNumber(line.value)}*${since}`
}

/** Escapes the characters that Slack would read as markup, as in links and mentions. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
