import { useSignal } from '@preact/signals'
import { addressOf } from '../address.ts'
import { call } from '../api.ts'
import { ChartView } from '../chart/chart.tsx'
import { Icon } from '../icons.tsx'
import { pageOfInsight, titleOfInsight } from '../insights/saved.ts'
import { Menu, type MenuItem } from '../menu.tsx'
import { Name } from '../parts.tsx'
import { may } from '../session.ts'
import type { Dashboard, Tile, TileChart } from './api.ts'
import { undoable, useInsightMenu } from './list.tsx'
import { opening } from './point.tsx'

/** How a tile is moved. */
export type Arranging = {
  index: number
  place: (to: number) => void
  widen: (width: Tile['width']) => void
  /** Stores the arrangement. */
  store: () => void
}

type TileProps = {
  tile: Tile
  board: Dashboard
  chart: TileChart | undefined
  isTable: boolean
  changed: () => void
  arranging: Arranging | undefined
}

/** Pixels of a chart that has no height of its own. */
const HEIGHT = 210

/** An insight of a dashboard with its chart. */
export function BoardTile({ tile, board, chart, isTable, changed, arranging }: TileProps) {
  const { insight, width } = tile
  const title = titleOfInsight(insight)
  const { items, dialog } = useInsightMenu(insight, changed)
  const place = (dashboards: number[]) =>
    call('PATCH', `insights/${insight.id}/`, { body: { dashboards } })
  const own: MenuItem[] = [
    {
      name: 'Take off the dashboard',
      icon: 'remove',
      run: () =>
        undoable('The insight is off the dashboard. It is still saved', {
          remove: () => place(insight.dashboards.filter((id) => id !== board.id)),
          restore: () => place(insight.dashboards),
          changed
        })
    }
  ]
  const words = [chart?.chart?.counted, chart?.chart?.subtitle.replace(/ · .*$/, '')]
  return (
    <li class={`card tile ${width}`} data-tile={arranging?.index}>
      <header>
        <div class="grow">
          <h2 class="cut">
            <a data-row href={addressOf([pageOfInsight(insight), insight.short_id])}>
              <Name>{title}</Name>
            </a>
          </h2>
          <p class="mut small-text cut">
            <bdi>{words.filter(Boolean).join(' · ') || '\u00a0'}</bdi>
          </p>
        </div>
        {arranging ? (
          <Handle title={title} width={width} {...arranging} />
        ) : (
          <Menu
            label={`More of ${title}`}
            items={[...items, ...(may('insight:write') ? own : [])]}
          />
        )}
      </header>
      <div class="tile-body">
        {!chart && <div class="skeleton" aria-hidden="true" />}
        {chart?.chart && (
          <ChartView
            chart={chart.chart}
            height={HEIGHT}
            isTable={isTable}
            onPoint={arranging ? undefined : opening(tile)}
          />
        )}
        {chart?.failure && <p class="why sec">{chart.failure}</p>}
        {chart?.chart?.warning && (
          <p class="warn small-text">
            <bdi>{chart.chart.warning}</bdi>
          </p>
        )}
      </div>
      {dialog}
    </li>
  )
}

type HandleProps = Arranging & { title: string; width: Tile['width'] }

const KEYS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }

/** Moves a tile by dragging, or with the arrow keys, and changes its width. */
function Handle({ title, width, index, place, widen, store }: HandleProps) {
  const isDragged = useSignal(false)
  const other = width === 'half' ? 'full' : 'half'
  const drag = (event: PointerEvent) => {
    if (!isDragged.value) {
      return
    }
    const below = document
      .elementsFromPoint(event.clientX, event.clientY)
      .flatMap((element) => element.closest<HTMLElement>('[data-tile]') ?? [])
    const goal = Number(below[0]?.dataset.tile ?? index)
    if (goal !== index) {
      place(goal)
    }
  }
  const drop = () => {
    if (isDragged.value) {
      isDragged.value = false
      store()
    }
  }
  return (
    <>
      <button
        type="button"
        class="b small"
        aria-label={width === 'half' ? `Widen ${title}` : `Narrow ${title}`}
        onClick={() => widen(other)}
      >
        {width === 'half' ? 'Widen' : 'Narrow'}
      </button>
      <button
        type="button"
        class={`b icon small handle${isDragged.value ? ' is-dragged' : ''}`}
        aria-label={`Move ${title}: arrow keys, Home, End`}
        title="Drag, or use the arrow keys"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          isDragged.value = true
        }}
        onPointerMove={drag}
        onPointerUp={drop}
        onPointerCancel={drop}
        onKeyDown={(event) => {
          const step = KEYS[event.key]
          const ends: Record<string, number> = { Home: 0, End: Number.MAX_SAFE_INTEGER }
          const goal = step === undefined ? ends[event.key] : index + step
          if (goal !== undefined) {
            event.preventDefault()
            const handle = event.currentTarget
            place(goal)
            store()
            // Moving its element takes the focus from it.
            requestAnimationFrame(() => handle.focus())
          }
        }}
      >
        <Icon name="grip" small />
      </button>
    </>
  )
}
