import { isBusy } from '../src/db/client.ts'
import { AppError } from '../src/errors.ts'
import { nameOption, readArguments, UsageError } from './admin/arguments.ts'
import { type Command, InputError } from './admin/command.ts'
import { counts } from './admin/counts.ts'
import { dead } from './admin/dead.ts'
import { key } from './admin/key.ts'
import { project } from './admin/project.ts'
import { purge } from './admin/purge.ts'
import { render } from './admin/render.ts'
import { user } from './admin/user.ts'
import { OperatorError, openLocal, patiently } from './local.ts'
import { openRemote } from './remote.ts'

const NOUNS: Record<string, Record<string, Command>> = { key, project, user, dead, counts, purge }

const [noun = '', verb = '', ...args] = process.argv.slice(2)

/** A command that takes longer has lost its database. */
const TIMEOUT_MS = 90_000

const giveUp = () => {
  console.error(
    'The database does not answer. Nothing may have been changed: look before you try again.'
  )
  process.exit(1)
}
const timeout = setTimeout(giveUp, TIMEOUT_MS).unref()

try {
  await main()
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}

async function main(): Promise<void> {
  if ([verb, ...args].some((argument) => argument === '--help' || argument === '-h')) {
    return console.log(usage())
  }
  const command = NOUNS[noun]?.[verb]
  if (!command) {
    throw new UsageError(`Unknown command: ${noun} ${verb}`.trimEnd())
  }
  const { input, isJson, isRemote } = readArguments(command, args)
  if (command.isLong) {
    clearTimeout(timeout)
  }

  const service = await (isRemote ? openRemote() : openLocal())
  try {
    const answer = await patiently(() => command.run(service, input, new Date()))
    console.log(isJson ? JSON.stringify(answer) : render(answer))
  } finally {
    await service.close()
  }
}

function explain(error: unknown): unknown {
  if (error instanceof UsageError) {
    return `${error.message}\n\n${usage()}`
  }
  if (error instanceof InputError) {
    return `${nameOption(error.option)}: ${error.message}`
  }
  if (error instanceof AppError) {
    return error.attr ? `${nameOption(error.attr)}: ${error.message}` : error.message
  }
  if (error instanceof OperatorError) {
    return error.message
  }
  if (isBusy(error)) {
    return 'Another process keeps the local databases busy: try again.'
  }
  return error instanceof Error && error.cause ? explain(error.cause) : error
}

function usage(): string {
  const nouns = noun in NOUNS ? [noun] : Object.keys(NOUNS)
  const commands = nouns.flatMap((name) =>
    Object.entries(NOUNS[name] ?? {}).map(([verb, { script = `${name} -- ${verb}`, usage }]) =>
      `npm run ${script} ${usage}`.trimEnd()
    )
  )
  return `${commands.join('\n')}

--json    one JSON object on standard output, with npm run --silent nothing else
--remote  the deployed service instead of the local one`
}
