import { useSignal } from '@preact/signals'
import type { Interval } from '../../src/calendar/buckets.ts'
import type { Chart } from '../../src/charts/chart.ts'
import type { Plot } from '../../src/charts/frame.ts'
import { Name } from '../parts.tsx'
import { colorOfSeries, Key } from './colors.tsx'
import { bucketAt, seriesAt } from './hit.ts'
import type { Point } from './point.ts'
import { nameOfBucket, numberIn, shortBucket } from './words.ts'

/** A row of the tooltip. */
type Row = { name: string; color: string; value: string; number: number; point: Point }

/** With more series, only the series under the pointer shows its earlier number. */
const MAX_COMPARED = 2

/** Returns what a bucket's tooltip says, in the order of the values. */
function rowsAt(
  { series, unit, kind, finished }: Chart,
  earlier: string[],
  bucket: number,
  under: number | undefined
): Row[] {
  const isBegun = bucket <= finished || kind === 'bars'
  const rows = series.map((one, i): Row => {
    const number = one.data[bucket] ?? 0
    return {
      name: one.name || '(empty)',
      color: colorOfSeries(one, i),
      value: isBegun ? numberIn(unit, number) : '–',
      number,
      point: { series: i, bucket }
    }
  })
  const before = series.flatMap((one, i): Row[] => {
    const number = one.previous?.[bucket]
    if (number === undefined || (series.length > MAX_COMPARED && i !== under)) {
      return []
    }
    const day = earlier[bucket]
    const when = day === undefined ? 'before' : shortBucket(day)
    return [
      {
        name: series.length > 1 ? `${one.name || '(empty)'}, ${when}` : when,
        color: 'var(--prev)',
        value: numberIn(unit, number),
        number,
        point: { series: i, bucket, isPrevious: true }
      }
    ]
  })
  return [...rows.toSorted((a, b) => b.number - a.number), ...before]
}

type Aim = { bucket: number; series: number; isPrevious: boolean; by: 'pointer' | 'touch' | 'keys' }

type ScrubberProps = {
  /** A chart with the series that are drawn. */
  shown: Chart
  interval: Interval | undefined
  earlier: string[]
  plot: Plot
  width: number
  open: ((point: Point) => void) | undefined
}

const isAt = ({ point }: Row, { series, isPrevious }: Aim): boolean =>
  point.series === series && (point.isPrevious ?? false) === isPrevious

/** Returns what the keys do to an aim; undefined hides it. */
function steer(key: string, aim: Aim | undefined, count: number, rows: Row[]): Aim | undefined {
  const { bucket, series, isPrevious } = aim ?? {
    bucket: key === 'ArrowLeft' ? count : -1,
    series: rows[0]?.point.series ?? 0,
    isPrevious: false
  }
  const at = (to: number): Aim => ({
    series,
    isPrevious,
    bucket: Math.max(0, Math.min(count - 1, to)),
    by: 'keys'
  })
  const choose = (by: number): Aim => {
    const place = aim ? rows.findIndex((row) => isAt(row, aim)) + by : 0
    const { point } = rows[Math.max(0, Math.min(rows.length - 1, place))] ?? {}
    const last = aim ? bucket : count - 1
    return {
      ...at(last),
      series: point?.series ?? series,
      isPrevious: point?.isPrevious ?? false
    }
  }
  switch (key) {
    case 'ArrowLeft':
      return at(bucket - 1)
    case 'ArrowRight':
      return at(bucket + 1)
    case 'Home':
      return at(0)
    case 'End':
      return at(count - 1)
    case 'ArrowUp':
      return choose(-1)
    case 'ArrowDown':
      return choose(1)
    default:
      return undefined
  }
}

const MOVES = ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'ArrowUp', 'ArrowDown', 'Escape']

