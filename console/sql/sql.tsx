import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { parameters, path, setParameters } from '../address.ts'
import { useAnswer } from '../explore/answer.ts'
import { type Insight, nameOfInsight } from '../explore/question.ts'
import { Opened } from '../insights/opened.tsx'
import { useKey } from '../keys.ts'
import { Dialog } from '../parts.tsx'
import { may, project } from '../session.ts'
import { AnswerCard } from './answer-card.tsx'
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
    <Page insight={undefined} reload={() => {}} />
  ) : (
    <Opened shortId={shortId} title="SQL">
      {(insight, reload) => <Page key={insight.short_id} insight={insight} reload={reload} />}
    </Opened>
  )
}

/** What was typed and not run, by project and insight: it is there again when one comes back. */
const drafts = new Map<string, string>()

type PageProps = { insight: Insight | undefined; reload: () => void }

/** The statement that is answered: of the address, of the insight, or the last one. */
function useStatement(insight: Insight | undefined) {
  const saved = insight && statementIn(insight.query)
  const first = useRef(listPast()[0]?.statement ?? FIRST_STATEMENT)
  // A statement that is too long for the address.
  const long = useSignal<string | undefined>(undefined)
  const inAddress = parameters.value.get('q') ?? undefined
  const view = parameters.value.get('view')
  return {
    saved,
    statement: inAddress ?? long.value ?? saved?.statement ?? first.current,
    view: view === null ? (saved?.view ?? {}) : viewIn(view),
    change(statement: string) {
      const isShort = statement.length <= MAX_IN_ADDRESS
      long.value = isShort ? undefined : statement
      setParameters({ q: isShort && statement !== saved?.statement ? statement : undefined })
    },
    isInAddress: long.value === undefined
  }
}

function Page({ insight, reload }: PageProps) {
  const { saved, statement, view, change, isInAddress } = useStatement(insight)
  const draft = `${project.value?.id} ${insight?.short_id ?? ''}`
  const text = useSignal(drafts.get(draft) ?? statement)
  const before = useRef(statement)
  // The history and links change the statement, too.
  useEffect(() => {
    if (before.current !== statement) {
      before.current = statement
      text.value = statement
    }
  }, [statement])
  const asked = useAnswer<SqlAnswer>(toQuery(statement))
  const names = useNames()
  const editor = useRef<EditorHandle | undefined>(undefined)
  const areTablesOpen = useSignal(false)
  const isEmpty = text.value.trim() === ''
  const run = () => {
    if (isEmpty) {
      return
    }
    drafts.delete(draft)
    notePast(text.value, new Date())
    if (text.value === statement) {
      asked.reload()
    } else {
      before.current = text.value
      change(text.value)
    }
  }
  useKey('r', 'Run the statement', run)
  const insert = (written: string) => {
    areTablesOpen.value = false
    editor.current?.insert(written)
  }
  const type = (changed: string) => {
    text.value = changed
    drafts.set(draft, changed)
  }
  const isChanged =
    saved !== undefined &&
    (text.value !== saved.statement || JSON.stringify(view) !== JSON.stringify(saved.view))
  return (
    <>
      <Header
        insight={insight}
        reload={reload}
        query={toQuery(text.value)}
        node={toNode(toQuery(text.value), view, saved?.beside)}
        isChanged={isChanged}
        isEmpty={isEmpty}
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
              text={text.value}
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
