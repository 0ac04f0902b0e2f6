import { MINUTE } from '../calendar/units.ts'

/**
 * The unit to which a correction is rounded, ms, so that it does not follow the travel time of each
 * request.
 */
const STEP = 5 * MINUTE
/** Largest difference between the skew of a part and the correction of its recording, ms. */
const MAX_DIFFERENCE = STEP

/**
 * Returns the correction of a part's times, ms: the recording's, unless the visitor's clock has
 * been set since. A recording without a correction, and a part that differs by much, get the skew,
 * rounded.
 * @param skew how far the visitor's clock was ahead when the part was sent, ms
 */
export const correctionOf = (skew: number, recording?: number): number =>
  recording !== undefined && Math.abs(skew - recording) <= MAX_DIFFERENCE
    ? recording
    : roundSkew(skew)

/** Returns the correction with which a recording begins whose first part has this skew, ms. */
export const roundSkew = (skew: number): number =>
  // Never -0, as which a small negative number would be rounded.
  Math.round(skew / STEP) * STEP || 0
