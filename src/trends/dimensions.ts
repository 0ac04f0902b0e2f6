import type { Dimension } from '../columns/selection.ts'
import type { Json } from '../input/json.ts'
import { numberOfValue, textOfValue } from '../properties/decide.ts'
import { binOf } from './bins.ts'
import type { BinnedBreakdown } from './query.ts'
import { NONE, OTHER } from './value-names.ts'

/** Returns the dimension by which a breakdown groups events. */
export const toDimension = (breakdown: BinnedBreakdown): Dimension => ({
  property: breakdown,
  textOf: (value) => textOf(value, breakdown)
})

/**
 * Returns the text of a value, null for a missing value, an empty text, or a text that means
 * "Other" or "None" in an answer. For a breakdown with bins, returns the name of a number's bin,
 * null for anything but a number.
 */
function textOf(value: Json, { binCount, bins }: BinnedBreakdown): string | null {
  if (binCount === undefined) {
    const text = textOfValue(value)
    return text === '' || text === NONE || text === OTHER ? null : text
  }
  const number = numberOfValue(value)
  return bins && !Number.isNaN(number) ? binOf(bins, number) : null
}
