import { resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Prints the usage on standard output and ends the process if its command line asks for help. */
export function answerHelp(usage: string): void {
  if (process.argv.some((word) => word === '--help' || word === '-h')) {
    console.log(usage)
    process.exit(0)
  }
}

/**
 * Reads the command line of this process, which may only have the options and arguments in `config`. Prints the usage and
 * ends the process if the command line asks for help, or is wrong.
 */
export function readCommandLine<const T extends ParseArgsConfig>(usage: string, config: T) {
  answerHelp(usage)
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${describeWrongArgument(error)}\n\n${usage}`)
    process.exit(1)
  }
}

/** Returns the first sentence of Node's message; the second explains arguments that begin with a dash. */
export const describeWrongArgument = (error: unknown): string | undefined =>
  error instanceof Error ? error.message.split('. ')[0] : String(error)

/**
 * Resolves the name of a file as the user means it: npm runs scripts in the folder of package.json.
 */
export const fileNamed = (name: string): string => resolve(process.env.INIT_CWD ?? '', name)
