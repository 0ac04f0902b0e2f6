import { isBusy } from '../../src/db/client.ts'
import { AppError } from '../../src/errors.ts'
import { BUSY } from '../busy.ts'
import { describeFault, isDiskUnwritable } from '../faults.ts'
import type { Service } from '../local.ts'
import { accessLog } from './access-log.ts'
import { type Invocation, nameOption, readArguments, UsageError } from './arguments.ts'
import { columns } from './columns.ts'
import { type Command, InputError } from './command.ts'
import { counts } from './counts.ts'
import { dead } from './dead.ts'
import { key } from './key.ts'
import { ledger } from './ledger.ts'
import { maintenance } from './maintenance.ts'
import { project } from './project.ts'
import { purge } from './purge.ts'
import { render } from './render.ts'
import { user } from './user.ts'

const NOUNS: Record<string, Record<string, Command>> = {
  key,
  project,
  user,
  dead,
  counts,
  columns,
  ledger,
  maintenance,
  purge,
  'access-log': accessLog
}

const commandsOf = (noun: string): Record<string, Command> =>
  Object.hasOwn(NOUNS, noun) ? (NOUNS[noun] ?? {}) : {}

/** Opens the databases that a command works on. */
export type Open = (isRemote: boolean) => Promise<Service>

/** Reads a command line: noun, verb, arguments. @throws UsageError, InputError */
export function readCommand([noun = '', verb = '', ...args]: string[]): Invocation {
  const commands = commandsOf(noun)
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined
  if (!command) {
    throw new UsageError(`Unknown command: ${noun} ${verb}`.trimEnd())
  }
  return readArguments(command, args)
}

/**
 * Runs a command and returns the text to print: aligned columns, or JSON with `--json`. `open` is
 * not called if the command has `runDeployed` and is run with `--remote`.
 */
export async function runCommand(invocation: Invocation, open: Open): Promise<string> {
  const { isJson } = invocation
  const answer = await answerOf(invocation, open)
  return isJson ? JSON.stringify(answer) : render(answer)
}

async function answerOf({ command, input, isRemote }: Invocation, open: Open): Promise<object> {
  if (isRemote && command.runDeployed) {
    return command.runDeployed(input)
  }
  const service = await open(isRemote)
  try {
    return await command.run(service, input, new Date())
  } finally {
    await service.close()
  }
}

/** Describes an error of a command for the operator, with the usage of the noun if the command line is wrong. */
export function explain(error: unknown, noun: string): string {
  if (error instanceof UsageError) {
    return `${error.message}\n\n${usageOf(noun)}`
  }
  if (error instanceof InputError) {
    return `${nameOption(error.option)}: ${error.message}`
  }
  // A busy database also makes an AppError, whose message says less.
  if (isBusy(error)) {
    return BUSY
  }
  if (error instanceof AppError && !isDiskUnwritable(error)) {
    return error.attr ? `${nameOption(error.attr)}: ${error.message}` : error.message
  }
  return describeFault(error)
}

/** Lists the commands of a noun, or all commands if the noun is unknown. */
export function usageOf(noun: string): string {
  const nouns = Object.hasOwn(NOUNS, noun) ? [noun] : Object.keys(NOUNS)
  const commands = nouns.flatMap((name) =>
    Object.entries(commandsOf(name)).map(([verb, { script, usage }]) => {
      const npmArguments = script ?? `${name} -- ${verb}`
      return `npm run ${npmArguments} ${usage}`.trimEnd()
    })
  )
  return `${commands.join('\n')}

--json    prints one JSON object; npm run --silent leaves out npm's own lines
--remote  works on the deployed service instead of the local one`
}
