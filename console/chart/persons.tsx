import { hasBuckets } from '../../src/charts/chart.ts'
import { shownOf } from '../../src/charts/draw.ts'
import { PersonsDrawer } from '../drawer.tsx'
import { Name } from '../parts.tsx'
import { type DrawnAnswer, type QuestionNode, questionIn } from './answer.ts'
import { colorOfSeries, Key } from './colors.tsx'
import { actorsOf, type Point } from './point.ts'
import { nameOfBucket } from './words.ts'

type PersonsProps = {
  question: QuestionNode
  chart: DrawnAnswer
  point: Point
  close: () => void
}

/** The persons behind a point; nothing for a point that the chart does not have. */
export function PersonsOfPoint({ question, chart, point, close }: PersonsProps) {
  const source = actorsOf(question, chart, point)
  return source ? (
    <PersonsDrawer
      source={source}
      column={chart.kind === 'retention' ? point.bucket : undefined}
      counted={questionIn(question).kind === 'TrendsQuery' ? 'event' : undefined}
      below={<PointWords chart={chart} point={point} />}
      close={close}
    />
  ) : null
}

/** Names a point: `Germany, Mon, 23 Nov 2026`. */
function PointWords({ chart, point }: { chart: DrawnAnswer; point: Point }) {
  const { series, bucket, isPrevious, isLeft } = point
  const one = chart.series[series]
  const look = one ? shownOf(chart).series.indexOf(one) : -1
  const when = isPrevious
    ? (chart.earlier[bucket] ?? 'before')
    : nameOfBucket(chart, chart.interval, bucket)
  const names = [
    ...(chart.kind === 'funnel' && chart.series.length === 1 ? [] : [one?.name ?? '']),
    ...(isLeft ? [`left before ${when}`] : [when])
  ]
  return (
    <span class="row nowrap">
      {one && look >= 0 && hasBuckets(chart.kind) && (
        <Key color={colorOfSeries(one, look)} isLine />
      )}
      <span class="cut">
        <Name>{names.filter(Boolean).join(', ')}</Name>
      </span>
    </span>
  )
}
