import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'
import type { SeriesQuery, TrendQuery } from '../trends/query.ts'

/** The maths that clients send with series whose actors are counted. */
const ACCEPTED: readonly string[] = ['total', 'dau']

/**
 * Makes all series of a query count actors.
 * @throws invalid_input, attr the path of the math, for a math other than `dau` and `total`
 */
export const countActors = ({ series, ...query }: TrendQuery): TrendQuery => ({
  ...query,
  series: series.map((one, i): SeriesQuery => {
    if (!ACCEPTED.includes(one.math)) {
      throw new AppError(
        'invalid_input',
        `This kind of question counts actors: leave \`math\` out, or send \`dau\`; got ${show(one.math)}.`,
        `series__${i}__math`
      )
    }
    return { ...one, math: 'dau' }
  })
})
