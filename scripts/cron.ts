import { readConfig } from './config.ts'
import { fireCron } from './control.ts'
import { stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'

/*
 * `npm run cron -- '<expression>'`: fires a Cron Trigger of wrangler.toml on the running local
 * service, now.
 */

const { crons } = readConfig().triggers
const [cron = '', ...others] = process.argv.slice(2)
try {
  if (!crons.includes(cron) || others.length > 0) {
    throw new OperatorError(
      `Name exactly one Cron Trigger of wrangler.toml: ${crons.map((known) => `npm run cron -- '${known}'`).join(' · ')}`
    )
  }
  await fireCron(stateDir, cron)
} catch (error) {
  console.error(error instanceof OperatorError ? error.message : error)
  process.exitCode = 1
}
