import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { addressOf, go, parameters } from '../address.ts'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useActions } from '../insights/actions.tsx'
import { pageOfInsight, type SavedInsight, subjectOf, titleOfInsight } from '../insights/saved.ts'
import { useLoaded } from '../loaded.ts'
import { Menu, type MenuItem } from '../menu.tsx'
import { Empty, Fault, Moment, Name, Skeleton, Top, toast } from '../parts.tsx'
import { SearchField } from '../search.tsx'
import { may } from '../session.ts'
import { count } from '../words.ts'
import { type Dashboard, type Page, titleOf } from './api.ts'
import { useInsights } from './insights.ts'
import { NameDialog } from './name.tsx'

/** Dashboards that are listed. */
const LISTED = '200'

/** The dashboards, and below them the saved insights. */
export function BoardsPage() {
  const boards = useLoaded(`dashboards ${removals.value}`, async (signal) =>
    may('dashboard:read')
      ? call<Page<Dashboard>>('GET', 'dashboards/', { query: { limit: LISTED }, signal })
      : undefined
  )
  const isNew = useSignal(false)
  const list = boards.data
  const begin = () => {
    isNew.value = true
  }
  return (
    <>
      <Top>
        <h1>Dashboards</h1>
        {list && <span class="count">{count(list.count)}</span>}
        <span class="grow" />
        {may('dashboard:write') && (
          <button type="button" class="b main-b" onClick={begin}>
            <Icon name="add" />
            New dashboard
          </button>
        )}
      </Top>
      <div class="body wide stack">
        {boards.error && <Fault error={boards.error} retry={boards.reload} />}
        {may('dashboard:read') && !list && !boards.error && <Skeleton rows={3} />}
        {list && list.results.length === 0 && (
          <Empty title="No dashboards yet.">
            <p class="sec">A dashboard shows saved insights together, for you and for others.</p>
            {may('dashboard:write') && (
              <button type="button" class="b" onClick={begin}>
                New dashboard
              </button>
            )}
          </Empty>
        )}
        {list && list.results.length > 0 && (
          <section class="card">
            <table class="table cards rows boards">
              <thead>
                <tr>
                  <th>Dashboard</th>
                  <th>Description</th>
                  <th class="num">Made</th>
                  <th>
                    <span class="vh">Changes</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.results.map((board) => (
                  <BoardRow key={board.id} board={board} reload={boards.reload} />
                ))}
              </tbody>
            </table>
          </section>
        )}
        {may('insight:read') && <SavedInsights />}
      </div>
      {isNew.value && (
        <NameDialog
          title="New dashboard"
          before={{ name: '', description: '' }}
          deed="Make the dashboard"
          placeholder="Weekly review"
          save={async (named) => {
            const { id } = await call<Dashboard>('POST', 'dashboards/', { body: named })
            go(addressOf(['dashboards', String(id)]))
          }}
          close={() => {
            isNew.value = false
          }}
        />
      )}
    </>
  )
}

function BoardRow({ board, reload }: { board: Dashboard; reload: () => void }) {
  const { items, dialog } = useBoardMenu(board, reload, reload)
  return (
    <ListRow
      title={titleOf(board)}
      href={addressOf(['dashboards', String(board.id)])}
      description={board.description}
      at={board.created_at}
      items={items}
      dialog={dialog}
    />
  )
}

type ListRowProps = {
  title: string
  href: string
  description: string
  at: string
  items: MenuItem[]
  dialog: ComponentChildren
}

/** A row with a name that opens it, and a menu. */
const ListRow = ({ title, href, description, at, items, dialog }: ListRowProps) => (
  <tr>
    <td data-p="1l">
      <a class="who" data-row href={href}>
        <b class="cut">
          <Name>{title}</Name>
        </b>
      </a>
    </td>
    <td class="sec cut" data-p="2l">
      {description && <Name>{description}</Name>}
    </td>
    <td class="num sec nowrap" data-p="no">
      <Moment at={at} />
    </td>
    <td class="num above" data-p="1r">
      {items.length > 0 && <Menu label={`Change ${title}`} items={items} />}
      {dialog}
    </td>
  </tr>
)

