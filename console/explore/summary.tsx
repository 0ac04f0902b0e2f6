import { hasBuckets, type Series } from '../../src/charts/chart.ts'
import { formatChange } from '../../src/charts/format.ts'
import type { DrawnAnswer, QuestionNode } from '../chart/answer.ts'
import { colorOfSeries, Key } from '../chart/colors.tsx'
import type { Point } from '../chart/point.ts'
import { numberIn } from '../chart/words.ts'
import { propertyName } from '../filters/properties.ts'
import { Icon } from '../icons.tsx'
import { Name, Scrolled } from '../parts.tsx'
import { breakdownOf } from './question.ts'
import { amountOf, isAdditive } from './sentence.ts'

type SummaryProps = {
  question: QuestionNode
  chart: DrawnAnswer
  /** The series that have colours in the drawing, in their order. */
  drawn: readonly Series[]
  hasMore: boolean
  onPoint: ((point: Point) => void) | undefined
}

/** A row for each series of a trend: what it amounts to, how that has changed, and its course. */
export function Summary({ question, chart, drawn, hasMore, onPoint }: SummaryProps) {
  const { series } = chart
  const isSum = isAdditive(question)
  const hasCourse = hasBuckets(chart.kind)
  const isCompared = series.some(({ previous }) => previous)
  const by = breakdownOf(question)
  const over = isSum ? 'Sum' : `Mean by ${chart.interval ?? 'day'}`
  return (
    <section class="card summary" aria-label="Series">
      <Scrolled label="All numbers">
        <table class="table">
          <thead>
            <tr>
              <th>{by ? propertyName(by.key) : 'Series'}</th>
              <th class="num">{hasCourse ? over : 'Value'}</th>
              {isCompared && <th class="num wide-only">Before</th>}
              {isCompared && <th class="num">Change</th>}
              {hasCourse && <th class="course wide-only">By {chart.interval ?? 'day'}</th>}
            </tr>
          </thead>
          <tbody>
            {series.map((one, i) => (
              <Row
                key={`${one.name}${i}`}
                one={one}
                chart={chart}
                isSum={isSum}
                look={drawn.indexOf(one)}
                isCompared={isCompared}
                open={onPoint && !hasCourse ? () => onPoint({ series: i, bucket: 0 }) : undefined}
              />
            ))}
          </tbody>
        </table>
      </Scrolled>
      {hasMore && (
        <p class="more-values mut">There are more values. Add a filter to see fewer of them.</p>
      )}
    </section>
  )
}

type RowProps = {
  one: Series
  chart: DrawnAnswer
  isSum: boolean
  /** The place of the colour; negative for a series that is not drawn. */
  look: number
  isCompared: boolean
  open: (() => void) | undefined
}

function Row({ one, chart, isSum, look, isCompared, open }: RowProps) {
  const hasCourse = hasBuckets(chart.kind)
  const { value, previous } = amountOf(one, chart, isSum)
  const format = (number: number) =>
    numberIn(chart.unit, isSum || !hasCourse ? number : Math.round(number * 10) / 10)
  return (
    <tr>
      <td>
        <span class="row nowrap">
          {look >= 0 && hasCourse && <Key color={colorOfSeries(one, look)} isLine />}
          <span class={one.isRest ? 'cut mut' : 'cut strong'}>
            <Name>{one.name || '(empty)'}</Name>
          </span>
        </span>
      </td>
      <td class="num strong">
        {open ? (
          <button type="button" class="number-b" onClick={open}>
            {format(value)}
          </button>
        ) : (
          format(value)
        )}
      </td>
      {isCompared && (
        <td class="num mut wide-only">{previous === undefined ? '' : format(previous)}</td>
      )}
      {isCompared && (
        <td class="num">
          <Change value={value} previous={previous} />
        </td>
      )}
      {hasCourse && (
        <td class="course wide-only">
          <Spark
            data={one.data.slice(0, chart.finished + 1)}
            color={look >= 0 ? colorOfSeries(one, look) : 'var(--axis)'}
          />
        </td>
      )}
    </tr>
  )
}

function Change({ value, previous }: { value: number; previous: number | undefined }) {
  const change = formatChange(value, previous)
  if (change === '' || change === 'no change') {
    return <span class="mut">{change}</span>
  }
  const isMore = value > (previous ?? 0)
  return (
    <span class={isMore ? 'change good' : 'change bad'}>
      <Icon name={isMore ? 'rise' : 'fall'} small />
      <span class="vh">{isMore ? 'more by' : 'less by'}</span>
      {change.slice(1)}
    </span>
  )
}

/** Size of the course of a series, pixels. */
const SPARK = { width: 110, height: 20 }

function Spark({ data, color }: { data: number[]; color: string }) {
  const most = Math.max(...data, 1)
  const step = SPARK.width / Math.max(1, data.length - 1)
  const points = data.map(
    (value, i) => `${i * step},${SPARK.height - 2 - (value / most) * (SPARK.height - 4)}`
  )
  return (
    <svg class="spark" {...SPARK} aria-hidden="true">
      <polyline points={points.join(' ')} stroke={color} />
    </svg>
  )
}
