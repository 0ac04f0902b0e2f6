import type { Range } from '../calendar/buckets.ts'
import { joinTexts, OTHERS, type Value } from '../columns/grouping.ts'
import { AppError } from '../errors.ts'
import { parseJson } from '../input/json.ts'
import { show } from '../input/show.ts'
import type { Period } from './answer.ts'
import { findBin } from './bins.ts'
import type { Piece } from './maths/accumulator.ts'
import { BEFORE } from './maths/firsts.ts'
import { MATHS } from './maths/table.ts'
import type { TrendPart } from './plan.ts'
import { type BinnedQuery, isCumulative, type TrendQuery } from './query.ts'
import { NONE, OTHER } from './value-names.ts'

/** A point of a trend, as a request names it. */
export type AskedPoint = {
  /** The place of the series, from 0 on. */
  series: number
  /** The bucket as in `days` of the trend's answer, or its place in `data`. */
  bucket: string
  isPrevious: boolean
  /** The value of the breakdown as in `breakdown_value`; a list as JSON. */
  value: string | undefined
  /** Breakdown values that the trend's page skipped, which decides what is its "Other". */
  offset: number
}

/**
 * The number of an actor's events. `actor` is the id of a person, or the negated key of an identity
 * without a person.
 */
export type ActorCount = { actor: number; count: number }

/** The actors behind a point, most events first, and the range of time of these events. */
export type ActorCounts = Range & { counts: ActorCount[] }

/** Most events first; with equally many, persons before others, each sorted by id. */
export const byCount = (a: ActorCount, b: ActorCount): number =>
  b.count - a.count ||
  Number(b.actor > 0) - Number(a.actor > 0) ||
  Math.abs(a.actor) - Math.abs(b.actor)

/** Finds a point. @throws invalid_input or required, attr the field of the request */
export function findPoint(
  query: TrendQuery,
  periods: readonly Period[],
  { series, bucket, isPrevious }: AskedPoint
): { series: number; period: number; bucket: number } {
  const [formula] = query.formulas
  if (formula) {
    throw new AppError(
      'invalid_input',
      'A formula has no persons of its own: leave it out, and ask for one of its series.',
      formula.at
    )
  }
  if (series >= query.series.length) {
    throw new AppError(
      'invalid_input',
      `\`series\` must be less than ${query.series.length}, because the trend has ${query.series.length} series; got ${series}.`,
      'series'
    )
  }
  const period = periods[isPrevious ? 1 : 0]
  if (!period) {
    throw new AppError(
      'invalid_input',
      'The trend has no previous period: send `compare`, or leave `compare_label` out.',
      'compare_label'
    )
  }
  return { series, period: isPrevious ? 1 : 0, bucket: findBucket(period.days, bucket, 'bucket') }
}

/**
 * Finds a bucket by its name in an answer's `days`, or by its place there.
 * @param field the name of the field in the request
 * @throws invalid_input, attr `field`, also for the name of two buckets: the clock was set back
 */
export function findBucket(days: readonly string[], name: string, field: string): number {
  const isPlace = /^(0|[1-9]\d{0,4})$/.test(name)
  const place = isPlace ? Number(name) : days.indexOf(name)
  if (place < 0 || place >= days.length) {
    throw new AppError(
      'invalid_input',
      `\`${field}\` must be one of the answer's \`days\`, such as ${days[0]}, or its place from 0 to ${days.length - 1}; got ${show(name)}.`,
      field
    )
  }
  if (!isPlace && days.lastIndexOf(name) !== place) {
    throw new AppError(
      'invalid_input',
      `${show(name)} is two buckets, because the clock was set back: send the place of one, such as ${place}.`,
      field
    )
  }
  return place
}

/**
 * Narrows a part to the events from which a point is computed. A point of a cumulative display
 * includes the events of all earlier points; a point of active users includes the events of the
 * days in its window.
 */
export function partBehind(query: TrendQuery, part: TrendPart, point: number): TrendPart {
  return {
    ...part,
    pieces: piecesBehind(query, part, point),
    windows: undefined,
    isGrowing: false
  }
}

function piecesBehind(query: TrendQuery, part: TrendPart, point: number): Piece[] {
  const window = part.windows?.[point]
  if (window) {
    return [{ since: window.from, until: window.until, point: 0 }]
  }
  const isBehind = (piece: Piece): boolean =>
    isCumulative(query) ? piece.point !== BEFORE && piece.point <= point : piece.point === point
  const { first } = MATHS[part.math]
  // A math of first events also needs the earlier pieces: their actors have no first event at the
  // point.
  return part.pieces
    .filter((piece) => isBehind(piece) || (first && piece.point < point))
    .map((piece) => ({ ...piece, point: isBehind(piece) ? 0 : BEFORE }))
}

/** Returns the time in which the events behind a point lie. */
export function rangeBehind({ pieces }: TrendPart): Range {
  const own = pieces.filter(({ point }) => point !== BEFORE)
  return { from: own[0]?.since ?? 0, until: own.at(-1)?.until ?? 0 }
}

/**
 * Reads the names in `breakdown_value`, one for each breakdown; returns none without a breakdown.
 * @throws invalid_input or required, attr `breakdown_value`
 */
export function readValueNames(query: TrendQuery, { value }: AskedPoint): string[] {
  const { breakdowns, listsBreakdowns } = query
  if (breakdowns.length === 0) {
    if (value !== undefined) {
      throw noValue('The trend has no breakdown: leave `breakdown_value` out.')
    }
    return []
  }
  if (value === undefined) {
    throw new AppError('required', 'This field is required.', 'breakdown_value')
  }
  const names = listsBreakdowns ? readList(value) : [value]
  if (names?.length !== breakdowns.length) {
    throw noValue(
      `\`breakdown_value\` must be a JSON list with one text for each of the trend's \`breakdowns\` (${breakdowns.length}); got ${show(value)}.`
    )
  }
  return names
}

function readList(text: string): string[] | undefined {
  try {
    const list = parseJson(text)
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined
  } catch {
    return undefined
  }
}

const noValue = (detail: string) => new AppError('invalid_input', detail, 'breakdown_value')

/** Whether the names mean all values that the trend does not show. */
export const isOther = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => name === OTHER)

/**
 * Returns the breakdown value that an answer shows by these names, one for each breakdown.
 * @throws invalid_input, attr `breakdown_value`, for a bin that the trend does not have
 */
export function toValue({ breakdowns }: BinnedQuery, names: readonly string[]): Value {
  if (isOther(names)) {
    return OTHERS
  }
  const values = names.map((name, i) => {
    const { binCount, bins } = breakdowns[i] ?? {}
    if (name === NONE || binCount === undefined) {
      return name === NONE ? null : name
    }
    const bin = bins && findBin(bins, name)
    if (bin === undefined) {
      throw noValue(`${show(name)} is not a bin of the trend.`)
    }
    return bin
  })
  return values.length > 1 ? joinTexts(values) : (values[0] ?? null)
}