/** What one can do with a dashboard, and the dialog that is open. */
export function useBoardMenu(board: Dashboard, changed: () => void, removed: () => void) {
  const isRenaming = useSignal(false)
  const subject = { kind: 'dashboard', id: board.id, name: titleOf(board) } as const
  const actions = useActions(subject, changed)
  const path = `dashboards/${board.id}/`
  const patch = (body: object) => call('PATCH', path, { body })
  const own: MenuItem[] = [
    {
      name: 'Rename…',
      icon: 'edit',
      run: () => {
        isRenaming.value = true
      }
    },
    {
      name: 'Delete the dashboard',
      icon: 'erase',
      isDanger: true,
      run: () =>
        undoable('The dashboard is deleted', {
          remove: () => call('DELETE', path),
          restore: () => patch({ deleted: false }),
          changed: removed
        })
    }
  ]
  return {
    items: [...actions.items, ...(may('dashboard:write') ? own : [])],
    dialog: isRenaming.value ? (
      <NameDialog
        title="Rename the dashboard"
        before={{ name: board.name ?? '', description: board.description }}
        deed="Save the name"
        placeholder="Weekly review"
        save={async (named) => {
          await patch(named)
          changed()
        }}
        close={() => {
          isRenaming.value = false
        }}
      />
    ) : (
      actions.dialog
    )
  }
}

type Undoable = {
  remove: () => Promise<unknown>
  restore: () => Promise<unknown>
  changed: () => void
}

/** How often something was removed, or taken back: lists are loaded again then. */
const removals = signal(0)

/** Removes something at once, and offers to take it back. */
export async function undoable(words: string, { remove, restore, changed }: Undoable) {
  const failed = (error: unknown) => toast(error instanceof Error ? error.message : String(error))
  const notice = () => {
    removals.value += 1
    changed()
  }
  try {
    await remove()
    notice()
    toast(words, { label: 'Undo', run: () => restore().then(notice, failed) })
  } catch (error) {
    failed(error)
  }
}

function SavedInsights() {
  const search = parameters.value.get('search') ?? ''
  const { data: list, error, reload, more } = useInsights(search)
  return (
    <section class="card">
      <header>
        <h2>Saved insights</h2>
        {list && <span class="sub">{count(list.count)}</span>}
        <span class="grow" />
        <SearchField
          label="Search saved insights"
          placeholder="Name"
          class="in small"
          search={search}
          find={(text) => go(addressOf(['dashboards'], { search: text }), { replace: true })}
        />
      </header>
      {error && <Fault error={error} retry={reload} />}
      {!list && !error && <Skeleton rows={6} />}
      {list && list.results.length === 0 && (
        <div class="pad">
          <Empty
            title={
              search === ''
                ? 'No insights are saved yet.'
                : `No insight is called “${search.slice(0, 100)}”.`
            }
          >
            {search === '' && (
              <p class="sec">Ask a question in Explore, and save it to find it here.</p>
            )}
          </Empty>
        </div>
      )}
      {list && list.results.length > 0 && (
        <table class="table cards rows boards">
          <thead>
            <tr>
              <th>Insight</th>
              <th>Description</th>
              <th class="num">Changed</th>
              <th>
                <span class="vh">Changes</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.results.map((insight) => (
              <InsightRow key={insight.id} insight={insight} reload={reload} />
            ))}
          </tbody>
        </table>
      )}
      {more && (
        <button type="button" class="more" onClick={more}>
          Show more
          <Icon name="next" small />
        </button>
      )}
    </section>
  )
}

function InsightRow({ insight, reload }: { insight: SavedInsight; reload: () => void }) {
  const { items, dialog } = useInsightMenu(insight, reload)
  return (
    <ListRow
      title={titleOfInsight(insight)}
      href={addressOf([pageOfInsight(insight), insight.short_id])}
      description={insight.description ?? ''}
      at={insight.last_modified_at}
      items={items}
      dialog={dialog}
    />
  )
}

/** What one can do with a saved insight, and the dialog that is open. */
export function useInsightMenu(insight: SavedInsight, changed: () => void) {
  const isRenaming = useSignal(false)
  const actions = useActions(subjectOf(insight), changed)
  const path = `insights/${insight.id}/`
  const patch = (body: object) => call('PATCH', path, { body })
  const own: MenuItem[] = [
    {
      name: 'Rename…',
      icon: 'edit',
      run: () => {
        isRenaming.value = true
      }
    },
    {
      name: 'Delete the insight',
      icon: 'erase',
      isDanger: true,
      run: () =>
        undoable('The insight is deleted', {
          remove: () => call('DELETE', path),
          restore: () => patch({ deleted: false }),
          changed
        })
    }
  ]
  return {
    items: [...actions.items, ...(may('insight:write') ? own : [])],
    dialog: isRenaming.value ? (
      <NameDialog
        title="Rename the insight"
        before={{ name: insight.name ?? '', description: insight.description ?? '' }}
        deed="Save the name"
        placeholder="Sign-ups by country"
        save={async (named) => {
          await patch(named)
          changed()
        }}
        close={() => {
          isRenaming.value = false
        }}
      />
    ) : (
      actions.dialog
    )
  }
}
