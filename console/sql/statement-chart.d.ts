/**
 * Draws answers as links, messages and dashboards do: src/questions/sql/chart.ts, whose types need
 * those of the service. See scripts/console.ts.
 */
declare module 'statement-chart' {
  type Chart = import('../../src/charts/chart.ts').Chart
  type ShownColumn = { name: string; label: string; attr: string }

  /** @throws Error for columns that cannot be drawn */
  export function drawStatement(
    statement: {
      view: {
        kind: Chart['kind']
        x: ShownColumn | undefined
        y: ShownColumn[] | undefined
        by: ShownColumn | undefined
        columns: undefined
      }
    },
    answer: import('./statement.ts').SqlAnswer,
    place: { project: { id: number; timezone: string; weekStart: number }; now: Date }
  ): { chart: Omit<Chart, 'warning'> }
}
