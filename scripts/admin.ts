import { explain, readCommand, runCommand, usageOf } from './admin/run.ts'
import { OperatorError } from './faults.ts'
import { openLocal } from './local.ts'
import { openRemote } from './remote.ts'
import { answerHelp } from './usage.ts'

/** Time after which a command gives up, ms: the database does not answer. */
const TIMEOUT_MS = 90_000

const words = process.argv.slice(2)
const [noun = ''] = words

try {
  answerHelp(usageOf(noun))
  const invocation = readCommand(words)
  if (!invocation.command.isLongRunning) {
    setTimeout(giveUp, TIMEOUT_MS).unref()
  }
  console.log(await runCommand(invocation, (isRemote) => (isRemote ? openRemote() : openLocal())))
} catch (error) {
  throw new OperatorError(explain(error, noun), { cause: error })
}

function giveUp(): never {
  console.error(
    'The database does not answer. The command may or may not have taken effect: check with a list command before you try again.'
  )
  process.exit(1)
}
