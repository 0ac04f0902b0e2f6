import type { Interval } from '../../src/calendar/buckets.ts'
import { type Chart, changeOf, figureIn, hasBuckets, textIn } from '../../src/charts/chart.ts'
import { formatChange } from '../../src/charts/format.ts'
import { factsOf } from '../../src/charts/funnel.ts'
import { Name, Scrolled } from '../parts.tsx'
import { count } from '../words.ts'
import type { Point } from './point.ts'
import { nameOfBucket, numberIn } from './words.ts'

type NumbersProps = {
  chart: Chart & { interval?: Interval | undefined }
  onPoint: ((point: Point) => void) | undefined
}

/** Most buckets that a table lists; CSV has all. */
const MAX_BUCKETS = 1_000

/** The numbers of a chart as a table. */
export function Numbers({ chart, onPoint }: NumbersProps) {
  if (chart.kind === 'funnel') {
    const Table = chart.series.length === 1 ? Steps : StepsOfValues
    return <Table chart={chart} onPoint={onPoint} />
  }
  if (chart.columns) {
    return <Columns chart={chart} />
  }
  return hasBuckets(chart.kind) ? (
    <Buckets chart={chart} onPoint={onPoint} />
  ) : (
    <Totals chart={chart} onPoint={onPoint} />
  )
}

/** A row for each series, with a number and its change for each bucket. */
const Columns = ({ chart }: Pick<NumbersProps, 'chart'>) => (
  <Scrolled label="Numbers" class="numbers">
    <table class="table">
      <thead>
        <tr>
          <th>Name</th>
          {chart.buckets.map((name) => (
            <th key={name} class="num">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {chart.series.map((one, i) => (
          <tr key={`${one.name}${i}`}>
            <td class="strong">
              <Name>{one.name || '(empty)'}</Name>
            </td>
            {chart.buckets.map((name, bucket) => (
              <NumberCell
                key={name}
                text={textIn(chart, one, bucket)}
                beside={changeOf(figureIn(chart, one, bucket))}
                open={undefined}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scrolled>
)

/** The number of each series. */
function Totals({ chart: { series, unit }, onPoint }: NumbersProps) {
  const hasPrevious = series.some(({ previous }) => previous)
  return (
    <Scrolled label="Numbers" class="numbers">
      <table class="table">
        <thead>
          <tr>
            <th>Name</th>
            <th class="num">Value</th>
            {hasPrevious && <th class="num">Before</th>}
            {hasPrevious && <th class="num">Change</th>}
          </tr>
        </thead>
        <tbody>
          {series.map(({ name, data, previous }, i) => (
            <tr key={`${name}${i}`}>
              <td class="strong">
                <Name>{name || '(empty)'}</Name>
              </td>
              <NumberCell
                text={numberIn(unit, data[0] ?? 0)}
                open={onPoint && (() => onPoint({ series: i, bucket: 0 }))}
              />
              {hasPrevious && <td class="num">{numberIn(unit, previous?.[0] ?? 0)}</td>}
              {hasPrevious && (
                <td class="num">{formatChange(data[0] ?? 0, previous?.[0], unit)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** The numbers of each bucket. */
function Buckets({ chart, onPoint }: NumbersProps) {
  const { series, unit } = chart
  const columns = series.flatMap((one, i) => [
    { ...one, i, isPrevious: false },
    ...(one.previous
      ? [{ ...one, name: `${one.name}, before`, data: one.previous, i, isPrevious: true }]
      : [])
  ])
  const begun = Math.min(chart.buckets.length, chart.finished + 1)
  const buckets = Array.from({ length: begun }, (_, i) => i).slice(-MAX_BUCKETS)
  return (
    <Scrolled label="Numbers" class="numbers">
      <table class="table">
        <thead>
          <tr>
            <th>{chart.days.length > 0 ? 'When' : ''}</th>
            {columns.map(({ name }, i) => (
              <th key={`${name}${i}`} class="num">
                <Name>{name || '(empty)'}</Name>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket) => (
            <tr key={bucket}>
              <td class="nowrap">
                {nameOfBucket(chart, chart.interval, bucket)}
                {chart.days.length > 0 && bucket === chart.finished && (
                  <span class="mut"> so far</span>
                )}
              </td>
              {columns.map(({ data, i, isPrevious }, column) => (
                <NumberCell
                  key={column}
                  text={numberIn(unit, data[bucket] ?? 0)}
                  open={onPoint && (() => onPoint({ series: i, bucket, isPrevious }))}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** A funnel with a breakdown: a row for each value. */
function StepsOfValues({ chart: { series, buckets }, onPoint }: NumbersProps) {
  return (
    <Scrolled label="Numbers" class="numbers">
      <table class="table">
        <thead>
          <tr>
            <th>Value</th>
            {buckets.map((name, step) => (
              <th key={`${name}${step}`} class="num">
                <Name>{name}</Name>
              </th>
            ))}
            <th class="num">Overall</th>
          </tr>
        </thead>
        <tbody>
          {series.map((one, i) => (
            <tr key={`${one.name}${i}`}>
              <td class="strong">
                <Name>{one.name || '(empty)'}</Name>
              </td>
              {buckets.map((name, step) => {
                const { count: persons, ofBefore } = factsOf(one, step)
                return (
                  <NumberCell
                    key={`${name}${step}`}
                    text={count(persons)}
                    beside={
                      ofBefore === undefined ? undefined : numberIn('percent', ofBefore * 100)
                    }
                    open={onPoint && (() => onPoint({ series: i, bucket: step }))}
                  />
                )
              })}
              <td class="num strong">
                {numberIn('percent', factsOf(one, buckets.length - 1).share * 100)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** A funnel: a row for each step. */
function Steps({ chart: { series, buckets }, onPoint }: NumbersProps) {
  const one = series[0] ?? { name: '', data: [] }
  return (
    <Scrolled label="Numbers" class="numbers">
      <table class="table">
        <thead>
          <tr>
            <th>Step</th>
            <th class="num">Persons</th>
            <th class="num">Of all</th>
            <th class="num">Of the step before</th>
            <th class="num">Left</th>
            <th class="num">Time, median</th>
          </tr>
        </thead>
        <tbody>
          {buckets.map((name, step) => {
            const { count: persons, share, ofBefore, left, median } = factsOf(one, step)
            return (
              <tr key={`${name}${step}`}>
                <td class="strong">
                  {step + 1}. <Name>{name}</Name>
                </td>
                <NumberCell
                  text={count(persons)}
                  open={onPoint && (() => onPoint({ series: 0, bucket: step }))}
                />
                <td class="num">{numberIn('percent', share * 100)}</td>
                <td class="num">
                  {ofBefore === undefined ? '' : numberIn('percent', ofBefore * 100)}
                </td>
                <NumberCell
                  text={step === 0 ? '' : count(left)}
                  open={
                    onPoint && step > 0 && left > 0
                      ? () => onPoint({ series: 0, bucket: step, isLeft: true })
                      : undefined
                  }
                />
                <td class="num">{median === null ? '' : numberIn('seconds', median)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Scrolled>
  )
}

type NumberCellProps = { text: string; beside?: string | undefined; open: (() => void) | undefined }

const NumberCell = ({ text, beside, open }: NumberCellProps) => (
  <td class="num">
    {open ? (
      <button type="button" class="number-b" onClick={open}>
        {text}
      </button>
    ) : (
      text
    )}
    {beside && <span class="mut beside-number">{beside}</span>}
  </td>
)
