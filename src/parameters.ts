import { z } from 'zod'

/** A number of things, or of one thing, as a parameter. */
export const Whole = z
  .string()
  .refine((text) => /^\d{1,15}$/.test(text), 'A valid integer is required.')
  .transform(Number)
  .meta({ type: 'integer', minimum: 0 })
