import { cronOf } from '../src/jobs/cron.ts'
import { type CronRun, listRuns } from '../src/jobs/store.ts'
import { readConfig } from './config.ts'
import { fireCron } from './control.ts'
import { stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { openLocal } from './local.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run cron -- '<expression>'

Fires a Cron Trigger of wrangler.toml on the running local service, now. Fails if one of its jobs does.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })
const [cron = '', ...others] = positionals
const { crons } = readConfig().triggers
if (!crons.includes(cron) || others.length > 0) {
  throw new OperatorError(
    `Name exactly one Cron Trigger of wrangler.toml: ${crons.map((known) => `npm run cron -- '${known}'`).join(' · ')}`
  )
}
const before = Date.now()
await fireCron(stateDir, cron)
const { jobs, startedAt, finishedAt } = await readRun()
console.log(`Ran ${jobs.map(({ job }) => job).join(', ')}, in ${finishedAt - startedAt} ms.`)
for (const { job, failures } of jobs) {
  for (const { database, error } of failures) {
    console.error(`The job "${job}" failed${database ? ` in ${database}` : ''}: ${error}`)
    process.exitCode = 1
  }
}

/**
 * Reads what the service has noted about the run.
 * @throws OperatorError if it could not note anything
 */
async function readRun(): Promise<CronRun> {
  const service = await openLocal()
  try {
    const runs = await listRuns(service.db)
    const run = runs.find((one) => one.cron === cronOf(cron) && one.startedAt >= before)
    if (!run) {
      throw new OperatorError('The run could not be recorded; the log of the service says why.')
    }
    return run
  } finally {
    await service.close()
  }
}
