import { parseArgs } from 'node:util'
import { answerHelp } from '../scripts/usage.ts'
import { benchCapture } from './capture.ts'
import { benchCharts } from './charts.ts'
import { benchCosts } from './costs.ts'
import { benchDeliveries } from './deliveries.ts'
import { benchExport } from './export.ts'
import { benchGrowth } from './growth.ts'
import { benchHttp } from './http.ts'
import { benchKill } from './kill.ts'
import { benchLatency } from './latency.ts'
import { benchPurge } from './purge.ts'
import { benchQuestions } from './questions.ts'
import { benchSeal } from './seal.ts'
import { benchSimilar } from './similar.ts'
import { benchSize } from './size.ts'
import { benchSoak } from './soak.ts'
import { benchStatements } from './statements.ts'
import { describeConditions, type Outcome, record, render, renderMissed } from './support/report.ts'
import { benchTrend } from './trend.ts'

type Part = (isSmoke: boolean, isFull: boolean) => Promise<Outcome>

/**
 * The parts, in the order in which a run without named parts measures them. In such a run, or with `--full`, `growth` also
 * measures ten million events, which takes three quarters of an hour and 9 GB of disk; `--smoke` leaves them out.
 */
const PARTS: Record<string, Part> = {
  size: benchSize,
  http: benchHttp,
  export: benchExport,
  capture: benchCapture,
  charts: benchCharts,
  costs: benchCosts,
  purge: benchPurge,
  latency: benchLatency,
  trend: benchTrend,
  questions: benchQuestions,
  statements: benchStatements,
  growth: benchGrowth,
  seal: benchSeal,
  deliveries: benchDeliveries,
  similar: benchSimilar,
  kill: benchKill,
  soak: benchSoak
}
const USAGE = `Usage: npm run bench -- [--smoke] [--full] [part…]. Parts: ${Object.keys(PARTS).join(', ')}.`

type CommandLine = { parts: [name: string, part: Part][]; isSmoke: boolean; isFull: boolean }

/** Reads the parts and options of the command line; undefined if one of them is unknown. Answers `--help`. */
function readParts(): CommandLine | undefined {
  answerHelp(USAGE)
  try {
    const { values, positionals } = parseArgs({
      options: {
        smoke: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false }
      },
      allowPositionals: true
    })
    const isAll = positionals.length === 0
    const names = isAll ? Object.keys(PARTS) : positionals
    const parts = names.flatMap((name) => Object.entries(PARTS).filter(([known]) => known === name))
    return parts.length === names.length
      ? { parts, isSmoke: values.smoke, isFull: values.full || isAll }
      : undefined
  } catch {
    return undefined
  }
}

/** Measures a part and prints its figures. Except in a smoke run, records them, and fails the process if a target is missed. */
async function measure(
  [name, part]: CommandLine['parts'][number],
  { isSmoke, isFull }: CommandLine
): Promise<void> {
  const conditions = describeConditions()
  const outcome = await part(isSmoke, isFull)
  const figures = render(outcome)
  if (isSmoke) {
    console.log(`## ${name}\n\nA smoke run: ignore these figures.\n\n${figures}\n`)
    return
  }
  const text = `${conditions}\n\n${figures}\n${renderMissed(outcome)}`
  console.log(`## ${name}\n\n${text}\n`)
  record(name, text)
  if (outcome.missed.length > 0) {
    process.exitCode = 1
  }
}

const commandLine = readParts()
if (commandLine) {
  for (const part of commandLine.parts) {
    await measure(part, commandLine)
  }
} else {
  console.error(USAGE)
  process.exitCode = 1
}
