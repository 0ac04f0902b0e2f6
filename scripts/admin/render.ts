import { onOneLine } from '../../src/input/show.ts'

/** Formats an answer for people: one line per member, or a table when the only member is a list. */
export function render(answer: object): string {
  const entries = Object.entries(answer)
  const [first] = entries
  if (!first || entries.length > 1 || !Array.isArray(first[1])) {
    return align(entries.map(([name, value]) => [name, show(value)]))
  }
  const [name, rows] = first
  if (rows.length === 0) {
    return `No ${name.replaceAll('_', ' ')}.`
  }
  return align([Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(show))])
}

function align(lines: string[][]): string {
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}

function show(value: unknown): string {
  if (value === null) {
    return '-'
  }
  return onOneLine(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
