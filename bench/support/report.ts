import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { root } from './runtime.ts'

/** Result of a part of the bench: a table with its head, notes, and the missed targets. */
export type Outcome = { table: string[][]; notes: string[]; missed: string[] }

const readme = join(root, 'bench/README.md')

/**
 * Returns a percentile by nearest rank. For `p` 0.95, it is the smallest value for which at least 95 %
 * of the values are the same or lower.
 */
export function percentile(values: number[], p: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(p * values.length) - 1]
  if (value === undefined) {
    throw new Error('There are no values.')
  }
  return value
}

export const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)

/** Renders an outcome's table and notes as Markdown. */
export const render = ({ table, notes }: Outcome): string =>
  `${renderTable(table)}\n\n${notes.join('\n')}`

export const renderMissed = ({ missed }: Outcome): string =>
  missed.length > 0 ? `**Missed:** ${missed.join(' · ')}.` : 'All targets are met.'

function renderTable([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n'
  )
}

/**
 * Describes date, commit and machine with its load. Call it before a part runs, as the part adds
 * load of its own.
 */
export function describeConditions(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const isChanged =
    git(
      'status',
      '--porcelain',
      '--',
      'src',
      'migrations',
      'wrangler.toml',
      'package-lock.json'
    ) !== ''
  const commit = `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with uncommitted changes' : ''}`
  const workerd: { version: string } = createRequire(import.meta.url)('workerd/package.json')
  const cores = availableParallelism()
  const [load = 0] = loadavg()
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${cores} cores (load ${load.toFixed(1)} before), Node ${process.versions.node}, workerd ${workerd.version}.`
}

/** Replaces a part's section in `bench/README.md`. */
export function record(part: string, text: string): void {
  const before = readFileSync(readme, 'utf8')
  const section = new RegExp(`(<!-- ${part} -->\n).*?(<!-- /${part} -->)`, 's')
  if (!section.test(before)) {
    throw new Error(`bench/README.md has no section ${part}.`)
  }
  writeFileSync(
    readme,
    before.replace(section, (_, start: string, end: string) => `${start}${text}\n${end}`)
  )
}
