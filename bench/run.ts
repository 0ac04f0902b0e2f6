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
import { benchSimilar } from './similar.ts'
import { benchSize } from './size.ts'
import { benchSoak } from './soak.ts'
import { describeConditions, type Outcome, record, render, renderMissed } from './support/report.ts'
import { benchTrend } from './trend.ts'

const PARTS: Record<string, (isSmoke: boolean) => Promise<Outcome>> = {
  size: benchSize,
  http: benchHttp,
  export: benchExport,
  capture: benchCapture,
  charts: benchCharts,
  costs: benchCosts,
  purge: benchPurge,
  trend: benchTrend,
  growth: benchGrowth,
  deliveries: benchDeliveries,
  similar: benchSimilar,
  kill: benchKill,
  soak: benchSoak
}

const { values, positionals } = parseArgs({
  options: { smoke: { type: 'boolean', default: false } },
  allowPositionals: true
})

for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const part = PARTS[name]
  if (!part) {
    throw new Error(`There is no part ${name}. Choose from: ${Object.keys(PARTS).join(', ')}.`)
  }
  const conditions = describeConditions()
  const outcome = await part(values.smoke)
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
