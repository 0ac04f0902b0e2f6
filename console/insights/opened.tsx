import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, go, parameters, path } from '../address.ts'
import { call } from '../api.ts'
import type { Insight } from '../explore/question.ts'
import { useLoaded } from '../loaded.ts'
import { Empty, Fault, Skeleton, Top } from '../parts.tsx'
import { pageOfInsight } from './saved.ts'

type OpenedProps = {
  shortId: string
  /** The title of the page until the insight is there. */
  title: string
  /** `show` takes the insight as it was stored since. */
  children: (insight: Insight, show: (stored: Insight) => void) => ComponentChildren
}

/** Loads the saved insight of the address, and goes to the page that its question belongs to. */
export function Opened({ shortId, title, children }: OpenedProps) {
  const { data, error, reload } = useLoaded(shortId, async (signal) => {
    const { results } = await call<{ results: Insight[] }>('GET', 'insights/', {
      query: { short_id: shortId },
      signal
    })
    return { shortId, insight: results[0] }
  })
  const stored = useSignal<Insight | undefined>(undefined)
  useEffect(() => {
    stored.value = undefined
  }, [data])
  const loaded = data?.shortId === shortId ? data.insight : undefined
  const insight = stored.value?.short_id === shortId ? stored.value : loaded
  const [, page] = path.value
  const right = insight && pageOfInsight(insight)
  useEffect(() => {
    if (right !== undefined && right !== page) {
      go(addressOf([right, shortId], Object.fromEntries(parameters.value)), { replace: true })
    }
  }, [right, page])
  if (error) {
    return (
      <Notice title={title}>
        <Fault error={error} retry={reload} />
      </Notice>
    )
  }
  if (data?.shortId !== shortId || (right !== undefined && right !== page)) {
    return (
      <Notice title={title}>
        <Skeleton rows={6} />
      </Notice>
    )
  }
  if (!insight) {
    return (
      <Notice title={title}>
        <Empty title="This insight does not exist.">
          <p class="sec">It may have been deleted since.</p>
          <a class="b" href={addressOf([page ?? 'explore'])}>
            Ask something else
          </a>
        </Empty>
      </Notice>
    )
  }
  const show = (changed: Insight) => {
    stored.value = changed
  }
  return <>{children(insight, show)}</>
}

/** A page that says one thing only. */
export const Notice = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <>
    <Top>
      <h1>{title}</h1>
    </Top>
    <div class="body">{children}</div>
  </>
)
