import type { Calendar } from '../calendar/buckets.ts'
import { noDate, readFrom } from '../calendar/dates.ts'
import { AppError } from '../errors.ts'

/** The parameters of a request that limit the times of events. */
type Texts = { after?: string | undefined; before?: string | undefined }

/** Times, ms UTC: at or after `from`, before `until`. */
type Range = { from: number | undefined; until: number | undefined }

/** Reads the range of time to search. @throws invalid_input, attr `after` or `before` */
export function readRange({ after, before }: Texts, calendar: Calendar, now: Date): Range {
  const timeOf = (attr: string, text: string | undefined): number | undefined => {
    const time = text === undefined ? undefined : readFrom(text, calendar, now)
    if (text !== undefined && time === undefined) {
      throw noDate(text, attr)
    }
    return time
  }
  const [from, until] = [timeOf('after', after), timeOf('before', before)]
  // An empty range is no error: a connector that is up to date asks for one.
  if (from !== undefined && until !== undefined && from > until) {
    throw new AppError('invalid_input', '`after` must not be later than `before`.', 'after')
  }
  return { from, until }
}
