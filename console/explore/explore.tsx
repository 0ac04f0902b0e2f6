import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { shownOf } from '../../src/charts/draw.ts'
import { addressOf, parameters, path, setParameters } from '../address.ts'
import { type Answer, chartOf, type DrawnAnswer, type QuestionNode } from '../chart/answer.ts'
import { ChartView, useTableKey } from '../chart/chart.tsx'
import { Numbers } from '../chart/numbers.tsx'
import { PersonsOfPoint } from '../chart/persons.tsx'
import { hasPersons, type Point, readPoint, writePoint } from '../chart/point.ts'
import { intervalOf } from '../dates.ts'
import { maySeePersons } from '../drawer.tsx'
import { Icon } from '../icons.tsx'
import { Notice, Opened } from '../insights/opened.tsx'
import { useLoaded } from '../loaded.ts'
import { Empty, Fault, Name, Skeleton } from '../parts.tsx'
import { ComparisonPicker, PeriodPicker, periodIn, today } from '../period.tsx'
import { project } from '../session.ts'
import { count } from '../words.ts'
import { type Annotation, placed, useAnnotations } from './annotations.ts'
import { type Asked, useAnswer } from './answer.ts'
import { Builder } from './builder.tsx'
import { Header } from './header.tsx'
import { listEvents } from './names.ts'
import {
  ask,
  FIRST_QUESTION,
  has,
  type Insight,
  isComplete,
  nameOfInsight,
  questionOf,
  seriesOf,
  splitDates
} from './question.ts'
import { sentenceOf } from './sentence.ts'
import { Summary } from './summary.tsx'

/** The page: a saved insight of the address, or a question of one's own. */
export function Explore() {
  const [, , shortId] = path.value
  return shortId === undefined ? (
    <Page insight={undefined} show={() => {}} />
  ) : (
    <Opened shortId={shortId} title="Explore">
      {(insight, show) => <Page key={insight.short_id} insight={insight} show={show} />}
    </Opened>
  )
}

/** Reads the question of the address; undefined without one that can be read. */
function questionIn(values: URLSearchParams): QuestionNode | undefined {
  try {
    const read: unknown = JSON.parse(values.get('q') ?? '')
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? (read as QuestionNode)
      : undefined
  } catch {
    return undefined
  }
}

type PageProps = { insight: Insight | undefined; show: (stored: Insight) => void }

function Page({ insight, show }: PageProps) {
  const saved = insight && questionOf(insight)
  const split = saved && splitDates(saved, today())
  const values = parameters.value
  // The pickers of the period read the address.
  useEffect(() => {
    if (split && !parameters.value.has('date_from')) {
      setParameters(split.dates, { replace: true })
    }
  })
  if (insight && !split && !values.has('q')) {
    return <Foreign insight={insight} />
  }
  if (split && !values.has('date_from')) {
    return null
  }
  const question = questionIn(values) ?? split?.question ?? FIRST_QUESTION
  return (
    <Question
      insight={insight}
      show={show}
      question={question}
      before={split && ask(split.question, periodOf(split.dates), today())}
    />
  )
}

const periodOf = (dates: Record<string, string | undefined>) =>
  periodIn(
    new URLSearchParams(
      Object.entries(dates).filter((entry): entry is [string, string] => entry[1] !== undefined)
    )
  )

/** An insight whose question has fields that the builder does not know: as it is drawn elsewhere. */
const Foreign = ({ insight }: { insight: Insight }) => (
  <Notice title={nameOfInsight(insight)}>
    <Empty title="This question cannot be changed here.">
      <p class="sec">
        It lists events or persons, or has filters of an older form. Dashboards show it as before,
        and links and messages unless it shows persons; the API changes it.
      </p>
      <a class="b" href={addressOf(['explore'])}>
        Ask something else
      </a>
    </Empty>
  </Notice>
)

type QuestionProps = PageProps & {
  question: QuestionNode
  /** The saved question, complete; undefined if nothing is saved. */
  before: QuestionNode | undefined
}

