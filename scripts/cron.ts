import { readConfig } from './config.ts'
import { fireCron } from './control.ts'
import { stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run cron -- '<expression>'

Fires a Cron Trigger of wrangler.toml on the running local service, now.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })
const [cron = '', ...others] = positionals
const { crons } = readConfig().triggers
if (!crons.includes(cron) || others.length > 0) {
  throw new OperatorError(
    `Name exactly one Cron Trigger of wrangler.toml: ${crons.map((known) => `npm run cron -- '${known}'`).join(' · ')}`
  )
}
await fireCron(stateDir, cron)
