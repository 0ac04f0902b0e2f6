import { useMemo } from 'preact/hooks'
import type { ChartAnnotation } from '../../src/charts/chart.ts'
import { call } from '../api.ts'
import { useLoaded } from '../loaded.ts'
import { may } from '../session.ts'
import type { Insight } from './question.ts'

/** An annotation, as far as charts show it. */
export type Annotation = {
  content: string | null
  date_marker: string | null
  scope: string
  dashboard_item: number | null
}

/** The annotations of the project and of the insight. */
export function useAnnotations(insight: Insight | undefined): readonly Annotation[] {
  const isAllowed = may('annotation:read')
  const { data } = useLoaded(String(isAllowed), async (signal) =>
    isAllowed
      ? (
          await call<{ results: Annotation[] }>('GET', 'annotations/', {
            query: { limit: '100' },
            signal
          })
        ).results
      : []
  )
  return useMemo(
    () =>
      (data ?? []).filter(
        ({ scope, dashboard_item: item }) =>
          scope === 'project' || (scope === 'dashboard_item' && item === insight?.id)
      ),
    [data, insight?.id]
  )
}

/** Places annotations at the buckets that have begun before them. */
export function placed(
  { days }: { days: readonly string[] },
  notes: readonly Pick<Annotation, 'content' | 'date_marker'>[],
  timezone: string
): ChartAnnotation[] {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium'
  })
  return notes
    .flatMap(({ content, date_marker: at }) => {
      const time = at === null ? '' : clock.format(new Date(at))
      const bucket = days.findLastIndex((day) => day <= time)
      const isWithin =
        bucket >= 0 && (bucket < days.length - 1 || time.startsWith(days.at(-1) ?? ''))
      return content && isWithin ? [{ bucket, text: content.replaceAll(/\s+/g, ' ') }] : []
    })
    .sort((a, b) => a.bucket - b.bucket)
}
