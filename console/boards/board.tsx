import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { addressOf, go, parameters, setParameters } from '../address.ts'
import { ApiError, call } from '../api.ts'
import { useTableKey } from '../chart/chart.tsx'
import { PRESETS } from '../dates.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Menu } from '../menu.tsx'
import { Empty, Fault, Name, Skeleton, Top } from '../parts.tsx'
import { may } from '../session.ts'
import { AddInsight } from './add.tsx'
import { type Charts, type DashboardWithTiles, type Tile, type TileChart, titleOf } from './api.ts'
import { move } from './arrange.ts'
import { useBoardMenu } from './list.tsx'
import { OpenedPoint } from './point.tsx'
import { BoardTile } from './tile.tsx'

/** A dashboard with its charts. */
export function BoardPage({ id }: { id: string }) {
  const path = `dashboards/${encodeURIComponent(id)}/`
  const board = useLoaded(path, (signal) => call<DashboardWithTiles>('GET', path, { signal }))
  const { data, error, reload } = board
  return (
    <>
      {data ? (
        <Board board={data} reload={reload} />
      ) : (
        <Top>
          <a class="crumb" href={addressOf(['dashboards'])}>
            Dashboards
          </a>
        </Top>
      )}
      {!data && (
        <div class="body wide">
          {!error && <Skeleton rows={8} />}
          {error?.status === 404 && (
            <Empty title="There is no such dashboard.">
              <p class="sec">It may have been deleted.</p>
              <a class="b" href={addressOf(['dashboards'])}>
                Show all dashboards
              </a>
            </Empty>
          )}
          {error && error.status !== 404 && <Fault error={error} retry={reload} />}
        </div>
      )}
    </>
  )
}

/** Loads the charts of a dashboard, ten at a time, each as soon as it is there. */
function useCharts(id: number, tiles: Tile[]) {
  const from = parameters.value.get('date_from') ?? undefined
  const to = parameters.value.get('date_to') ?? undefined
  const known = useSignal<Record<number, TileChart>>({})
  const insights = tiles.map(({ insight }) => insight.id).sort((a, b) => a - b)
  const loaded = useLoaded(JSON.stringify([id, from, to, insights]), async (signal) => {
    for (let offset = 0, count = insights.length; offset < count; ) {
      const query = { date_from: from, date_to: to, offset: String(offset) }
      const page = await call<Charts>('GET', `dashboards/${id}/charts/`, { query, signal })
      const found = page.results.map((one) => [one.insight, one] as const)
      known.value = { ...known.value, ...Object.fromEntries(found) }
      count = page.count
      offset += Math.max(1, page.results.length)
    }
  })
  return { charts: known.value, error: loaded.error, reload: loaded.reload }
}

const faultOf = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(String(error))

/** The tiles as they are arranged here, and stored. */
function useTiles(board: DashboardWithTiles, reload: () => void) {
  const tiles = useSignal(board.tiles)
  const fault = useSignal<ApiError | undefined>(undefined)
  // Only one request is on its way, so that the last arrangement is stored last.
  const storing = useRef<Promise<unknown>>(Promise.resolve())
  useEffect(() => {
    tiles.value = board.tiles
  }, [board])
  const store = () => {
    storing.current = storing.current.then(async () => {
      try {
        const body = { tiles: tiles.value.map(({ id, width }) => ({ id, width })) }
        await call('PATCH', `dashboards/${board.id}/`, { body })
        fault.value = undefined
      } catch (error) {
        fault.value = faultOf(error)
        reload()
      }
    })
  }
  return { tiles, fault, store }
}

type BoardProps = { board: DashboardWithTiles; reload: () => void }

