import { escapeHtml } from '../html/escape.ts'
import type { ChartAnnotation } from './chart.ts'
import type { Plot } from './frame.ts'
import type { Pen } from './pen.ts'
import { clean, element, label } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/** Pixels of the widest name of an annotation. */
const WIDEST = 160
/** Fewest pixels between the names of two annotations. */
const BETWEEN = 12
const DOTTED = '1 3'

/** Pixels above the plot that the names of annotations take; none without annotations. */
export const heightOfAnnotations = (annotations: ChartAnnotation[], size: number): number =>
  annotations.length > 0 ? size + 6 : 0

/** Annotations with one name, from pixel `left` to pixel `right`. */
type Named = { annotations: ChartAnnotation[]; name: string; left: number; right: number }

/**
 * Draws a dotted line at each bucket with an annotation, and its name on top; names that would meet
 * become a count. The whole text is the line's title.
 */
export function drawAnnotations(plot: Plot, pen: Pen, annotations: ChartAnnotation[]): string {
  const { colors, size } = pen
  const { top, bottom } = plot.box
  const lines = [...Map.groupBy(annotations, ({ bucket }) => bucket)].map(([bucket, own]) => {
    const title = own.map(({ text }) => text).join('\n')
    const x = plot.x(bucket)
    return element(
      'g',
      {},
      element('title', {}, escapeHtml(clean(title))),
      element('line', {
        x1: x,
        x2: x,
        y1: top,
        y2: bottom,
        stroke: colors['ink-3'],
        'stroke-dasharray': DOTTED
      })
    )
  })
  const names = mergeNames(plot, size, annotations).map(({ name, left }) =>
    label(name, { x: left, y: top - 5, 'font-size': size, fill: colors['ink-2'] })
  )
  return lines.join('') + names.join('')
}

/** Joins names that would meet, from left to right, until none do. */
function mergeNames(plot: Plot, size: number, annotations: ChartAnnotation[]): Named[] {
  const placed: Named[] = []
  for (const annotation of annotations.toSorted((a, b) => a.bucket - b.bucket)) {
    let named = place(plot, size, [annotation])
    for (
      let last = placed.at(-1);
      last && named.left < last.right + BETWEEN;
      last = placed.at(-1)
    ) {
      placed.pop()
      named = place(plot, size, [...last.annotations, ...named.annotations])
    }
    placed.push(named)
  }
  return placed
}

/** Puts the name of one annotation, or the count of several, above the middle of their lines. */
function place({ box, x }: Plot, size: number, annotations: ChartAnnotation[]): Named {
  const [first, last] = [annotations[0], annotations.at(-1)]
  const middle = (x(first?.bucket ?? 0) + x(last?.bucket ?? 0)) / 2
  const most = Math.min(WIDEST, box.right - box.left)
  const name =
    annotations.length === 1
      ? fitName(first?.text ?? '', size, most)
      : `${annotations.length} annotations`
  const width = widthOf(name, size)
  const left = Math.max(box.left, Math.min(middle - width / 2, box.right - width))
  return { annotations, name, left, right: left + width }
}
