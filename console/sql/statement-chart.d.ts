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
    answer: Pick<import('./statement.ts').SqlAnswer, 'types' | 'results' | 'hasMore'>,
    place: { project: { timezone: string }; now: Date }
  ): { chart: Omit<Chart, 'warning'> }
}
