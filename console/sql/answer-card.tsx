import { useSignal } from '@preact/signals'
import { setParameters } from '../address.ts'
import { type ApiError, callText } from '../api.ts'
import type { QuestionNode } from '../chart/answer.ts'
import { Icon } from '../icons.tsx'
import { Empty, Fault, Skeleton } from '../parts.tsx'
import { saveFile } from '../save.ts'
import { count } from '../words.ts'
import { answers, isOfStatement, type SqlAsked } from './asked.ts'
import { AnswerChart, ChartSettings } from './chart.tsx'
import { Rows } from './rows.tsx'
import { MAX_ROWS, type SqlAnswer } from './statement.ts'
import { firstDisplay, fitting, kindOfView, type View } from './view.ts'

type AnswerCardProps = { asked: SqlAsked; ran: string; view: View; name: string }

/** The answer as rows or as a chart. */
export function AnswerCard({ asked, ran, view: chosen, name }: AnswerCardProps) {
  const { shown, error, isLoading, reload } = asked
  if (error && !isOfStatement(error)) {
    return <Fault error={error} retry={reload} />
  }
  if (!shown) {
    return (
      <section class="card waiting-answer" aria-label="Answer">
        {isLoading && <Skeleton rows={8} />}
        {!isLoading && !error && <Empty title="The statement was stopped." />}
        {error && <Empty title="There is no answer yet." />}
      </section>
    )
  }
  const { answer } = shown
  const view = fitting(chosen, answer)
  const isChart = kindOfView(view) !== undefined
  const show = (changed: View) => setParameters({ view: JSON.stringify(changed) })
  const isOld = !isLoading && (error !== undefined || !answers(asked, ran))
  const notes = isOld ? [OLD] : notesOf(answer)
  return (
    <section class="card" aria-label="Answer">
      <header class="answer-head">
        <fieldset class="seg" aria-label="Show the answer as">
          <button
            type="button"
            aria-pressed={!isChart}
            onClick={() => show({ ...view, display: 'ActionsTable' })}
          >
            Rows
          </button>
          <button
            type="button"
            aria-pressed={isChart}
            onClick={() => isChart || show({ ...view, display: firstDisplay(answer) })}
          >
            Chart
          </button>
        </fieldset>
        {isChart && <ChartSettings answer={answer} view={view} change={show} />}
        <span class="grow" />
        <Download key={shown.name} query={shown.query} name={name} />
      </header>
      {notes.map((words) => (
        <p key={words} class="answer-note">
          <Icon name="warning" small />
          <bdi>{words}</bdi>
        </p>
      ))}
      {answer.results.length === 0 && (
        <div class="pad">
          <Empty title="No rows.">
            <p class="sec">Nothing meets the conditions of the statement.</p>
          </Empty>
        </div>
      )}
      {answer.results.length > 0 &&
        (isChart ? <AnswerChart answer={answer} view={view} /> : <Rows answer={answer} />)}
    </section>
  )
}

const OLD = 'This is the answer to the previous statement.'

/** What is to be known of an answer besides its rows. */
function notesOf({ warnings, hasMore, limit }: SqlAnswer): string[] {
  const more =
    limit < MAX_ROWS
      ? `There are more rows: write a larger LIMIT, up to ${count(MAX_ROWS)}.`
      : 'There are more rows: write an OFFSET to see them.'
  // The warning that there is no LIMIT tells those who cannot see whether there are more rows.
  const others = warnings.filter((words) => !/^The statement has no LIMIT/.test(words))
  return hasMore ? [...others, more] : others
}

/** Saves all rows of the statement as CSV. */
function Download({ query, name }: { query: QuestionNode; name: string }) {
  const isLoading = useSignal(false)
  const fault = useSignal<ApiError | undefined>(undefined)
  const download = async () => {
    isLoading.value = true
    fault.value = undefined
    try {
      const csv = await callText('POST', 'query/', { query: { format: 'csv' }, body: { query } })
      saveFile(`${name.slice(0, 60)}.csv`, csv, 'text/csv')
    } catch (error) {
      fault.value = error as ApiError
    } finally {
      isLoading.value = false
    }
  }
  return (
    <>
      <button type="button" class="b small" disabled={isLoading.value} onClick={download}>
        <Icon name="save" small />
        CSV
      </button>
      {fault.value && <Fault error={fault.value} />}
    </>
  )
}
