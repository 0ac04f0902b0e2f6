import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'

/**
 * Finds a bucket by its name in an answer's `days`, or by its place there.
 * @throws invalid_input, attr `day`, also for the name of two buckets: the clock was set back
 */
export function findBucket(days: readonly string[], day: string | number): number {
  const place = typeof day === 'number' ? day : days.indexOf(day)
  if (!Number.isInteger(place) || place < 0 || place >= days.length) {
    throw new AppError(
      'invalid_input',
      `\`day\` must be one of the answer's \`days\`, such as ${days[0]}, or its place from 0 to ${days.length - 1}; got ${show(day)}.`,
      'day'
    )
  }
  if (typeof day === 'string' && days.lastIndexOf(day) !== place) {
    throw new AppError(
      'invalid_input',
      `${show(day)} is two buckets, because the clock was set back: send the place of one, such as ${place}.`,
      'day'
    )
  }
  return place
}
