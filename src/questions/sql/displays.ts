import type { Kind } from '../../charts/chart.ts'

/** The kinds of charts of a statement, by the display that asks for them. */
export const KIND_OF = {
  Auto: 'table',
  ActionsTable: 'table',
  ActionsLineGraph: 'line',
  ActionsAreaGraph: 'area',
  ActionsBar: 'bars',
  ActionsUnstackedBar: 'bars',
  ActionsStackedBar: 'stacked',
  ActionsBarValue: 'values',
  ActionsPie: 'pie',
  ActionsDonut: 'pie',
  BoldNumber: 'number'
} as const satisfies Record<string, Kind>
