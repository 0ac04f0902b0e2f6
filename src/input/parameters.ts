import * as z from 'zod'
import { faultOf, parseJson } from './json.ts'

/** A whole number from `least` on, as a parameter. */
export const wholeFrom = (least: number) =>
  z
    .string()
    .refine((text) => /^(?!-0*$)-?\d{1,15}$/.test(text), 'A valid integer is required.')
    .transform(Number)
    .refine((value) => value >= least, {
      error: `Ensure this value is greater than or equal to ${least}.`,
      abort: true
    })
    .meta({ type: 'integer', minimum: least })

/** A number of things, or of one thing, as a parameter. */
export const Whole = wholeFrom(0)

/** A switch in a query string. Only these words: whoever writes `no` does not mean yes. */
export const Flag = z
  .string()
  .refine((text) => /^(true|false|1|0)$/i.test(text), 'Must be a valid boolean.')
  .transform((text) => /^(true|1)$/i.test(text))
  .meta({ type: 'boolean' })

/** Lists and objects that clients send as JSON text, in URLs or because they once had them there. */
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

/** An id in a path; what is no number is no id of anything, which 0 is neither. */
export const KnownId = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : 0))
  .meta({ type: 'integer', description: 'The integer id.' })
