import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { z } from 'zod'
import { describeWrongArgument } from '../usage.ts'
import { type Command, InputError, type Option } from './command.ts'

/** An error in the command line. Printed with the usage. */
export class UsageError extends Error {}

export type Invocation = { command: Command; input: unknown; isJson: boolean; isRemote: boolean }

/** Reads the options of a command. @throws UsageError, or InputError for an invalid value */
export function readArguments(command: Command, args: string[]): Invocation {
  const { values, positionals } = parse(Object.keys(command.options), args)
  if (positionals.length > ('id' in command.options ? 1 : 0)) {
    throw new UsageError(`Unexpected argument: ${positionals.at(-1)}`)
  }

  const given: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(command.options)) {
    const texts = [values[toFlag(name)], name === 'id' ? positionals : []]
      .flat()
      .filter((text) => typeof text === 'string')
    const [text, second] = texts
    if (text === undefined) {
      continue
    }
    if (second !== undefined && !option.isList) {
      throw new InputError(name, 'may be given only once')
    }
    given[name] = readOption(name, option, texts)
  }
  const input = command.schema.safeParse(given)
  if (!input.success) {
    throw inputError(input.error, given)
  }
  const { json, remote } = values
  return { command, input: input.data, isJson: json === true, isRemote: remote === true }
}

function readOption(name: string, option: Option, texts: string[]): unknown {
  try {
    const values = texts.map(option.read)
    return option.isList ? values.flat() : values[0]
  } catch (error) {
    throw new InputError(name, error instanceof Error ? error.message : String(error))
  }
}

/** Returns a schema member's name as written on the command line: `week_start` is `--week-start`. */
export const nameOption = (member: string) => (member === 'id' ? '<id>' : `--${toFlag(member)}`)

const toFlag = (member: string) => member.replaceAll('_', '-')

function parse(members: string[], args: string[]) {
  const options: ParseArgsOptionsConfig = { json: { type: 'boolean' }, remote: { type: 'boolean' } }
  for (const member of members) {
    options[toFlag(member)] = { type: 'string', multiple: true }
  }
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(describeWrongArgument(error))
  }
}

function inputError(error: z.ZodError, given: Record<string, unknown>): Error {
  const [issue] = error.issues
  const name = issue?.path[0]
  if (typeof name !== 'string') {
    return new UsageError(issue?.message)
  }
  if (!(name in given)) {
    return new UsageError(`${nameOption(name)} is required`)
  }
  return new InputError(name, issue?.message ?? 'is not valid')
}