function Question({ insight, show, question, before }: QuestionProps) {
  const period = periodIn(parameters.value)
  const query = isComplete(question) ? ask(question, period, today()) : undefined
  const asked = useAnswer(query)
  const { shown } = asked
  const notes = useAnnotations(insight)
  const chart = useMemo(() => shown && draw(shown.query, shown.answer, notes), [shown, notes])
  const names = useNamesForNothing(shown?.query, chart)
  const { open, opened } = usePoint(asked, chart)
  const change = (changed: QuestionNode) => setParameters({ q: JSON.stringify(changed) })
  const title = chart?.title ?? ''
  return (
    <>
      <Header
        insight={insight}
        show={show}
        query={query}
        title={title}
        isChanged={before !== undefined && JSON.stringify(query) !== JSON.stringify(before)}
      />
      <div class={opened ? 'explore with-drawer' : 'explore'}>
        <BuilderPanel title={title}>
          <Builder question={question} change={change} error={asked.error} names={names} />
        </BuilderPanel>
        <section class="canvas" aria-label="Answer">
          <Canvas
            question={question}
            change={change}
            asked={asked}
            canAsk={query !== undefined}
            chart={chart}
            open={open}
          />
        </section>
        {opened && <PersonsOfPoint {...opened} close={() => setParameters({ point: undefined })} />}
      </div>
    </>
  )
}

/** The point of the address, whose persons are shown. */
function usePoint({ shown }: Asked, chart: DrawnAnswer | undefined) {
  const mayOpen = maySeePersons() && shown !== undefined && hasPersons(shown.query)
  const point = mayOpen ? readPoint(parameters.value.get('point')) : undefined
  return {
    open: mayOpen ? (picked: Point) => setParameters({ point: writePoint(picked) }) : undefined,
    opened: point && chart && shown ? { point, chart, question: shown.query } : undefined
  }
}

/** The builder; on a phone it is a line until it is opened. */
function BuilderPanel({ title, children }: { title: string; children: ComponentChildren }) {
  const isOpen = useSignal(false)
  return (
    <section class={isOpen.value ? 'builder open' : 'builder'} aria-label="Question">
      <button
        type="button"
        class="b phone-only builder-b"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        <Icon name="ranked" />
        <span class="cut grow">
          <Name>{title || 'Build the question'}</Name>
        </span>
        <Icon name="edit" />
      </button>
      <div class="parts">{children}</div>
    </section>
  )
}

type CanvasProps = {
  question: QuestionNode
  change: (question: QuestionNode) => void
  asked: Asked
  /** Whether the question is complete. */
  canAsk: boolean
  chart: DrawnAnswer | undefined
  open: ((point: Point) => void) | undefined
}

/** The answer: what it is counted over, its sentence, the chart, the table. */
function Canvas({ question, change, asked, canAsk, chart: drawn, open }: CanvasProps) {
  const isTable = useTableKey()
  const { shown } = asked
  // An answer to another question would be taken for one to this.
  const chart = canAsk ? drawn : undefined
  return (
    <>
      <div class="row wrap tools">
        <PeriodPicker />
        {has.interval(question) && <IntervalPicker question={question} change={change} />}
        {has.comparison(question) && <ComparisonPicker />}
        <span class="grow" />
        {shown && !asked.isLoading && (
          <span class="mut broad-only">Counted in {count(Math.round(shown.ms))} ms</span>
        )}
        {chart && chart.kind !== 'retention' && (
          <button
            type="button"
            class="b icon"
            aria-label={isTable.value ? 'Show the chart' : 'Show the numbers'}
            title="Table or chart (v)"
            onClick={() => {
              isTable.value = !isTable.value
            }}
          >
            <Icon name={isTable.value ? 'line' : 'table'} />
          </button>
        )}
      </div>
      {asked.error && <Fault error={asked.error} retry={asked.reload} />}
      <Slow asked={asked} />
      <section class="card answer">
        {shown && chart ? (
          <>
            <Sentence question={shown.query} chart={chart} />
            <div class="chart">
              <ChartView
                chart={chart}
                height={CHART_HEIGHT}
                isTable={isTable.value}
                onPoint={open}
              />
            </div>
          </>
        ) : (
          <Waiting canAsk={canAsk} asked={asked} />
        )}
      </section>
      {chart && chart.kind === 'funnel' && chart.series.length > 1 && !isTable.value && (
        <section class="card summary" aria-label="Values">
          <Numbers chart={chart} onPoint={open} />
        </section>
      )}
      {shown && chart && shown.query.kind === 'TrendsQuery' && chart.kind !== 'table' && (
        <Summary
          question={shown.query}
          chart={chart}
          drawn={shownOf(chart).series}
          hasMore={shown.answer.hasMore ?? false}
          onPoint={open}
        />
      )}
    </>
  )
}

