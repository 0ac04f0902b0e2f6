import { z } from 'zod'
import type { Service } from '../local.ts'

export type Option = {
  /** What its text means. Throws what is wrong with it. */
  read(text: string): unknown
  /** Whether it may be given several times. */
  isList?: true
}

export type Command<Input = unknown> = {
  /** The npm script that is this command, for one that has its own. */
  script?: string
  /** It may take minutes. */
  isLong?: true
  /** Its arguments, as the usage shows them. */
  usage: string
  /** By the names of the schema's members. A member `id` is the command's only argument. */
  options: Record<string, Option>
  schema: z.ZodType<Input>
  /** Its answer is printed, and is the one object of `--json`. */
  run(service: Service, input: Input, now: Date): Promise<object>
}

/** Holds a command's `run` to what its schema yields. */
export const command = <Input>(definition: Command<Input>): Command => definition

/** Wrong use of the command line, found by a command. */
export class InputError extends Error {
  readonly option: string

  constructor(option: string, message: string) {
    super(message)
    this.option = option
  }
}

export const Nothing = z.object({})

export const Id = z.int().positive('is not an id')

/** What an update has to pass: one member beside its id. */
export const isChange = [
  (input: object) => Object.keys(input).length > 1,
  'Nothing to change is given'
] as const

export const text: Option = { read: (value) => value }

export const integer: Option = { read: readInteger }

export const json: Option = { read: readJson }

export const boolean: Option = { read: readBoolean }

export const onOff: Option = { read: readOnOff }

export const decimal: Option = { read: readDecimal }

export const list: Option = { read: split, isList: true }

export const integers: Option = { read: (value) => split(value).map(readInteger), isList: true }

/** An absent value is `null` on the command line. */
export const nullable: Option = { read: (value) => (value === 'null' ? null : value) }

function split(value: string): string[] {
  return value.split(',').map((item) => item.trim())
}

function readInteger(value: string): number {
  if (!/^\d{1,15}$/.test(value)) {
    throw new Error(`'${value}' is not a whole number`)
  }
  return Number(value)
}

function readDecimal(value: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(value)) {
    throw new Error(`'${value}' is not a number`)
  }
  return Number(value)
}

function readOnOff(value: string): boolean {
  if (value !== 'on' && value !== 'off') {
    throw new Error(`'${value}' is neither on nor off`)
  }
  return value === 'on'
}

function readBoolean(value: string): boolean | null {
  if (!/^(true|false|null)$/.test(value)) {
    throw new Error(`'${value}' is not true, false or null`)
  }
  return value === 'null' ? null : value === 'true'
}

function readJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new Error('is not JSON')
  }
}
