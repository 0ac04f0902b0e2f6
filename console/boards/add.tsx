import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { type SavedInsight, titleOfInsight } from '../insights/saved.ts'
import { Dialog, Empty, Fault, Name, Skeleton } from '../parts.tsx'
import { SearchField } from '../search.tsx'
import type { DashboardWithTiles } from './api.ts'
import { useInsights } from './insights.ts'

type Props = { board: DashboardWithTiles; changed: () => void; close: () => void }

/** Puts saved insights on a dashboard. */
export function AddInsight({ board, changed, close }: Props) {
  const search = useSignal('')
  const refused = useSignal<ApiError | undefined>(undefined)
  const added = useSignal(board.tiles.map(({ insight }) => insight.id))
  const { data, error, reload, more } = useInsights(search.value)
  const add = async ({ id, dashboards }: SavedInsight) => {
    try {
      refused.value = undefined
      await call('PATCH', `insights/${id}/`, { body: { dashboards: [...dashboards, board.id] } })
      added.value = [...added.value, id]
      changed()
    } catch (error) {
      refused.value = error as ApiError
    }
  }
  return (
    <Dialog
      title="Add an insight"
      words={board.name ?? undefined}
      close={close}
      footer={
        <button type="button" class="b" onClick={close}>
          Done
        </button>
      }
    >
      <SearchField
        label="Search saved insights"
        placeholder="Name"
        search={search.value}
        find={(text) => {
          search.value = text
        }}
      />
      {error && <Fault error={error} retry={reload} />}
      {refused.value && <Fault error={refused.value} />}
      {!data && !error && <Skeleton rows={6} />}
      {data?.results.length === 0 && (
        <Empty title={search.value ? 'No insight matches.' : 'No insights are saved yet.'}>
          <p class="sec">Ask a question in Explore, and save it to find it here.</p>
        </Empty>
      )}
      <ul class="managed addable">
        {data?.results.map((insight) => {
          const isAdded = added.value.includes(insight.id)
          return (
            <li key={insight.id}>
              <b class="grow cut">
                <Name>{titleOfInsight(insight)}</Name>
              </b>
              <button
                type="button"
                class="b small"
                disabled={isAdded}
                aria-label={`Add ${titleOfInsight(insight)}`}
                onClick={() => add(insight)}
              >
                {isAdded ? 'On the dashboard' : 'Add'}
              </button>
            </li>
          )
        })}
      </ul>
      {more && (
        <button type="button" class="b" onClick={more}>
          Show more
        </button>
      )}
    </Dialog>
  )
}