/** The layer over a chart with an axis that follows the pointer, the keys and the finger. */
export function Scrubber({ shown, interval, earlier, plot, width, open }: ScrubberProps) {
  const aim = useSignal<Aim | undefined>(undefined)
  const count = Math.min(shown.buckets.length, shown.finished + 1)
  // The aim of an answer before may lie beyond this one.
  const at = aim.value && {
    ...aim.value,
    bucket: Math.min(aim.value.bucket, count - 1),
    series: Math.min(aim.value.series, shown.series.length - 1)
  }
  const bucket = at?.bucket ?? count - 1
  const rows = rowsAt(shown, earlier, bucket, at?.series)
  const name = nameOfBucket(shown, interval, bucket)
  const follow = (event: PointerEvent) => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const pixel = { x: event.clientX - left, y: event.clientY - top }
    const found = bucketAt(shown, plot, pixel.x)
    aim.value = {
      bucket: found,
      ...seriesAt(shown, plot, found, pixel),
      by: event.pointerType === 'touch' ? 'touch' : 'pointer'
    }
  }
  const openAim = () =>
    open?.({ series: at?.series ?? 0, bucket, isPrevious: at?.isPrevious ?? false })
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      openAim()
    } else if (!MOVES.includes(event.key) || (event.key === 'Escape' && !at)) {
      return
    } else {
      aim.value = steer(event.key, at, count, rows)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const hide = () => {
    aim.value = undefined
  }
  return (
    <>
      <div
        class={open ? 'scrub opens' : 'scrub'}
        role="slider"
        tabIndex={0}
        aria-label={`Points of ${shown.title}`}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={bucket}
        aria-valuetext={[name, ...rows.map((row) => `${row.name} ${row.value}`)].join(', ')}
        onPointerMove={(event) => event.pointerType !== 'touch' && follow(event)}
        onPointerDown={follow}
        onPointerLeave={(event) => event.pointerType !== 'touch' && hide()}
        onClick={() => at?.by !== 'touch' && openAim()}
        onKeyDown={press}
        onBlur={() => at?.by === 'keys' && hide()}
      />
      {at && <Marks shown={shown} plot={plot} bucket={bucket} width={width} series={at.series} />}
      {at && at.by !== 'touch' && (
        <Tip shown={shown} at={at} name={name} rows={rows} style={sideOf(plot.x(bucket), width)} />
      )}
      {at?.by === 'touch' && <Readout name={name} rows={rows} open={open} />}
    </>
  )
}

type TipProps = { shown: Chart; at: Aim; name: string; rows: Row[]; style: Record<string, string> }

function Tip({ shown, at, name, rows, style }: TipProps) {
  const notes = (shown.annotations ?? []).filter(({ bucket }) => bucket === at.bucket)
  const isUnfinished = at.bucket === shown.finished && shown.days.length > 0
  return (
    <div class="tip" style={style} aria-hidden="true">
      <p class="h">
        {name}
        {isUnfinished && <small> so far</small>}
      </p>
      {rows.map((row) => (
        <p
          key={`${row.point.series}${row.point.isPrevious}`}
          class={rows.length > 1 && isAt(row, at) ? 'on' : ''}
        >
          <Words row={row} />
        </p>
      ))}
      {notes.map(({ text }) => (
        <p key={text} class="mut">
          <Name>{text}</Name>
        </p>
      ))}
    </div>
  )
}

/** Rows that the line above a chart has room for. */
const MAX_READ = 4

type ReadoutProps = { name: string; rows: Row[]; open: ((point: Point) => void) | undefined }

/** The values under the finger. */
const Readout = ({ name, rows, open }: ReadoutProps) => (
  <div class="readout">
    <b>{name}</b>
    {rows.slice(0, MAX_READ).map((row) =>
      open ? (
        <button key={row.name} type="button" onClick={() => open(row.point)}>
          <Words row={row} />
        </button>
      ) : (
        <span key={row.name}>
          <Words row={row} />
        </span>
      )
    )}
  </div>
)

const Words = ({ row }: { row: Row }) => (
  <>
    <Key color={row.color} isLine />
    <span class="cut">
      <Name>{row.name}</Name>
    </span>
    <b>{row.value}</b>
  </>
)

/** The tooltip stands on the side with more room, 12 pixels away. */
const sideOf = (x: number, width: number): Record<string, string> =>
  x < width / 2 ? { left: `${x + 12}px` } : { right: `${width - x + 12}px` }

type MarksProps = { shown: Chart; plot: Plot; bucket: number; width: number; series: number }

/** The vertical line at a bucket, and a dot on each line. */
function Marks({ shown, plot, bucket, width, series: under }: MarksProps) {
  const { kind, series } = shown
  const x = plot.x(bucket)
  const { top, bottom } = plot.box
  const dots =
    kind === 'line' ? series.map((one, i) => ({ y: plot.y(one.data[bucket] ?? 0), i, one })) : []
  const previous = series.length > MAX_COMPARED ? series[under]?.previous : undefined
  return (
    <svg class="marks" width={width} height={bottom + 1} aria-hidden="true">
      {previous && (
        <polyline
          class="prev"
          points={previous.map((value, i) => `${plot.x(i)},${plot.y(value)}`).join(' ')}
        />
      )}
      <line class="cross" x1={x} x2={x} y1={top} y2={bottom} />
      {dots.map(({ y, i, one }) => (
        <circle key={i} cx={x} cy={y} r="4.5" fill={colorOfSeries(one, i)} />
      ))}
    </svg>
  )
}
