import * as z from 'zod'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { readSql, type SqlQuery } from '../../sql/request.ts'
import type { Settings } from '../../trends/request.ts'
import { Unsupported } from '../../trends/shared-fields.ts'
import { KIND_OF } from './displays.ts'

const ColumnName = z.string().max(1_000)

/** Says how something looks that the numbers do not depend on. */
const look = z.unknown().optional()

const ColumnSettings = z
  .strictObject({
    display: z
      .strictObject({
        label: z.string().max(200).nullish(),
        displayType: z.enum(['auto']).nullish(),
        yAxisPosition: z.enum(['left']).nullish(),
        trendLine: Unsupported,
        color: look
      })
      .nullish(),
    formatting: z
      .strictObject({
        prefix: Unsupported,
        suffix: Unsupported,
        style: z.enum(['none', 'number']).nullish(),
        decimalPlaces: look
      })
      .nullish()
  })
  .nullish()

const SeriesColumn = z.strictObject({ column: ColumnName, settings: ColumnSettings })

const AxisLook = z.looseObject({ scale: z.enum(['linear']).nullish() }).nullish()

const ViewNode = z.looseObject({
  display: z.enum(Object.keys(KIND_OF) as [keyof typeof KIND_OF]).nullish(),
  chartSettings: z
    .strictObject({
      xAxis: SeriesColumn.nullish(),
      yAxis: z.array(SeriesColumn).max(50, 'At most 50 are allowed.').nullish(),
      seriesBreakdownColumn: ColumnName.nullish(),
      goalLines: Unsupported,
      stackBars100: Unsupported,
      heatmap: Unsupported,
      yAxis2: Unsupported,
      leftYAxisSettings: AxisLook,
      rightYAxisSettings: AxisLook,
      yAxisAtZero: look,
      showLegend: look,
      showTotalRow: look,
      showXAxisTicks: look,
      showXAxisBorder: look,
      showYAxisBorder: look
    })
    .nullish(),
  tableSettings: z
    .strictObject({
      columns: z.array(SeriesColumn).max(100, 'At most 100 are allowed.').nullish(),
      conditionalFormatting: Unsupported,
      transpose: Unsupported,
      pinnedColumns: look
    })
    .nullish()
})

/** A column of an answer by its name, what a chart calls it, and its path in the view. */
export type ShownColumn = { name: string; label: string; attr: string }

/** How the answer to a statement is drawn. */
export type StatementView = {
  kind: (typeof KIND_OF)[keyof typeof KIND_OF]
  /** Undefined for the first time or, without one, the first text. */
  x: ShownColumn | undefined
  /** The columns of numbers; undefined for all. */
  y: ShownColumn[] | undefined
  /** The column with the names of the series, if one column has the numbers of several. */
  by: ShownColumn | undefined
  /** The columns of a table; undefined for all. */
  columns: ShownColumn[] | undefined
}

/** A statement, and how its answer is drawn. */
export type ShownStatement = SqlQuery & { view: StatementView }

/**
 * Reads a `HogQLQuery` node.
 * @param view the `DataVisualizationNode` around it, if there is one
 * @throws errors of input, attr the path in the node, or in the view
 */
export const readStatement = (
  node: JsonObject,
  settings: Settings,
  now: Date,
  view: JsonObject | undefined
): ShownStatement => ({ ...readSql(node, settings, now), view: readView(view ?? {}) })

/** Reads how an answer is drawn. @throws errors of input, attr the path in the view */
export function readView(node: JsonObject): StatementView {
  const { display, chartSettings, tableSettings } = parseInput(ViewNode, node)
  const toColumn = ({ column, settings }: z.output<typeof SeriesColumn>, attr: string) => ({
    name: column,
    label: settings?.display?.label || column,
    attr
  })
  const toColumns = (columns: z.output<typeof SeriesColumn>[] | null | undefined, attr: string) =>
    columns?.length
      ? columns.map((column, i) => toColumn(column, `${attr}__${i}__column`))
      : undefined
  const { xAxis, yAxis, seriesBreakdownColumn: by } = chartSettings ?? {}
  return {
    kind: KIND_OF[display ?? 'ActionsTable'],
    x: xAxis ? toColumn(xAxis, 'chartSettings__xAxis__column') : undefined,
    y: toColumns(yAxis, 'chartSettings__yAxis'),
    by: by ? { name: by, label: by, attr: 'chartSettings__seriesBreakdownColumn' } : undefined,
    columns: toColumns(tableSettings?.columns, 'tableSettings__columns')
  }
}
