import {
  type DrawnAnswer,
  formulasOf,
  type QuestionNode,
  questionIn,
  type SeriesKey
} from './answer.ts'

/** What was chosen in a chart. */
export type Point = {
  /** The place of the series in the chart. */
  series: number
  /** The bucket, the step of a funnel, or the column of retention; 0 in charts without an axis. */
  bucket: number
  /** Whether the number is that of the period before. */
  isPrevious?: boolean
  /** Of a funnel: whether those are meant who left before the step. */
  isLeft?: boolean
}

/** Writes a point for an address: `0.12`, `0.12.previous`. */
export const writePoint = ({ series, bucket, isPrevious, isLeft }: Point): string =>
  [series, bucket, ...(isPrevious ? ['previous'] : []), ...(isLeft ? ['left'] : [])].join('.')

/** Reads a point of an address; undefined for a text that is not one. */
export function readPoint(text: string | null): Point | undefined {
  const [, series, bucket, which] =
    /^(\d{1,4})\.(\d{1,4})(?:\.(previous|left))?$/.exec(text ?? '') ?? []
  return series === undefined
    ? undefined
    : {
        series: Number(series),
        bucket: Number(bucket),
        ...(which === 'previous' && { isPrevious: true }),
        ...(which === 'left' && { isLeft: true })
      }
}

/** Whether the points of a question count persons who can be listed. */
export function hasPersons(node: QuestionNode): boolean {
  const question = questionIn(node)
  const view = question.funnelsFilter?.funnelVizType ?? 'steps'
  return (
    Object.hasOwn(MEMBERS, question.kind) && formulasOf(question).length === 0 && view === 'steps'
  )
}

/**
 * Returns the source of an `ActorsQuery` that lists whom a point counts; undefined for a number that
 * counts nobody in particular, such as a formula.
 */
export function actorsOf(node: QuestionNode, chart: DrawnAnswer, point: Point): object | undefined {
  const source = questionIn(node)
  const key = chart.keys[point.series]
  const members = key && MEMBERS[source.kind]?.(key, point, chart, source)
  return members && { kind: 'InsightActorsQuery', source, ...members }
}

const byValue = ({ breakdown }: SeriesKey, name = 'breakdown') =>
  breakdown === undefined ? {} : { [name]: breakdown }

const bySeries = ({ place }: SeriesKey, { isPrevious = false }: Point) => ({
  ...(place > 0 && { series: place }),
  ...(isPrevious && { compare: 'previous' })
})

/** The members of the source that name a point, by the kind of the question. */
const MEMBERS: Record<
  string,
  (key: SeriesKey, point: Point, chart: DrawnAnswer, question: QuestionNode) => object | undefined
> = {
  TrendsQuery: (key, point, { days }, question) =>
    formulasOf(question).length > 0
      ? undefined
      : {
          ...(days.length > 0 && { day: point.bucket }),
          ...bySeries(key, point),
          ...byValue(key)
        },
  FunnelsQuery: (key, { bucket, isLeft = false }, { kind }) =>
    kind === 'funnel'
      ? {
          kind: 'FunnelsActorsQuery',
          funnelStep: isLeft ? -(bucket + 1) : bucket + 1,
          ...byValue(key, 'funnelStepBreakdown')
        }
      : undefined,
  RetentionQuery: (key) => ({ interval: key.row, ...byValue(key) }),
  LifecycleQuery: ({ status }, { bucket }) => ({ day: bucket, status }),
  StickinessQuery: (key, point) => ({ day: point.bucket + 1, ...bySeries(key, point) })
}
