import { useMemo } from 'preact/hooks'
import { drawStatement } from 'statement-chart'
import { ChartView } from '../chart/chart.tsx'
import { Empty } from '../parts.tsx'
import { project } from '../session.ts'
import { columnsOf } from './cells.ts'
import type { SqlAnswer } from './statement.ts'
import {
  DISPLAYS,
  displayOf,
  hasAxis,
  kindOfView,
  type View,
  withNumbers,
  without
} from './view.ts'

const CHART_HEIGHT = 320

type AnswerChartProps = { answer: SqlAnswer; view: View }

/** The answer as a chart, as an insight of it is drawn in dashboards and messages. */
export function AnswerChart({ answer, view }: AnswerChartProps) {
  const drawn = useMemo(() => draw(answer, view), [answer, JSON.stringify(view)])
  return (
    <div class="chart">
      {'chart' in drawn ? (
        <ChartView chart={drawn.chart} height={CHART_HEIGHT} />
      ) : (
        <Empty title="This answer cannot be drawn this way.">
          <p class="sec">{drawn.why}</p>
        </Empty>
      )}
    </div>
  )
}

const NO_NUMBERS = 'It has no column of numbers: count something, or show it as rows.'

function draw(answer: SqlAnswer, view: View) {
  const { xAxis, yAxis, seriesBreakdownColumn: by } = view.chartSettings ?? {}
  const shown = (name: string) => ({ name, label: name, attr: '' })
  if (!columnsOf(answer).some(({ kind }) => kind === 'number')) {
    return { why: NO_NUMBERS }
  }
  try {
    const { chart } = drawStatement(
      {
        view: {
          kind: kindOfView(view) ?? 'table',
          x: xAxis && shown(xAxis.column),
          y: yAxis?.map(({ column }) => shown(column)),
          by: by === undefined ? undefined : shown(by),
          columns: undefined
        }
      },
      answer,
      { project: { timezone: project.value?.timezone ?? 'UTC' }, now: new Date() }
    )
    return { chart: { ...chart, warning: null } }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

type SettingsProps = AnswerChartProps & { change: (view: View) => void }

/** What the chart shows: its kind, its axis, its numbers, and whose names its series have. */
export function ChartSettings({ answer, view, change }: SettingsProps) {
  const columns = useMemo(() => columnsOf(answer), [answer])
  const numbers = columns.filter(({ kind }) => kind === 'number')
  const { xAxis, yAxis, seriesBreakdownColumn: by } = view.chartSettings ?? {}
  const set = (settings: NonNullable<View['chartSettings']>) =>
    change({ ...view, chartSettings: { ...view.chartSettings, ...settings } })
  return (
    <>
      <SmallSelect
        label="Kind of chart"
        value={displayOf(view)}
        options={DISPLAYS}
        choose={(display) => change({ ...view, display })}
      />
      {kindOfView(view) !== 'number' && (
        <SmallSelect
          label="Over"
          value={xAxis?.column ?? ''}
          options={[['', 'Over: first column'], ...named('Over', columns)]}
          choose={(column) =>
            column === '' ? change(without(view, 'xAxis')) : set({ xAxis: { column } })
          }
        />
      )}
      {numbers.length > 1 && (
        <SmallSelect
          label="Numbers"
          value={yAxis?.[0]?.column ?? ''}
          options={[['', 'All numbers'], ...named('Numbers', numbers)]}
          choose={(column) => change(withNumbers(view, column))}
        />
      )}
      {hasAxis(view) && columns.length > 2 && (numbers.length === 1 || yAxis?.length === 1) && (
        <SmallSelect
          label="Series by"
          value={by ?? ''}
          options={[['', 'Series: automatic'], ...named('Series', columns)]}
          choose={(column) =>
            column === ''
              ? change(without(view, 'seriesBreakdownColumn'))
              : set({ seriesBreakdownColumn: column })
          }
        />
      )}
    </>
  )
}

const named = (what: string, columns: readonly { name: string }[]): [string, string][] =>
  columns.map(({ name }) => [name, `${what}: ${name.slice(0, 100)}`])

type SmallSelectProps = {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  choose: (value: string) => void
}

const SmallSelect = ({ label, value, options, choose }: SmallSelectProps) => (
  <select
    class="b small"
    aria-label={label}
    value={value}
    onChange={(event) => choose(event.currentTarget.value)}
  >
    {options.map(([one, name]) => (
      <option key={one} value={one}>
        {name}
      </option>
    ))}
  </select>
)
