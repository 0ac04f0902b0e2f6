import * as z from 'zod'
import { faultOf, parseJson } from './json.ts'

/** Schema of a parameter that is an integer of `least` or more. */
export const wholeFrom = (least: number) =>
  z
    .string()
    // `-0` is refused: it would become the negative zero.
    .refine((text) => /^(?!-0*$)-?\d{1,15}$/.test(text), 'A valid integer is required.')
    .transform(Number)
    .refine((value) => value >= least, {
      error: `Ensure this value is greater than or equal to ${least}.`,
      abort: true
    })
    .meta({ type: 'integer', minimum: least })

/** Schema of a parameter that is an integer of 0 or more, such as a count, an offset or an id. */
export const Whole = wholeFrom(0)

/** Schema of a parameter that filters by a text. */
export const SearchText = z
  .string()
  .max(1000)
  .refine((text) => !text.includes('\0'), 'Null characters are not allowed.')

/**
 * Schema of a parameter that says whose or which rows to find, such as a distinct id or an e-mail
 * address. An empty one is refused: without a filter, a list has the rows of everybody.
 */
export const IdentifyingText = SearchText.refine(
  (text) => text !== '',
  'This parameter is empty: name what to find, or leave it out.'
)

/** Schema of a boolean: `true`, `false`, `1` or `0`, so that `no` never counts as true. */
export const Flag = z
  .string()
  .refine((text) => /^(true|false|1|0)$/i.test(text), 'Must be a valid boolean.')
  .transform((text) => /^(true|1)$/i.test(text))
  .meta({ type: 'boolean' })

/**
 * Wraps the schema of a list or object so that it also accepts JSON text, which clients send in
 * URLs and in some bodies.
 */
export const jsonText = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value, ctx) => {
    if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) {
      return value
    }
    try {
      return parseJson(value)
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: faultOf(error) })
      return z.NEVER
    }
  }, schema)

/**
 * Schema of an integer id in a path. Anything but 1 to 15 digits becomes 0, which no row has, so
 * the response is a 404.
 */
export const KnownId = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : 0))
  .meta({ type: 'integer', description: 'The integer id.' })
