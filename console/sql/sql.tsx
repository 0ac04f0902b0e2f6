import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { parameters, path, setParameters } from '../address.ts'
import { useAnswer } from '../explore/answer.ts'
import { type Insight, nameOfInsight } from '../explore/question.ts'
import { Opened } from '../insights/opened.tsx'
import { useKey } from '../keys.ts'
import { Dialog } from '../parts.tsx'
import { may, project } from '../session.ts'
import { AnswerCard } from './answer-card.tsx'
import { keepDraft, textAt } from './drafts.ts'
import type { EditorHandle } from './editor.tsx'
import { Header } from './header.tsx'
import { listPast, notePast } from './history.ts'
import { useNames } from './names.ts'
import { SavedStatements } from './saved.tsx'
import { FIRST_STATEMENT, MAX_IN_ADDRESS, type SqlAnswer, toQuery } from './statement.ts'
import { StatementCard } from './statement-card.tsx'
import { Tables } from './tables.tsx'
import { statementIn, toNode, viewIn } from './view.ts'

/** The page: the statement of a saved insight, or one of one's own. */
export function SqlPage() {
  const [, , shortId] = path.value
  return shortId === undefined ? (
    <Page insight={undefined} show={() => {}} />
  ) : (
    <Opened shortId={shortId} title="SQL">
      {(insight, show) => <Page key={insight.short_id} insight={insight} show={show} />}
    </Opened>
  )
}

type PageProps = { insight: Insight | undefined; show: (stored: Insight) => void }

/** The statement that is answered: of the address, of the insight, or the last one. */
function useStatement(insight: Insight | undefined) {
  const saved = insight && statementIn(insight.query)
  const first = useMemo(() => listPast()[0]?.statement ?? FIRST_STATEMENT, [])
  // A statement that is too long for the address.
  const long = useSignal<string | undefined>(undefined)
  const inAddress = parameters.value.get('q') ?? undefined
  const view = parameters.value.get('view')
  return {
    saved,
    statement: inAddress ?? long.value ?? saved?.statement ?? first,
    view: view === null ? (saved?.view ?? {}) : viewIn(view),
    change(statement: string) {
      const isShort = statement.length <= MAX_IN_ADDRESS
      long.value = isShort ? undefined : statement
      setParameters({ q: isShort && statement !== saved?.statement ? statement : undefined })
    },
    /** Shows what the insight has now. */
    forget() {
      long.value = undefined
    },
    isInAddress: long.value === undefined
  }
}

function Page({ insight, show }: PageProps) {
  const { saved, statement, view, change, forget, isInAddress } = useStatement(insight)
  const place = `${project.value?.id} ${insight?.short_id ?? ''}`
  const text = textAt(place, statement)
  const asked = useAnswer<SqlAnswer>(toQuery(statement))
  const names = useNames()
  const editor = useRef<EditorHandle | undefined>(undefined)
  const areTablesOpen = useSignal(false)
  const isEmpty = text.trim() === ''
  const run = () => {
    if (isEmpty) {
      return
    }
    notePast(text, new Date())
    if (text === statement) {
      asked.reload()
    } else {
      change(text)
      keepDraft(place, { over: text, text })
    }
  }
  useKey('r', 'Run the statement', run)
  const insert = (written: string) => {
    areTablesOpen.value = false
    editor.current?.insert(written)
  }
  const type = (changed: string) => keepDraft(place, { over: statement, text: changed })
  // What was typed while the statement was saved is a draft over it.
  const keep = (stored: string) => {
    forget()
    keepDraft(place, { over: stored, text: textAt(place, statement) })
  }
  const isChanged =
    saved !== undefined &&
    (text !== saved.statement || JSON.stringify(view) !== JSON.stringify(saved.view))
  return (
    <>
      <Header
        insight={insight}
        show={show}
        query={toQuery(text)}
        node={toNode(toQuery(text), view, saved?.beside)}
        isChanged={isChanged}
        isEmpty={isEmpty}
        saved={() => keep(text)}
        run={run}
        openTables={() => {
          areTablesOpen.value = true
        }}
      />
      <div class="body wide">
        <div class="sql">
          <aside class="tables" aria-label="Tables">
            <Tables {...names} insert={insert} />
            {may('insight:read') && <SavedStatements />}
          </aside>
          <div class="stack">
            <StatementCard
              text={text}
              change={type}
              ran={statement}
              asked={asked}
              isInAddress={isInAddress}
              run={run}
              names={names}
              editor={editor}
            />
            <AnswerCard
              asked={asked}
              ran={statement}
              view={view}
              name={insight ? nameOfInsight(insight) : 'statement'}
            />
          </div>
        </div>
      </div>
      {areTablesOpen.value && (
        <TablesDialog
          names={names}
          insert={insert}
          close={() => {
            areTablesOpen.value = false
          }}
        />
      )}
    </>
  )
}

type TablesDialogProps = {
  names: ReturnType<typeof useNames>
  insert: (text: string) => void
  close: () => void
}

/** The tables where there is no room for them beside the editor. */
const TablesDialog = ({ names, insert, close }: TablesDialogProps) => (
  <Dialog
    title="Tables"
    close={close}
    footer={
      <button type="button" class="b" onClick={close}>
        Close
      </button>
    }
  >
    <div class="tables in-dialog">
      <Tables {...names} insert={insert} />
      {may('insight:read') && <SavedStatements />}
    </div>
  </Dialog>
)
