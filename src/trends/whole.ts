import { Grouping } from '../columns/grouping.ts'
import type { Db } from '../db/client.ts'
import { collect } from './cells.ts'
import {
  type Ahead,
  type Asked,
  accumulatorOf,
  type Binned,
  type BrokenDown
} from './computation.ts'
import { countFeed } from './count.ts'
import { toDimension } from './dimensions.ts'
import type { Accumulator, Counted, Piece, Rows } from './maths/accumulator.ts'
import type { ProjectCalendar } from './periods.ts'
import { feedOf, isCountedBySlots, type TrendPart } from './plan.ts'
import { comparisonOf, type TrendQuery } from './query.ts'
import { beginTrend, type CountedTrend, computeTrend, countTrend } from './trend.ts'

/*
 * The number of a whole range does not follow from the points of its chart: the unique persons of a
 * week are not the sum of those of its days. But both are computed from the same events, so these
 * are read once, and given to an accumulator for each.
 */

/**
 * Asks for one number for the whole period, and one for the period before or the one that the query
 * compares with. For actors and percentiles, this is not the sum of the points.
 */
const inOneNumber = (query: TrendQuery): TrendQuery => ({
  ...query,
  display: 'ActionsTable',
  compare: comparisonOf(query),
  smoothing: 1
})

/**
 * Computes a trend `inOneNumber`. If its points are wanted next, counts ahead those that need the
 * same events.
 * @returns the numbers, and `complete`, which computes the trend as it was asked and throws its
 * errors
 */
export async function computeWhole(
  db: Db,
  project: ProjectCalendar,
  { isCompleted, ...asked }: Asked & { isCompleted: boolean }
): Promise<CountedTrend & { complete: () => Promise<CountedTrend> }> {
  const whole = await beginTrend(db, project, { ...asked, query: inOneNumber(asked.query) })
  if (!isCompleted) {
    return { ...(await countTrend(whole)), complete: () => computeTrend(db, project, asked) }
  }
  const { overviews: found, knowledge } = whole
  const reading = beginTrend(db, project, { ...asked, found, knowledge }).then(async (points) => ({
    points,
    ahead: await countAhead(whole, points)
  }))
  // An error of the points is none of the numbers.
  const [read] = await Promise.allSettled([reading])
  const ahead = read.status === 'fulfilled' ? read.value.ahead.whole : []
  return {
    ...(await countTrend(whole, { ahead })),
    async complete() {
      const { points, ahead } = await reading
      return countTrend(points, { ahead: ahead.points })
    }
  }
}

/** Counts the parts that both trends have, of the same events. */
async function countAhead(whole: Binned, points: Binned): Promise<{ whole: Ahead; points: Ahead }> {
  const both: ({ whole: BrokenDown; points: BrokenDown } | undefined)[][] = []
  for (const [i, seriesParts] of points.parts.entries()) {
    const seriesBoth: (typeof both)[number] = []
    for (const [p, part] of seriesParts.entries()) {
      const own = whole.parts[i]?.[p]
      seriesBoth.push(
        own && isWithin(points.query, own, part) ? await countBoth(points, part, own) : undefined
      )
    }
    both.push(seriesBoth)
  }
  return {
    whole: both.map((seriesBoth) => seriesBoth.map((one) => one?.whole)),
    points: both.map((seriesBoth) => seriesBoth.map((one) => one?.points))
  }
}

/**
 * Whether the events of one part are among those that are read for the other, in the same way. Bins
 * depend on the events of all parts, so those of the two trends may differ.
 */
function isWithin(query: TrendQuery, own: TrendPart, part: TrendPart): boolean {
  const [ownFirst, first] = [own.pieces[0], part.pieces[0]]
  const [ownLast, last] = [own.pieces.at(-1), part.pieces.at(-1)]
  if (!ownFirst || !first || !ownLast || !last) {
    return false
  }
  return (
    own.math === part.math &&
    first.since <= ownFirst.since &&
    ownLast.until <= last.until &&
    query.breakdowns.every(({ binCount }) => binCount === undefined) &&
    !isCountedBySlots(own, query) &&
    !isCountedBySlots(part, query)
  )
}

/** Counts a part of points and, within it, a part of one number, from one read of the events. */
async function countBoth(
  { query, knowledge }: Binned,
  part: TrendPart,
  own: TrendPart
): Promise<{ whole: BrokenDown; points: BrokenDown }> {
  const grouping = new Grouping()
  const pieces = cutAt(
    part.pieces,
    own.pieces.flatMap(({ since, until }) => [since, until])
  )
  const feed = feedOf({ ...part, pieces }, query.breakdowns.map(toDimension))
  const whole = accumulatorOf(own)
  const accumulator = new Beside(accumulatorOf(part), whole, own.pieces)
  const points = await collect(countFeed(knowledge, feed, grouping, accumulator))
  const number = await collect([whole.finish(0), whole.end()])
  return { whole: { ...number, grouping }, points: { ...points, grouping } }
}

/** Cuts pieces at these times; both halves belong to the same point. */
const cutAt = (pieces: readonly Piece[], times: readonly number[]): Piece[] =>
  times.reduce<Piece[]>(
    (cut, time) =>
      cut.flatMap((piece) =>
        piece.since < time && time < piece.until
          ? [
              { ...piece, until: time },
              { ...piece, since: time }
            ]
          : [piece]
      ),
    [...pieces]
  )

/** Accumulates points, and gives the events of some pieces to another accumulator, too. */
class Beside implements Accumulator {
  readonly #points: Accumulator
  readonly #other: Accumulator
  readonly #pieces: readonly Piece[]

  /** @param pieces each contains a piece of the points as a whole, or none of it */
  constructor(points: Accumulator, other: Accumulator, pieces: readonly Piece[]) {
    this.#points = points
    this.#other = other
    this.#pieces = pieces
  }

  add(rows: Rows, from: number, until: number, piece: Piece): void {
    this.#points.add(rows, from, until, piece)
    const own = this.#pieces.find((one) => one.since <= piece.since && piece.until <= one.until)
    if (own) {
      this.#other.add(rows, from, until, own)
    }
  }

  finish = (point: number): Iterable<Counted> => this.#points.finish(point)

  end = (): Iterable<Counted> => this.#points.end()
}
