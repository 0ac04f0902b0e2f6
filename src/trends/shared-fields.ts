import * as z from 'zod'
import { saysSomething } from '../input/fields.ts'
import { jsonText } from '../input/parameters.ts'
import { MAX_SMOOTHING } from './query.ts'

export const Text = z.string().max(1_000).nullish()

/**
 * The name of an event; null for all events. It is required: if a missing name meant all events, a
 * name under a wrong key would be ignored.
 */
export const EventName = z.string().min(1).max(1_000).nullable()

/** A whole number or its digits as text, because parameters of a URL are text. */
export const whole = (schema: z.ZodInt) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    schema.nullish()
  )
const Count = whole(z.int().min(1))
export const Smoothing = whole(z.int().min(1).max(MAX_SMOOTHING))

const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false]
])
export const OptionalFlag = z.preprocess(
  (value) => FLAGS.get(value) ?? value,
  z.boolean().nullish()
)

/** Values by which older interfaces of PostHog say that a field is not set. */
const isNeutral = (value: unknown): boolean =>
  value === '' || value === 'undefined' || (Array.isArray(value) && value.length === 0)

/** Schema of a field of a filter object, in which a neutral value means that it is not given. */
export const unlessNeutral = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isNeutral(value) ? undefined : value), schema).optional()

/** A field that PostHog supports and this service does not: only an empty value is accepted. */
export const Unsupported = z
  .unknown()
  .refine((value) => !saysSomething(value), 'This is not supported.')
  .optional()

/** The fields of a series, besides its event. */
export const entity = {
  name: Text,
  custom_name: Text,
  math: Text,
  math_property: Text,
  math_property_type: Text,
  math_multiplier: Unsupported,
  math_property_revenue_currency: Unsupported,
  properties: z.unknown().optional()
}

const Breakdown = z.strictObject({
  property: z.string().min(1).max(400),
  type: Text,
  histogram_bin_count: Count,
  normalize_url: OptionalFlag,
  group_type_index: z.unknown().optional()
})

const ONE_BREAKDOWN =
  'A breakdown is the name of one property, as text. For several properties, send `breakdowns`.'

/** The fields of a breakdown. */
export const breakdown = {
  breakdown: z.union([z.string().max(400), z.null()], ONE_BREAKDOWN).optional(),
  breakdown_type: Text,
  breakdowns: jsonText(z.array(Breakdown).nullish()).optional(),
  breakdown_limit: Count,
  breakdown_hide_other_aggregation: OptionalFlag,
  breakdown_histogram_bin_count: Count,
  breakdown_normalize_url: OptionalFlag
}
