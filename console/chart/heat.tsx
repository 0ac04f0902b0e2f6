import type { Chart } from '../../src/charts/chart.ts'
import { formatShare } from '../../src/charts/format.ts'
import { heatOf } from '../../src/charts/retention.ts'
import { Empty, Name } from '../parts.tsx'
import { count } from '../words.ts'
import type { Point } from './point.ts'

type HeatProps = { chart: Chart; onPoint: ((point: Point) => void) | undefined }

/** Retention as a table with shaded cells, which open the persons who came back. */
export function Heat({ chart, onPoint }: HeatProps) {
  const rows = heatOf(chart)
  const columns = chart.buckets.slice(1)
  const isBrokenDown = rows[0]?.isMean !== true
  if (!chart.series.some(({ data }) => data[0])) {
    return (
      <Empty title="Nobody did this in this range.">
        <p class="sec">{chart.subtitle}</p>
      </Empty>
    )
  }
  return (
    <div class="heat-wrap">
      <table class="heat" aria-label={chart.title}>
        <thead>
          <tr>
            <th class="c1">{isBrokenDown ? 'Value' : 'Since'}</th>
            <th class="size">Persons</th>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, size, cells, isMean }, i) => {
            // The mean is the first row, so the rows of cohorts are one further.
            const series = isMean || isBrokenDown ? undefined : i - 1
            const open = (bucket: number) =>
              series === undefined || !onPoint ? undefined : () => onPoint({ series, bucket })
            return (
              <tr key={`${name}${i}`} class={isMean ? 'mean' : ''}>
                <th scope="row">
                  <Name>{name || '(empty)'}</Name>
                </th>
                <td class="size">
                  <Cell text={count(size)} label={`${name}, all`} open={open(0)} />
                </td>
                {columns.map((column, at) => {
                  const cell = cells[at]
                  if (!cell) {
                    return <td key={column}>{isMean ? '–' : ''}</td>
                  }
                  const look = cell.shade ?? (isMean ? '' : 'part')
                  return (
                    <td key={column} class={look}>
                      <Cell
                        text={formatShare(cell.share)}
                        label={`${name}, ${column}`}
                        open={open(at + 1)}
                      />
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

type CellProps = { text: string; label: string; open: (() => void) | undefined }

const Cell = ({ text, label, open }: CellProps) =>
  open === undefined ? (
    text
  ) : (
    <button type="button" aria-label={`${label}: ${text}`} title={label} onClick={open}>
      {text}
    </button>
  )
