import { useSignal } from '@preact/signals'
import { type Chart, currentOf, type Series } from '../../src/charts/chart.ts'
import { type Inset, shownOf, stepsOf } from '../../src/charts/draw.ts'
import type { Box } from '../../src/charts/frame.ts'
import { factsOf, type StepPlace } from '../../src/charts/funnel.ts'
import { ROW } from '../../src/charts/rows.ts'
import { Name } from '../parts.tsx'
import { count } from '../words.ts'
import type { Point } from './point.ts'
import { numberIn } from './words.ts'

/** Something to click in a chart without a time axis. */
export type Place = { box: Box; point: Point; label: string; rows: [string, string][] }

/** Returns what can be clicked in a chart without an axis: rows, a number, or steps. */
export function placesIn(chart: Chart, inset: Inset): Place[] {
  const shown = shownOf(chart)
  const { width, height } = inset
  if (chart.kind === 'funnel') {
    return stepsOf(chart, inset).flatMap((place, step) => placesOfStep(shown, place, step))
  }
  const everywhere = { left: 0, top: 0, right: width, bottom: height }
  if (chart.kind === 'number') {
    return shown.series.slice(0, 1).map((one) => placeOf(one, 0, everywhere))
  }
  // Nobody is listed behind the numbers of web analytics.
  if (chart.columns) {
    return []
  }
  if (chart.kind !== 'values' && chart.kind !== 'countries' && chart.kind !== 'table') {
    return []
  }
  const rows = Math.floor(height / ROW)
  const fitting = shown.series.length > rows ? rows - 1 : shown.series.length
  return shown.series
    .slice(0, fitting)
    .map((one, i) => placeOf(one, i, { ...everywhere, top: i * ROW, bottom: (i + 1) * ROW }))
}

const placeOf = (one: Series, series: number, box: Box): Place => ({
  box,
  point: { series, bucket: 0 },
  label: `${one.name || '(empty)'}: ${numberIn(undefined, currentOf(one))}`,
  rows: []
})

/** Returns the bars of a step, and the words that say how many left before it. */
function placesOfStep(
  { series, buckets }: Chart,
  { bars, left }: StepPlace,
  step: number
): Place[] {
  const name = `${step + 1}. ${buckets[step]}`
  const reached = series.flatMap((one, i): Place[] => {
    const box = bars[i]
    const label = series.length > 1 ? `${name}, ${one.name}` : name
    return box
      ? [{ box, point: { series: i, bucket: step }, label, rows: factRows(one, step) }]
      : []
  })
  const lost = series[0] ? factsOf(series[0], step).left : 0
  const label = `${count(lost)} left before ${name}`
  const point = { series: 0, bucket: step, isLeft: true }
  return left && lost > 0 ? [...reached, { box: left, point, label, rows: [] }] : reached
}

function factRows(one: Series, step: number): [string, string][] {
  const { count: persons, share, ofBefore, left, median } = factsOf(one, step)
  return [
    ['Persons', count(persons)],
    ['Of all', numberIn('percent', share * 100)],
    ...(ofBefore === undefined
      ? []
      : ([
          [`Of step ${step}`, numberIn('percent', ofBefore * 100)],
          ['Left', count(left)]
        ] as [string, string][])),
    ...(median === null
      ? []
      : ([['Time, median', numberIn('seconds', median)]] as [string, string][]))
  ]
}

type PlacesProps = {
  places: Place[]
  width: number
  open: ((point: Point) => void) | undefined
}

/** Buttons over the rows or steps of a chart, with the facts of the one under the pointer. */
export function Places({ places, width, open }: PlacesProps) {
  const at = useSignal<Place | undefined>(undefined)
  const { value: place } = at
  return (
    <div class="places" onPointerLeave={() => (at.value = undefined)}>
      {places.map((one) => {
        const { box, label, point, rows } = one
        const style = {
          left: `${box.left}px`,
          top: `${box.top}px`,
          width: `${box.right - box.left}px`,
          height: `${box.bottom - box.top}px`
        }
        const show = () => {
          at.value = rows.length > 0 ? one : undefined
        }
        const name = [label, ...rows.map((row) => row.join(' '))].join(', ')
        return open ? (
          <button
            key={label}
            type="button"
            class={point.isLeft ? 'place lost' : 'place'}
            style={style}
            aria-label={name}
            onPointerEnter={show}
            onFocus={show}
            onBlur={() => (at.value = undefined)}
            onClick={() => open(point)}
          />
        ) : (
          <div key={label} class="place" style={style} onPointerEnter={show} />
        )
      })}
      {place && (
        <div
          class="tip"
          style={
            place.box.right < width / 2
              ? { left: `${place.box.right + 4}px`, top: `${place.box.top + 8}px` }
              : { right: `${width - place.box.left + 4}px`, top: `${place.box.top + 8}px` }
          }
          aria-hidden="true"
        >
          <p class="h">
            <Name>{place.label}</Name>
          </p>
          {place.rows.map(([name, value]) => (
            <p key={name}>
              <span>{name}</span>
              <b>{value}</b>
            </p>
          ))}
        </div>
      )}
    </div>
  )
}