/** Seconds after which the page says that it still counts, and offers to stop. */
const SLOW_S = 5
const CANCEL_S = 10
const CHART_HEIGHT = 300

/** Says that an answer takes long, and stops it. */
const Slow = ({ asked: { isLoading, seconds, cancel } }: { asked: Asked }) =>
  isLoading && seconds >= SLOW_S ? (
    <div class="note" role="status">
      <p class="grow">Counting for {seconds} s.</p>
      {seconds >= CANCEL_S && (
        <button type="button" class="b small" onClick={cancel}>
          Cancel
        </button>
      )}
    </div>
  ) : null

/** What stands in the place of the first answer. */
function Waiting({ canAsk, asked }: { canAsk: boolean; asked: Asked }) {
  const { isLoading, error, reload } = asked
  return (
    <div class="chart waiting-chart">
      {!canAsk && <Empty title="Choose an event for each part of the question." />}
      {canAsk && isLoading && <Skeleton rows={8} />}
      {canAsk && !isLoading && !error && (
        <Empty title="The question was stopped.">
          <button type="button" class="b" onClick={reload}>
            Ask again
          </button>
        </Empty>
      )}
    </div>
  )
}

const draw = (
  query: QuestionNode,
  answer: Answer,
  notes: readonly Annotation[]
): DrawnAnswer | undefined => {
  const place = { timezone: project.value?.timezone ?? 'UTC', now: new Date() }
  const chart = chartOf(query, answer, place)
  return chart && { ...chart, annotations: placed(chart, notes, place.timezone) }
}

/** Loads the names of events if a series has counted nothing: it may be misspelt. */
function useNamesForNothing(query: QuestionNode | undefined, chart: DrawnAnswer | undefined) {
  const isNothing =
    query !== undefined &&
    chart !== undefined &&
    seriesOf(query).some(({ event }, place) => event !== null && hasNothing(query, chart, place))
  const { data } = useLoaded(String(isNothing), async () =>
    isNothing ? await listEvents() : undefined
  )
  return isNothing ? data : undefined
}

const hasNothing = (query: QuestionNode, { series, keys }: DrawnAnswer, place: number): boolean =>
  query.kind === 'FunnelsQuery'
    ? series.every(({ data }) => (data[place] ?? 0) === 0)
    : series.every(
        ({ data }, i) =>
          (keys[i]?.place !== place && query.kind === 'TrendsQuery') ||
          data.every((value) => value === 0)
      )

function Sentence({ question, chart }: { question: QuestionNode; chart: DrawnAnswer }) {
  const words = sentenceOf(question, chart)
  return words.length === 0 ? null : (
    <p class="say">
      {words.map((part, i) =>
        typeof part === 'string' ? (
          <bdi key={i}>{part}</bdi>
        ) : (
          <b key={i}>
            <bdi>{part.strong}</bdi>
          </b>
        )
      )}
    </p>
  )
}

const INTERVALS = [
  ['hour', 'By the hour'],
  ['day', 'By day'],
  ['week', 'By week'],
  ['month', 'By month']
] as const

type IntervalProps = {
  question: QuestionNode
  change: (question: QuestionNode) => void
}

function IntervalPicker({ question, change }: IntervalProps) {
  const value = question.interval ?? intervalOf(periodIn(parameters.value), today())
  return (
    <span class="b select">
      <select
        aria-label="Interval"
        value={value}
        onChange={(event) => {
          // The cast is safe: these are the options.
          const chosen = event.currentTarget.value as NonNullable<QuestionNode['interval']>
          change({ ...question, interval: chosen })
        }}
      >
        {INTERVALS.map(([interval, name]) => (
          <option key={interval} value={interval}>
            {name}
          </option>
        ))}
        {value === 'minute' && <option value="minute">By the minute</option>}
      </select>
      <Icon name="below" small />
    </span>
  )
}
