import { z } from 'zod'
import type { Service } from '../local.ts'

export type Option = {
  /**
   * Converts the option's text.
   * @throws an error whose message is printed after the option's name: `must be JSON`
   */
  read(text: string): unknown
  /** The option may be given several times. */
  isList?: true
}

export type Command<Input = unknown> = {
  /** The npm script of this command, if it has its own. */
  script?: string
  /** Set for a command that may take minutes: it has no time limit. */
  isLongRunning?: true
  /** The arguments as the help shows them: `<id> [--name <text>]`. */
  usage: string
  /** Options, keyed by the schema member that each sets. `id` is the command's only positional argument. */
  options: Record<string, Option>
  schema: z.ZodType<Input>
  /** Returns the answer. It is printed as text or, with `--json`, as one JSON object. */
  run(service: Service, input: Input, now: Date): Promise<object>
  /** With `--remote`, replaces `run` and is called without opening the deployed databases. */
  runDeployed?(input: Input): Promise<object>
}

/** Lets the compiler check that a command's `run` accepts the output of its schema. */
export const command = <Input>(definition: Command<Input>): Command => definition

/** An error about one option or the id, such as an invalid value. Its message is printed after the name. */
export class InputError extends Error {
  readonly option: string

  constructor(option: string, message: string) {
    super(message)
    this.option = option
  }
}

export const Nothing = z.object({})

export const Id = z.int().positive('must be an id, a positive whole number')

/** Arguments of `refine` for the schema of an update: it needs at least one member besides the id. */
export const changeRule = [
  (input: object) => Object.keys(input).length > 1,
  'Nothing to change: add at least one option'
] as const

export const text: Option = { read: (value) => value }

export const integer: Option = { read: readInteger }

export const json: Option = { read: readJson }

/** `true`, `false`, or `null`, which removes the value. */
export const boolean: Option = { read: readBoolean }

export const onOff: Option = { read: readOnOff }

export const decimal: Option = { read: readDecimal }

export const list: Option = { read: split, isList: true }

export const integers: Option = { read: (value) => split(value).map(readInteger), isList: true }

/** `null` on the command line removes the value. */
export const nullable: Option = { read: (value) => (value === 'null' ? null : value) }

function split(value: string): string[] {
  return value.split(',').map((item) => item.trim())
}

function readInteger(value: string): number {
  if (!/^\d{1,15}$/.test(value)) {
    throw new Error(`must be a whole number; got '${value}'`)
  }
  return Number(value)
}

function readDecimal(value: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(value)) {
    throw new Error(`must be a number such as 0.5; got '${value}'`)
  }
  return Number(value)
}

function readOnOff(value: string): boolean {
  if (value !== 'on' && value !== 'off') {
    throw new Error(`must be on or off; got '${value}'`)
  }
  return value === 'on'
}

function readBoolean(value: string): boolean | null {
  if (!/^(true|false|null)$/.test(value)) {
    throw new Error(`must be true, false or null; got '${value}'`)
  }
  return value === 'null' ? null : value === 'true'
}

function readJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new Error('must be JSON')
  }
}
