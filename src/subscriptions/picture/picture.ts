import type { OpenProject } from '../../access/open.ts'
import type { Chart } from '../../charts/chart.ts'
import { describeChart } from '../../charts/describe.ts'
import {
  drawChart,
  drawInset,
  heightOf,
  type Inset,
  type NamedMark,
  namesOf,
  noteOf
} from '../../charts/draw.ts'
import { toPng } from '../../charts/png.ts'
import { describeError } from '../../errors.ts'
import { ON_ANY_GROUND } from '../../html/tokens.ts'
import { toBase64 } from '../../input/base64.ts'
import { computeChart } from '../../insights/charts/compute.ts'
import { nameOf } from '../../insights/insight.ts'
import { findInsight } from '../../insights/store.ts'
import { log } from '../../log.ts'
import type { Content } from '../content.ts'
import type { Report } from '../report.ts'
import type { SubscriptionRow } from '../store.ts'
import { type PictureSubject, pictureUrl } from './ticket.ts'

/**
 * Size of a picture, pixels. A phone would shrink a larger picture until its labels could not be
 * read.
 */
const SIZE = { width: 420, height: 260 }
/**
 * The chart in an e-mail: its size, pixels, and the font size of its labels, which a phone shows at
 * about 60 %.
 */
const INSET: Inset = {
  width: 552,
  height: 160,
  size: 13,
  colors: ON_ANY_GROUND,
  id: 'chart-',
  isNamed: false
}
/** Pixels of the highest chart in an e-mail: a list of steps or cohorts has a height of its own. */
const MAX_HEIGHT = 320

/** Draws a chart as SVG, in the size of the pictures that messages link to. */
export const drawPicture = (chart: Chart): string => drawChart(chart, SIZE)

/**
 * Computes the chart of a picture; undefined if the insight was deleted, or no longer has a series.
 */
export async function computePicture(
  open: OpenProject,
  { dashboardId }: SubscriptionRow,
  { insightId, at, until }: PictureSubject
): Promise<Chart | undefined> {
  const insight = await findInsight(open, insightId)
  if (!insight || insight.deleted) {
    return undefined
  }
  const chart = await computeChart(open, insight, { now: new Date(at), dashboardId, until })
  return chart && { ...chart, title: nameOf(insight) }
}

/** Returns the address of the picture of each insight that has numbers, by the insight's id. */
export async function picturesOf(
  subscription: SubscriptionRow,
  { at, parts }: Content
): Promise<Map<number, string>> {
  const urls = parts.flatMap((part) =>
    'failure' in part || part.insight === undefined
      ? []
      : [{ insightId: part.insight, at, until: part.until }]
  )
  return new Map(
    await Promise.all(
      urls.map(
        async (subject) => [subject.insightId, await pictureUrl(subscription, subject)] as const
      )
    )
  )
}

/**
 * The chart of an e-mail: a PNG in base64 without title and ground, and its words. These are text,
 * because a picture has no Chinese, Japanese or Arabic letters, and no emoji.
 */
export type Painted = {
  insight: number
  content: string
  /** What the numbers are: `Persons by day`. */
  counted: string
  /** The names of the lines, bars or steps; empty if there is only one. */
  names: NamedMark[]
  /** The numbers of the chart in words. */
  alt: string
}

/**
 * Draws the chart of a report; the numbers of the other insights are in the e-mail as text. Returns
 * undefined if there is none, if drawing fails, or if `isSpent` returns true.
 */
export async function paintChart(
  { project }: OpenProject,
  { charted }: Exclude<Report, { skipped: string }>,
  isSpent: () => boolean
): Promise<Painted | undefined> {
  if (!charted || isSpent()) {
    return undefined
  }
  const { insight, draw } = charted
  try {
    const chart = await draw()
    const height = Math.min(MAX_HEIGHT, heightOf(chart, INSET.width, INSET.height))
    const svg = drawInset(chart, { ...INSET, height })
    return {
      insight,
      content: toBase64(await toPng(svg)),
      counted: [chart.counted, noteOf(chart)].filter(Boolean).join(' · '),
      names: namesOf(chart, INSET.colors),
      alt: describeChart(chart)
    }
  } catch (error) {
    log('warn', 'picture failed', { project: project.id, insight, error: describeError(error) })
    return undefined
  }
}
