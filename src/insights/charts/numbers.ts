import {
  type Chart,
  currentOf,
  hasBuckets,
  previousOf,
  type Series,
  textIn
} from '../../charts/chart.ts'
import { formatDuration, formatIn, formatShare, formatValue } from '../../charts/format.ts'
import { factsOf } from '../../charts/funnel.ts'

/** The numbers of a chart as a table; `rows` are texts. */
export type NumberTable = {
  columns: string[]
  rows: { name: string; cells: string[]; notes?: string[] }[]
}

/** Returns the numbers of a chart as a table. */
export function numbersIn(chart: Chart): NumberTable {
  if (chart.kind === 'funnel') {
    return tableOfFunnel(chart)
  }
  return chart.columns ? tableOfColumns(chart) : tableOf(chart)
}

function tableOf({ kind, buckets, series, unit, annotations = [] }: Chart): NumberTable {
  const columns = hasBuckets(kind)
    ? series.flatMap(({ name, data, previous }) => [
        { name, data },
        ...(previous ? [{ name: `${name}, before`, data: previous }] : [])
      ])
    : [
        { name: '', data: series.map(currentOf) },
        ...(series.some(({ previous }) => previous)
          ? [{ name: 'before', data: series.map((one) => previousOf(one) ?? 0) }]
          : [])
      ]
  const rows = hasBuckets(kind) ? buckets : series.map(({ name }) => name)
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.map((name, i) => ({
      name,
      cells: columns.map(({ data }) => formatIn(unit, data[i] ?? 0)),
      notes: annotations.filter(({ bucket }) => bucket === i).map(({ text }) => text)
    }))
  }
}

/** Returns the numbers of a table with columns, each with the numbers before if there are any. */
function tableOfColumns(chart: Chart): NumberTable {
  const { buckets, series } = chart
  const isCompared = series.some(({ previous }) => previous)
  const before = (one: Series): Series => ({ ...one, data: one.previous ?? [] })
  return {
    columns: buckets.flatMap((name) => (isCompared ? [name, `${name}, before`] : [name])),
    rows: series.map((one) => ({
      name: one.name,
      cells: buckets.flatMap((_, i) =>
        (isCompared ? [one, before(one)] : [one]).map((shown) => textIn(chart, shown, i))
      )
    }))
  }
}

/** Returns the numbers of a funnel: a row for each step or, with a breakdown, for each value. */
function tableOfFunnel({ buckets, series }: Chart): NumberTable {
  const [first] = series
  if (!first || series.length > 1) {
    return {
      columns: [...buckets, 'Overall'],
      rows: series.map((one) => {
        const shares = buckets.map((_, step) => factsOf(one, step))
        const cells = shares.map(({ count }) => formatValue(count))
        return { name: one.name, cells: [...cells, formatShare(shares.at(-1)?.share ?? 0)] }
      })
    }
  }
  const duration = (seconds: number | null) => (seconds === null ? '–' : formatDuration(seconds))
  return {
    columns: [first.name, 'Of step 1', 'Of the step before', 'Left', 'Median time', 'Average time'],
    rows: buckets.map((name, step) => {
      const { count, share, ofBefore, left, median, average } = factsOf(first, step)
      const lost = ofBefore === undefined ? ['–', '–'] : [formatShare(ofBefore), formatValue(left)]
      return {
        name,
        cells: [
          formatValue(count),
          formatShare(share),
          ...lost,
          duration(median),
          duration(average)
        ]
      }
    })
  }
}
