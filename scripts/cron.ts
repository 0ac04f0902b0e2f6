import { fireCron } from './control.ts'
import { OperatorError, readConfig, stateDir } from './local.ts'

/*
 * npm run cron -- '<expression>': fires a Cron Trigger of wrangler.toml now.
 */

const { crons } = readConfig().triggers
const [cron = '', ...others] = process.argv.slice(2)
try {
  if (!crons.includes(cron) || others.length > 0) {
    throw new OperatorError(
      `Choose one of the Cron Triggers: ${crons.map((one) => `npm run cron -- '${one}'`).join(' · ')}`
    )
  }
  await fireCron(stateDir, cron)
} catch (error) {
  console.error(error instanceof OperatorError ? error.message : error)
  process.exitCode = 1
}