function Board({ board, reload }: BoardProps) {
  const { tiles, fault, store } = useTiles(board, reload)
  const { charts, error, reload: count } = useCharts(board.id, tiles.value)
  const isArranging = useSignal(false)
  const isAdding = useSignal(false)
  const said = useSignal('')
  const isTable = useTableKey()
  const changed = () => {
    reload()
    count()
  }
  const { items, dialog } = useBoardMenu(board, changed, () => go(addressOf(['dashboards'])))
  const shown = tiles.value
  const place = (from: number, to: number) => {
    const moved = move(tiles.value, from, to)
    tiles.value = moved
    said.value = `Place ${Math.min(moved.length, Math.max(1, to + 1))} of ${moved.length}`
  }
  const isWriter = may('dashboard:write')
  const add = () => {
    isAdding.value = true
  }
  return (
    <>
      <Top>
        <a class="crumb" href={addressOf(['dashboards'])}>
          Dashboards
        </a>
        <h1 class="cut">
          <Name>{titleOf(board)}</Name>
        </h1>
        <span class="grow" />
        {shown.length > 0 && <Range />}
        {isWriter && shown.length > 1 && (
          <button
            type="button"
            class="b wide-only"
            aria-pressed={isArranging.value}
            onClick={() => {
              isArranging.value = !isArranging.value
            }}
          >
            <Icon name={isArranging.value ? 'done' : 'board'} />
            {isArranging.value ? 'Done' : 'Arrange'}
          </button>
        )}
        {may('insight:write') && (
          <button type="button" class="b" aria-label="Add an insight" onClick={add}>
            <Icon name="add" />
            <span class="wide-only">Add an insight</span>
          </button>
        )}
        {items.length > 0 && <Menu label="More of this dashboard" items={items} />}
      </Top>
      <div class="body wide">
        {board.description && (
          <p class="sec described">
            <bdi>{board.description}</bdi>
          </p>
        )}
        {fault.value && <Fault error={fault.value} />}
        {error && <Fault error={error} retry={count} />}
        {shown.length === 0 ? (
          <Empty title="Nothing is on this dashboard yet.">
            <p class="sec">Saved insights stand here with their charts.</p>
            {may('insight:write') && (
              <button type="button" class="b" onClick={add}>
                Add an insight
              </button>
            )}
          </Empty>
        ) : (
          <ul class={`tiles${isArranging.value ? ' arranging' : ''}`}>
            {shown.map((tile, i) => (
              <BoardTile
                key={tile.id}
                tile={tile}
                board={board}
                chart={charts[tile.insight.id]}
                isTable={isTable.value}
                changed={changed}
                arranging={
                  isArranging.value
                    ? {
                        place: (to) => place(i, to),
                        index: i,
                        widen: (width) => {
                          tiles.value = shown.with(i, { ...tile, width })
                          said.value = width === 'full' ? 'Alone in its row' : 'Beside another'
                          store()
                        },
                        store
                      }
                    : undefined
                }
              />
            ))}
          </ul>
        )}
        <p class="vh" role="status">
          {said.value}
        </p>
      </div>
      <OpenedPoint tiles={shown} />
      {dialog}
      {isAdding.value && (
        <AddInsight
          board={board}
          changed={reload}
          close={() => {
            isAdding.value = false
          }}
        />
      )}
    </>
  )
}

const OWN = 'own'

/** Replaces the range of every insight. The address holds it. */
function Range() {
  const from = parameters.value.get('date_from')
  const to = parameters.value.get('date_to') ?? undefined
  const chosen =
    from === null ? undefined : PRESETS.findIndex((one) => one.from === from && one.to === to)
  return (
    <select
      class="in range"
      aria-label="Dates of all charts"
      value={chosen === undefined ? OWN : String(chosen)}
      onChange={(event) => {
        const preset = PRESETS[Number(event.currentTarget.value)]
        setParameters({ date_from: preset?.from, date_to: preset?.to })
      }}
    >
      <option value={OWN}>Each its own dates</option>
      {chosen === -1 && <option value="-1">{[from, to].filter(Boolean).join(' – ')}</option>}
      {PRESETS.map(({ name }, i) => (
        <option key={name} value={String(i)}>
          {name}
        </option>
      ))}
    </select>
  )
}
