import { useSignal } from '@preact/signals'
import { addressOf, go, setParameters } from '../address.ts'
import type { QuestionNode } from '../chart/answer.ts'
import { copyItems } from '../explore/copies.ts'
import { type Insight, nameOfInsight } from '../explore/question.ts'
import { SaveDialog, useSaveChanges } from '../explore/save.tsx'
import { Icon } from '../icons.tsx'
import { type Action, useActions } from '../insights/actions.tsx'
import { Menu, type MenuItem } from '../menu.tsx'
import { Fault, Name, Top } from '../parts.tsx'
import { may } from '../session.ts'

type HeaderProps = {
  insight: Insight | undefined
  /** Takes the insight as it was stored. */
  show: (stored: Insight) => void
  /** The statement in the editor. */
  query: QuestionNode
  /** What an insight of it stores. */
  node: QuestionNode
  isChanged: boolean
  isEmpty: boolean
  /** Called when the statement is saved. */
  saved: () => void
  run: () => void
  openTables: () => void
}

const ACTIONS = [
  ['share', 'Share…', 'link'],
  ['subscribe', 'Subscribe…', 'mail'],
  ['annotate', 'Annotate…', 'note']
] as const satisfies readonly (readonly [Action, string, MenuItem['icon']])[]

/** The name of the statement, and what can be done with it. */
export function Header(props: HeaderProps) {
  const { insight, isChanged, isEmpty, run, openTables } = props
  const { items, canSave, save, saveName, error, dialogs } = useHeader(props)
  const [curl] = items.filter(({ name }) => name === 'Copy as curl')
  const onPhone: MenuItem[] = canSave ? [{ name: saveName, icon: 'keep', run: save }] : []
  return (
    <>
      <Top>
        {insight && (
          <a class="crumb wide-only" href={addressOf(['sql'])}>
            SQL
          </a>
        )}
        <h1 class="cut">{insight ? <Name>{nameOfInsight(insight)}</Name> : 'SQL'}</h1>
        {isChanged && <span class="tag wide-only">Changed</span>}
        <span class="grow" />
        <button
          type="button"
          class="b icon tables-b"
          aria-label="Tables"
          title="Tables"
          onClick={openTables}
        >
          <Icon name="table" />
        </button>
        <span class="wide-only">
          <Menu label="More" items={items} />
        </span>
        {curl && (
          <button type="button" class="b broad-only" onClick={curl.run}>
            <Icon name="copy" />
            {curl.name}
          </button>
        )}
        <span class="phone-only">
          <Menu label="More" items={[...onPhone, ...items]} />
        </span>
        {canSave && (
          <button type="button" class="b wide-only" onClick={save}>
            <Icon name="keep" />
            {saveName}
          </button>
        )}
        <button
          type="button"
          class="b main-b run-b"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          disabled={isEmpty}
          onClick={run}
        >
          <Icon name="play" />
          Run
          <kbd class="broad-only">{isMac() ? '⌘↵' : 'Ctrl ↵'}</kbd>
        </button>
      </Top>
      {error && (
        <div class="body">
          <Fault error={error} />
        </div>
      )}
      {dialogs}
    </>
  )
}

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent)

/** What the header can do with the statement, and the dialogs that it opens for it. */
function useHeader({ insight, show, query, node, isChanged, isEmpty, saved }: HeaderProps) {
  const isSaving = useSignal(false)
  const name = insight ? nameOfInsight(insight) : ''
  const actions = useActions({ kind: 'insight', id: insight?.id ?? 0, name })
  const mayWrite = may('insight:write') && !isEmpty
  const saveAsNew = () => {
    isSaving.value = true
  }
  const changes = useSaveChanges((stored) => {
    show(stored)
    saved()
    setParameters({ q: undefined, view: undefined }, { replace: true })
  })
  const ofSaved: MenuItem[] = [
    { name: 'New statement', icon: 'add', run: () => go(addressOf(['sql'])) },
    ...(mayWrite
      ? [{ name: 'Save as a new insight…', icon: 'keep', run: saveAsNew } as const]
      : []),
    ...ACTIONS.filter(([action]) => actions.can(action)).map(([action, words, icon]) => ({
      name: words,
      icon,
      run: () => actions.open(action)
    }))
  ]
  return {
    items: [...(insight ? ofSaved : []), ...copyItems(isEmpty ? undefined : query)],
    canSave: mayWrite && (!insight || isChanged),
    save: insight ? () => void changes.save(node, insight) : saveAsNew,
    saveName: insight ? 'Save changes' : 'Save…',
    error: changes.error,
    dialogs: (
      <>
        {isSaving.value && (
          <SaveDialog
            node={node}
            name={insight ? `${name}, copy` : ''}
            next={undefined}
            close={() => {
              isSaving.value = false
            }}
            saved={({ short_id: id }) => {
              saved()
              go(addressOf(['sql', id]))
            }}
          />
        )}
        {actions.dialog}
      </>
    )
  }
}
