import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { Popover } from '../popover.tsx'
import { project } from '../session.ts'
import { count } from '../words.ts'
import { answers, isOfStatement, type SqlAsked } from './asked.ts'
import { Editor, type EditorHandle } from './editor.tsx'
import type { useNames } from './names.ts'
import { Past } from './past.tsx'
import { faultIn, MAX_ROWS, type StatementFault } from './statement.ts'

type StatementCardProps = {
  text: string
  change: (text: string) => void
  /** The statement that was run last. */
  ran: string
  asked: SqlAsked
  isInAddress: boolean
  run: () => void
  names: ReturnType<typeof useNames>
  editor: { current: EditorHandle | undefined }
}

/** The editor, what is wrong with the statement, and how its answer is coming along. */
export function StatementCard(props: StatementCardProps) {
  const { text, change, ran, asked, isInAddress, run, names, editor } = props
  const id = useId()
  const isPastOpen = useSignal(false)
  const { error } = asked
  const fault = isOfStatement(error) ? faultIn(ran, error.message) : undefined
  // The place of a fault is that in the text which was run.
  const wrongAt = fault && text === ran ? fault.at : undefined
  return (
    <section class="card statement" aria-label="Statement">
      <Editor
        text={text}
        change={change}
        names={names.names}
        want={names.want}
        run={run}
        wrongAt={wrongAt}
        faultId={fault && id}
        handle={editor}
      />
      {fault && (
        <FaultLine
          id={id}
          fault={fault}
          goTo={wrongAt === undefined ? undefined : () => editor.current?.goTo(wrongAt)}
        />
      )}
      <div class="statement-foot">
        <span class="anchor">
          <button
            type="button"
            class="b quiet small"
            aria-expanded={isPastOpen.value}
            onClick={() => {
              isPastOpen.value = !isPastOpen.value
            }}
          >
            <Icon name="clock" small />
            History
          </button>
          {isPastOpen.value && (
            <Popover
              label="Earlier statements"
              close={() => {
                isPastOpen.value = false
              }}
            >
              <Past
                pick={(statement) => {
                  isPastOpen.value = false
                  editor.current?.replace(statement)
                }}
              />
            </Popover>
          )}
        </span>
        <span class="broad-only">Read only</span>
        <span class="broad-only">Times in {project.value?.timezone}</span>
        <span class="broad-only">At most {count(MAX_ROWS)} rows</span>
        {!isInAddress && <span class="broad-only">Too long for a link</span>}
        <span class="grow" />
        <Progress asked={asked} ran={ran} />
      </div>
    </section>
  )
}

type FaultLineProps = { id: string; fault: StatementFault; goTo: (() => void) | undefined }

const FaultLine = ({ id, fault: { words, place }, goTo }: FaultLineProps) => (
  <div class="fault-line" role="alert">
    <Icon name="warning" small />
    <p id={id}>
      {place && (
        <>
          {goTo ? (
            <button type="button" class="as-place" onClick={goTo}>
              {place}
            </button>
          ) : (
            <b>{place}</b>
          )}
          {': '}
        </>
      )}
      <bdi>{words}</bdi>
    </p>
  </div>
)

/** How many rows there are, or how long they take. */
function Progress({ asked, ran }: { asked: SqlAsked; ran: string }) {
  const { isLoading, seconds, shown, error, cancel } = asked
  if (isLoading) {
    return (
      <span class="row nowrap running">
        <span role="status">Running{seconds > 0 ? ` for ${seconds} s` : ''}</span>
        <button type="button" class="b small" onClick={cancel}>
          Cancel
        </button>
      </span>
    )
  }
  if (error) {
    return null
  }
  if (!shown || !answers(asked, ran)) {
    return <span role="status">Stopped</span>
  }
  const { results, hasMore } = shown.answer
  const rows = `${count(results.length)} ${results.length === 1 ? 'row' : 'rows'}`
  return (
    <span class="done" role="status">
      {hasMore ? `First ${rows}` : rows} in {count(Math.round(shown.ms))} ms
    </span>
  )
}
