import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Interval } from '../../src/calendar/buckets.ts'
import type { Chart, Series } from '../../src/charts/chart.ts'
import { drawInset, heightOf, type Inset, plotOf, shownOf } from '../../src/charts/draw.ts'
import { heightOfRows } from '../../src/charts/rows.ts'
import { useKey } from '../keys.ts'
import { PAGE } from './colors.tsx'
import { Heat } from './heat.tsx'
import { Numbers } from './numbers.tsx'
import { Places, placesIn } from './places.tsx'
import type { Point } from './point.ts'
import { Scrubber } from './scrubber.tsx'

/** Most rows of ranked bars. */
const MAX_ROWS = 25

type ChartViewProps = {
  chart: Chart & { interval?: Interval | undefined; earlier?: string[] }
  /** Height, pixels, of a chart that has none of its own. */
  height?: number
  /** Shows the numbers as a table instead; see `useTableKey`. */
  isTable?: boolean
  /** What a click or Enter does at a point, such as to open the persons behind it. */
  onPoint?: ((point: Point) => void) | undefined
}

/**
 * Draws a chart as wide as its place: the drawing of mails and pictures, with the pointer, the
 * keyboard and the finger on it. The card around it has the title.
 */
export function ChartView({ chart, height = 280, isTable = false, onPoint }: ChartViewProps) {
  if (chart.kind === 'retention') {
    return <Heat chart={chart} onPoint={onPoint} />
  }
  return isTable ? (
    <Numbers chart={chart} onPoint={onPoint} />
  ) : (
    <Drawing chart={chart} height={height} onPoint={onPoint} />
  )
}

/** Follows the width of an element, pixels; 0 until it is known. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  useLayoutEffect(() => {
    const box = element.current
    if (!box) {
      return
    }
    const measure = () => {
      width.value = Math.floor(box.clientWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  return { element, width: width.value }
}

function Drawing({ chart, height: most, onPoint }: Required<Omit<ChartViewProps, 'isTable'>>) {
  const { element, width } = useWidth()
  const id = useId()
  const isList = ['values', 'countries', 'table'].includes(chart.kind)
  const highest = isList ? Math.max(most, heightOfRows(MAX_ROWS)) : most
  const height = heightOf(chart, Math.max(width, 1), highest)
  const shown = useMemo(() => shownOf(chart), [chart])
  const inset: Inset = { width, height, colors: PAGE, id: `c${id}-` }
  const drawn = useMemo(
    () =>
      width === 0
        ? undefined
        : {
            svg: drawInset(chart, inset),
            plot: plotOf(chart, inset),
            places: placesIn(chart, inset)
          },
    [chart, width, height]
  )
  // A series of the drawing stands for others beyond the limit if the chart does not have it.
  const open =
    onPoint &&
    ((point: Point) => {
      const series = chart.series.indexOf(shown.series[point.series] as Series)
      if (series >= 0) {
        onPoint({ ...point, series })
      }
    })
  return (
    <div class="drawn" ref={element} style={{ minHeight: `${height}px` }}>
      {drawn && (
        // The drawing escapes every text, and has no style attribute.
        <div class="drawing" dangerouslySetInnerHTML={{ __html: drawn.svg }} />
      )}
      {drawn?.plot && (
        <Scrubber
          shown={shown}
          interval={chart.interval}
          earlier={chart.earlier ?? []}
          plot={drawn.plot}
          width={width}
          open={open}
        />
      )}
      {drawn && drawn.places.length > 0 && (
        <Places places={drawn.places} width={width} open={open} />
      )}
    </div>
  )
}

/** Whether the charts of a page show their numbers as tables: `v` changes it. */
export function useTableKey() {
  const isTable = useSignal(false)
  useKey('v', 'Table or chart', () => {
    isTable.value = !isTable.value
  })
  return isTable
}
