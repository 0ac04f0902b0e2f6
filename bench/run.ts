import { parseArgs } from 'node:util'
import { benchCapture } from './capture.ts'
import { benchCharts } from './charts.ts'
import { benchCosts } from './costs.ts'
import { benchDeliveries } from './deliveries.ts'
import { benchExport } from './export.ts'
import { benchGrowth } from './growth.ts'
import { benchHttp } from './http.ts'
import { benchKill } from './kill.ts'
import { benchPurge } from './purge.ts'
import { benchSeal } from './seal.ts'
import { benchSimilar } from './similar.ts'
import { benchSize } from './size.ts'
import { benchSoak } from './soak.ts'
import { describeConditions, type Outcome, record, render, renderMissed } from './support/report.ts'
import { benchTrend } from './trend.ts'

const { values, positionals } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false }
  },
  allowPositionals: true
})
/** Whether `growth` also measures ten million events, which takes half an hour and 7 GB of disk. */
const isFull = values.full || positionals.length === 0

const PARTS: Record<string, (isSmoke: boolean) => Promise<Outcome>> = {
  size: benchSize,
  http: benchHttp,
  export: benchExport,
  capture: benchCapture,
  charts: benchCharts,
  costs: benchCosts,
  purge: benchPurge,
  trend: benchTrend,
  growth: (isSmoke) => benchGrowth(isSmoke, isFull),
  seal: benchSeal,
  deliveries: benchDeliveries,
  similar: benchSimilar,
  kill: benchKill,
  soak: benchSoak
}

const parts = (positionals.length > 0 ? positionals : Object.keys(PARTS)).map((name) => {
  const run = PARTS[name]
  if (!run) {
    throw new Error(`There is no part ${name}. Choose from: ${Object.keys(PARTS).join(', ')}.`)
  }
  return { name, run }
})

for (const { name, run } of parts) {
  const conditions = describeConditions()
  const outcome = await run(values.smoke)
  const figures = render(outcome)
  if (values.smoke) {
    console.log(`## ${name}\n\nA smoke run: ignore these figures.\n\n${figures}\n`)
  } else {
    const text = `${conditions}\n\n${figures}\n${renderMissed(outcome)}`
    console.log(`## ${name}\n\n${text}\n`)
    record(name, text)
    if (outcome.missed.length > 0) {
      process.exitCode = 1
    }
  }
}
