import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { addressOf, go, parameters, setParameters } from '../address.ts'
import type { QuestionNode } from '../chart/answer.ts'
import { Icon } from '../icons.tsx'
import { type Action, useActions } from '../insights/actions.tsx'
import { factsOfNode, pageOfInsight } from '../insights/saved.ts'
import { Menu, type MenuItem } from '../menu.tsx'
import { Fault, Name, Top } from '../parts.tsx'
import { Popover } from '../popover.tsx'
import { may } from '../session.ts'
import { copyItems } from './copies.ts'
import { type Insight, nameOfInsight, toVizNode } from './question.ts'
import { OpenInsight, SaveDialog, useSaveChanges } from './save.tsx'

type HeaderProps = {
  insight: Insight | undefined
  /** Takes the insight as it was stored. */
  show: (stored: Insight) => void
  query: QuestionNode | undefined
  title: string
  isChanged: boolean
}

const ACTIONS = [
  ['alert', 'Alert', 'bell'],
  ['subscribe', 'Subscribe', 'mail'],
  ['share', 'Share', 'link']
] as const

/** Says why an insight has to be saved before something is done with it. */
const WHY: Record<Action, string> = {
  alert: 'An alert watches a saved insight.',
  subscribe: 'A subscription sends a saved insight.',
  share: 'A link shows a saved insight.',
  annotate: 'An annotation belongs to a saved insight.'
}

/** What the header can do with the question, and the dialogs that it opens for it. */
function useHeader({ insight, show, query, title }: HeaderProps) {
  const saving = useSignal<{ next?: Action } | undefined>(undefined)
  const name = insight ? nameOfInsight(insight) : title
  const actions = useActions({
    kind: 'insight',
    id: insight?.id ?? 0,
    name,
    ...(query && factsOfNode(query))
  })
  // What made someone save the question is opened once it is saved.
  const { next } = Object.fromEntries(parameters.value)
  useEffect(() => {
    if (insight && next) {
      setParameters({ next: undefined }, { replace: true })
      actions.open(next as Action)
    }
  }, [insight?.id, next])
  const mayWrite = may('insight:write') && query !== undefined
  const changes = useSaveChanges((stored) => {
    show(stored)
    setParameters({ q: undefined }, { replace: true })
  })
  const save = () => {
    if (insight && query) {
      void changes.save(toVizNode(query), insight)
    }
  }
  const saveAsNew = () => {
    saving.value = {}
  }
  return {
    name,
    mayWrite,
    error: changes.error,
    save: insight ? save : saveAsNew,
    saveAsNew,
    can: (action: Action) => actions.can(action) && (insight !== undefined || mayWrite),
    act: (action: Action) => {
      if (insight) {
        actions.open(action)
      } else {
        saving.value = { next: action }
      }
    },
    dialogs: (
      <>
        {saving.value && query && (
          <SaveDialog
            node={toVizNode(query)}
            name={insight ? `${name}, copy` : title}
            words={saving.value.next && WHY[saving.value.next]}
            close={() => {
              saving.value = undefined
            }}
            saved={({ short_id: id }, opening) =>
              go(
                addressOf(['explore', id], {
                  ...Object.fromEntries(parameters.value),
                  q: undefined,
                  next: opening
                })
              )
            }
            next={saving.value.next}
          />
        )}
        {actions.dialog}
      </>
    )
  }
}

/** The name of the question, and what can be done with it. */
export function Header(props: HeaderProps) {
  const { insight, query, isChanged } = props
  const { name, mayWrite, error, save, saveAsNew, can, act, dialogs } = useHeader(props)
  const isOpening = useSignal(false)
  const close = () => {
    isOpening.value = false
  }
  const items: (MenuItem | false)[] = [
    insight !== undefined && {
      name: 'Ask something else',
      icon: 'add',
      run: () => go(addressOf(['explore']))
    },
    insight !== undefined &&
      mayWrite && { name: 'Save as a new insight…', icon: 'save', run: saveAsNew },
    can('annotate') && { name: 'Annotate…', icon: 'note', run: () => act('annotate') },
    ...copyItems(query)
  ]
  const more = items.filter((item) => item !== false)
  const buttons = ACTIONS.filter(([action]) => can(action))
  const onPhone: MenuItem[] = [
    {
      name: 'Open…',
      icon: 'board',
      run: () => {
        isOpening.value = true
      }
    },
    ...buttons.map(([action, words, icon]) => ({
      name: `${words}…`,
      icon,
      run: () => act(action)
    }))
  ]
  return (
    <>
      <Top>
        {insight && (
          <a class="crumb wide-only" href={addressOf(['explore'])}>
            Explore
          </a>
        )}
        <h1 class="cut">{insight ? <Name>{name}</Name> : 'Explore'}</h1>
        {isChanged && <span class="tag wide-only">Changed</span>}
        <span class="grow" />
        <span class="anchor">
          <button
            type="button"
            class="b wide-only"
            aria-expanded={isOpening.value}
            onClick={() => {
              isOpening.value = !isOpening.value
            }}
          >
            Open…
          </button>
          {isOpening.value && (
            <Popover label="Open an insight" side="right" close={close}>
              <OpenInsight
                open={(opened) => {
                  close()
                  go(addressOf([pageOfInsight(opened), opened.short_id]))
                }}
              />
            </Popover>
          )}
        </span>
        {buttons.map(([action, words, icon]) => (
          <button
            key={action}
            type="button"
            class="b wide-only"
            title={words}
            onClick={() => act(action)}
          >
            <Icon name={icon} />
            <span>{words}</span>
          </button>
        ))}
        <span class="wide-only">
          <Menu label="More" items={more} />
        </span>
        <span class="phone-only">
          <Menu label="More" items={[...onPhone, ...more]} />
        </span>
        {mayWrite && (!insight || isChanged) && (
          <button type="button" class="b main-b" onClick={save}>
            {insight ? 'Save changes' : 'Save…'}
          </button>
        )}
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
