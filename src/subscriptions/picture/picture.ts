import type { OpenProject } from '../../access/open.ts'
import type { Chart, Kind } from '../../charts/chart.ts'
import { drawChart } from '../../charts/draw.ts'
import { toPng } from '../../charts/png.ts'
import { describeError } from '../../errors.ts'
import { toBase64 } from '../../input/base64.ts'
import { drawTrend } from '../../insights/charts/compute.ts'
import { fieldsOf, nameOf } from '../../insights/insight.ts'
import { findInsight } from '../../insights/store.ts'
import { log } from '../../log.ts'
import { readTrend } from '../../trends/request.ts'
import type { Content } from '../content.ts'
import { endAt } from '../report.ts'
import type { SubscriptionRow } from '../store.ts'
import { type PictureSubject, pictureUrl } from './ticket.ts'

/** Size of a picture, pixels. On a phone, the labels of a larger one could not be read. */
const SIZE = { width: 420, height: 260 }

/** Charts that show no more than the text of an e-mail. */
const AS_TEXT: readonly Kind[] = ['table', 'number']

/** Draws a chart as SVG, in the size of the pictures in messages. */
export const drawPicture = (chart: Chart): string => drawChart(chart, SIZE)

/** Computes a picture's chart; undefined if the insight was deleted, or has no series. */
export async function computePicture(
  open: OpenProject,
  { insightId, at, until }: PictureSubject
): Promise<Chart | undefined> {
  const { db, project } = open
  const insight = await findInsight(db, project.id, insightId)
  if (!insight || insight.deleted) {
    return undefined
  }
  const now = new Date(at)
  const query = readTrend(fieldsOf(insight), project, now)
  return query && drawTrend(open, nameOf(insight), endAt(query, until), now)
}

/** Returns the address of the picture of each insight that has numbers, by the insight's id. */
export async function picturesOf(
  subscription: SubscriptionRow,
  content: Content
): Promise<Map<number, string>> {
  const urls = subjectsOf(content).map(
    async (subject) => [subject.insightId, await pictureUrl(subscription, subject)] as const
  )
  return new Map(await Promise.all(urls))
}

/**
 * Draws the pictures of an e-mail, each as PNG in base64, by the insight's id. Leaves out tables
 * and single numbers (the e-mail shows the same as text), pictures that fail, and all pictures
 * after `isSpent` returns true.
 */
export async function paintPictures(
  open: OpenProject,
  content: Content,
  isSpent: () => boolean
): Promise<Map<number, string>> {
  const images = new Map<number, string>()
  for (const subject of subjectsOf(content)) {
    if (isSpent()) {
      break
    }
    try {
      const chart = await computePicture(open, subject)
      if (chart && !AS_TEXT.includes(chart.kind)) {
        images.set(subject.insightId, toBase64(await toPng(drawPicture(chart))))
      }
    } catch (error) {
      log('warn', 'picture failed', {
        project: open.project.id,
        insight: subject.insightId,
        error: describeError(error)
      })
    }
  }
  return images
}

const subjectsOf = ({ at, parts }: Content): PictureSubject[] =>
  parts.flatMap((part) =>
    'failure' in part || part.insight === undefined
      ? []
      : [{ insightId: part.insight, at, until: part.until }]
  )
