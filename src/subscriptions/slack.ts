import { describeMoment } from '../calendar/words.ts'
import { directionOf, formatChange, formatIn } from '../charts/format.ts'
import { cut, isolate } from '../input/show.ts'
import type { Sent } from '../outbound.ts'
import type { FigureLine, InsightPart } from './content.ts'
import { chartOf, type Digest, notesOf, subjectOf } from './digest.ts'
import { firstOf, labelBeside, layOut, type ShownList } from './layout.ts'
import { post } from './post.ts'

/** Characters of a header, Slack's limit. */
const MAX_HEADER = 150
/** Characters of an image's alternative text, Slack's limit. */
const MAX_ALT = 2_000
/** Characters of a text, Slack's limit. All blocks together may have about 13,000. */
const MAX_TEXT = 3_000
/** Characters of a name in a line. */
const MAX_NAME = 80

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

/**
 * Writes a digest as Slack blocks: a line for each insight, one list, one chart, and a link to all
 * charts. `text`, for notifications, has only the first line.
 */
export function toBlocks(digest: Digest) {
  const { content, page } = digest
  const header = subjectOf(digest)
  const { range, list, others } = layOut(content.parts)
  const above = { title: content.name, range }
  const period = range === '' ? [] : [range]
  const lines = others.map((part) => toLine(part, above))
  const rows = list ? toRows(list, above) : []
  const [first = '', ...further] = [...lines, ...rows]
  const ellipsis = further.length > 0 ? ['…'] : []
  const more = content.more > 0 ? [`…and ${content.more} more on the dashboard.`] : []
  return {
    text: cutEscaped([escapeText(header), ...period, first, ...ellipsis].join('\n')),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(header, MAX_HEADER), emoji: false } },
      ...notesOf(digest).map((note) => section([escapeText(note)])),
      ...(lines.length > 0
        ? [section([...period, ...lines]), ...(list ? [section(rows)] : [])]
        : [section([...period, ...rows])]),
      ...content.parts.flatMap((part) => toImages(chartOf(digest, part), part)),
      section([...more, `<${page}|Open the charts>`]),
      { type: 'context', elements: [markup(escapeText(aboutOf(digest)))] }
    ]
  }
}

const aboutOf = ({ content, summary }: Digest): string =>
  `${isolate(content.project)} · ${describeMoment(content.at, content.timezone)} · ${summary}`

const section = (lines: string[]) => ({ type: 'section', text: markup(lines.join('\n')) })

/** Writes text with Slack's markup. `verbatim`: an `@channel` in a name does not notify anybody. */
const markup = (text: string) => ({ type: 'mrkdwn', text: cutEscaped(text), verbatim: true })

const toImages = (chart: string | undefined, { name }: InsightPart) =>
  chart === undefined
    ? []
    : [{ type: 'image', image_url: chart, alt_text: cut(`Chart of ${isolate(name)}`, MAX_ALT) }]

/** What the message says above its lines: its title, and the period of most numbers. */
type Above = { title: string; range: string }

/** Writes an insight as a line: its first number, or the reason why there is none. */
function toLine(part: InsightPart, { title, range }: Above): string {
  const name = nameIn(part.name)
  if ('failure' in part) {
    const reason = escapeText(part.failure)
    return part.name === title ? reason : `• ${name}: ${reason}`
  }
  const [line] = firstOf(part).rows
  const beside = labelBeside(part)
  const whole = part.name === title && line ? nameIn(line.label) : name
  const names = beside && whole === name ? `${name} · ${nameIn(beside)}` : whole
  const period = part.range === range ? '' : ` (${part.range})`
  const words = part.words ? `\n${escapeText(part.words)}` : ''
  return `• ${names}${period}: ${line ? toFigure(line) : ''}${words}`
}

/** Writes the list; the name of its insight is left out if it is the title of the message. */
function toRows({ part, rows, left }: ShownList, { title, range }: Above): string[] {
  const heading = [
    ...(part.name === title ? [] : [`*${nameIn(part.name)}*`]),
    ...(part.range === range ? [] : [part.range])
  ]
  return [
    ...(heading.length > 0 ? [heading.join(' · ')] : []),
    ...rows.map((line) => `• ${nameIn(line.label)}: ${toFigure(line)}`),
    ...(left > 0 ? [`…and ${left} more`] : [])
  ]
}

const nameIn = (name: string): string => escapeText(isolate(cut(name, MAX_NAME)))

const ARROWS = { [-1]: '▼ ', 0: '', 1: '▲ ' }

/** `*5*  ▲ +25.0%` */
function toFigure({ value, previous, unit }: FigureLine): string {
  const figure = `*${formatIn(unit, value)}*`
  const change = formatChange(value, previous, unit)
  return change === '' ? figure : `${figure}  ${ARROWS[directionOf(value, previous)]}${change}`
}

/** Shortens an escaped text to Slack's limit, without a part of an escaped character at the end. */
const cutEscaped = (text: string): string => cut(text, MAX_TEXT).replace(/&[a-z]*…$/, '…')

/** Escapes Slack's control characters, which make links and mentions; `*` and `_` stay markup. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
