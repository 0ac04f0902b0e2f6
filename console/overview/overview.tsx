import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { labelAxis } from '../../src/calendar/axis.ts'
import type { Unit } from '../../src/charts/format.ts'
import { addressOf, parameters, setParameters } from '../address.ts'
import { call } from '../api.ts'
import { ChartView, useTableKey } from '../chart/chart.tsx'
import { comparedDays, daysOf, daysText, intervalOf } from '../dates.ts'
import { FirstEvent } from '../events/first.tsx'
import { placed } from '../explore/annotations.ts'
import { readFilters, writeFilters } from '../filters/filter.ts'
import { Filters } from '../filters/filters.tsx'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Empty, Fault, Skeleton, Top, toast } from '../parts.tsx'
import {
  type AskedPeriod,
  ComparisonPicker,
  PeriodPicker,
  periodIn,
  periodQuery,
  today
} from '../period.tsx'
import { may, project } from '../session.ts'
import { count, nameOf } from '../words.ts'
import { METRIC_KEYS, METRICS, Metrics } from './metrics.tsx'
import {
  CARDS,
  type MetricKey,
  type OverviewAnswer,
  ROWS,
  type Tab,
  tabIn,
  tableOf
} from './question.ts'
import { CardFrame, RankCard, RankRow } from './rank.tsx'

/** Events of the list. */
const EVENTS = 8

type Shown = {
  question: object
  period: AskedPeriod
  tabs: Tab[]
  answer: OverviewAnswer
}

/** Who is here, five numbers, one chart, and ranked lists that are filters. */
export function OverviewPage() {
  const values = parameters.value
  const period = periodIn(values)
  const filters = readFilters(values.get('properties'))
  const metric = METRIC_KEYS.find((key) => key === values.get('metric')) ?? 'visitors'
  const tabs = CARDS.flatMap((card) => tabIn(card, values) ?? [])
  const question = { ...periodQuery(period), properties: filters }
  const query = {
    ...question,
    kind: 'WebOverviewQuery',
    interval: intervalOf(period, today()),
    tables: tabs.map(tableOf),
    events: { limit: EVENTS },
    ...(may('annotation:read') && { annotations: true })
  }
  const { data, error, reload } = useLoaded<Shown>(JSON.stringify(query), async (signal) => ({
    question,
    period,
    tabs,
    answer: await call<OverviewAnswer>('POST', 'query/', { body: { query }, signal })
  }))
  const isBlank = data !== undefined && data.answer.events.length === 0 && filters.length === 0
  const days = daysOf(period, today())
  return (
    <>
      <Top>
        <h1>Overview</h1>
        <Live />
        <span class="grow" />
        <PeriodPicker />
        <ComparisonPicker />
        <button
          type="button"
          class="b wide-only"
          title="Copy a link to what is shown"
          onClick={() =>
            navigator.clipboard
              .writeText(location.href)
              .then(() => toast('Copied. The link shows the same to whoever has access.'))
          }
        >
          <Icon name="copy" />
          Copy link
        </button>
      </Top>
      <div class="body wide overview">
        <div class="filters">
          <Filters
            filters={filters}
            change={(changed) => setParameters({ properties: writeFilters(changed) })}
            hasKey
          />
          <span class="grow" />
          <span class="mut wide-only">
            {days ? `${daysText(days)}, ` : ''}
            {project.value?.timezone}
          </span>
        </div>
        {error && <Fault error={error} retry={reload} />}
        {isBlank ? (
          <Blank reload={reload} />
        ) : (
          <Numbers shown={data} metric={metric} filters={filters} hasFault={error !== undefined} />
        )}
      </div>
    </>
  )
}

/** Time between two counts of who is here, ms. */
const LIVE_MS = 30_000

/** Who has sent an event in the last five minutes. */
function Live() {
  const turn = useSignal(0)
  const { data } = useLoaded(`live ${turn.value}`, async (signal) => {
    const { results } = await call<{ results: { aggregated_value: number }[] }>('POST', 'query/', {
      signal,
      body: {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: null, math: 'dau' }],
          dateRange: { date_from: '-5M' },
          trendsFilter: { display: 'BoldNumber' }
        }
      }
    })
    return results[0]?.aggregated_value ?? 0
  })
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) {
        turn.value += 1
      }
    }, LIVE_MS)
    return () => clearInterval(timer)
  }, [])
  return data === undefined ? null : (
    <span class={`live${data === 0 ? ' off' : ''}`} title="Visitors of the last five minutes">
      {count(data)} online
    </span>
  )
}

const UNITS: Partial<Record<MetricKey, Unit>> = {
  'bounce rate': 'percent',
  'session duration': 'seconds'
}

type NumbersProps = {
  shown: Shown | undefined
  metric: MetricKey
  filters: ReturnType<typeof readFilters>
  hasFault: boolean
}

function Numbers({ shown, metric, filters, hasFault }: NumbersProps) {
  const { answer, tabs = [], period } = shown ?? {}
  const isCompared = answer?.results.some(({ previous }) => previous) ?? false
  const before = period?.compareTo ? comparedDays(period, period.compareTo, today()) : undefined
  const asked = parameters.value
  const total = answer?.results.find(({ key }) => key === 'visitors')?.value ?? 0
  if (!shown && hasFault) {
    return null
  }
  return (
    <div class="fold">
      <section class="card" aria-label="Numbers over time">
        <Metrics
          items={answer?.results}
          pressed={metric}
          label={before ? `Numbers, against ${daysText(before)}` : 'Numbers'}
        />
        <div class="chart">
          {answer ? (
            <OverTime answer={answer} metric={metric} isCompared={isCompared} />
          ) : (
            <div class="chart-room" />
          )}
        </div>
        <p class="legend">
          {before && isCompared && (
            <span>
              <i class="key line prev-key" />
              {daysText(before)}
            </span>
          )}
          {before && answer && !isCompared && (
            <span>There are no views of {daysText(before)} to compare with.</span>
          )}
        </p>
      </section>
      <div class="grid g3">
        {CARDS.map((card, i) => {
          const tab = tabIn(card, asked) ?? card.tabs[0]
          return (
            tab && (
              <RankCard
                key={card.id}
                card={card}
                tab={tab}
                shown={tabs[i] ?? tab}
                answer={answer?.tables[i]}
                filters={filters}
                total={total}
                question={shown?.question ?? {}}
              />
            )
          )
        })}
        <Events answer={answer} />
      </div>
    </div>
  )
}

/** Height of the chart, pixels. */
const HEIGHT = 236

type OverTimeProps = { answer: OverviewAnswer; metric: MetricKey; isCompared: boolean }

/** The pressed number over time. */
function OverTime({ answer, metric, isCompared }: OverTimeProps) {
  const isTable = useTableKey()
  const { current, previous, interval, finished } = answer.series
  const unit = UNITS[metric]
  const numbers = (list: (number | null)[]) => list.map((value) => value ?? 0)
  return (
    <ChartView
      height={HEIGHT}
      isTable={isTable.value}
      chart={{
        kind: 'line',
        title: METRICS[metric],
        subtitle: '',
        counted: `${METRICS[metric]} by ${interval}`,
        buckets: labelAxis(current.days, interval, finished),
        days: current.days,
        interval,
        earlier: previous?.days ?? [],
        finished,
        total: null,
        warning: null,
        annotations: placed(current, answer.annotations ?? [], project.value?.timezone ?? 'UTC'),
        ...(unit && { unit }),
        series: [
          {
            name: METRICS[metric],
            data: numbers(current[metric]),
            ...(isCompared &&
              previous && { previous: fitted(numbers(previous[metric]), current.days.length) })
          }
        ]
      }}
    />
  )
}

/** The buckets of two periods are drawn side by side; one may have a bucket less. */
const fitted = (data: number[], length: number): number[] =>
  Array.from({ length }, (_, i) => data[i] ?? 0)

/** The most frequent events, which open the list of those with the name. */
function Events({ answer }: { answer: OverviewAnswer | undefined }) {
  const events = answer?.events.slice(0, ROWS) ?? []
  const most = Math.max(1, ...events.map((one) => one.count))
  const isLinked = may('query:read')
  return (
    <CardFrame title="Events">
      {answer ? (
        <ul class="rank">
          {events.map((one) => (
            <RankRow
              key={one.event}
              name={nameOf(one.event)}
              value={one.count}
              bar={one.count / most}
              {...(isLinked && { href: addressOf(['events'], { event: one.event }) })}
            />
          ))}
        </ul>
      ) : (
        <div class="pad">
          <Skeleton rows={ROWS} />
        </div>
      )}
      {isLinked ? (
        <a class="more" href={addressOf(['events'])}>
          All events
          <Icon name="next" small />
        </a>
      ) : (
        <span class="more" />
      )}
    </CardFrame>
  )
}

/** Time between two looks for the first event, ms. */
const FIRST_MS = 2_000

/** What is shown of a period without any event: how to send the first one, if there was none ever. */
function Blank({ reload }: { reload: () => void }) {
  const turn = useSignal(0)
  const { data } = useLoaded(`first ${turn.value}`, (signal) =>
    call<{ count: number }>('GET', 'event_definitions/', { query: { limit: '1' }, signal })
  )
  const isWaiting = data?.count === 0
  useEffect(() => {
    if (!isWaiting) {
      return
    }
    const timer = setInterval(() => {
      turn.value += 1
    }, FIRST_MS)
    return () => {
      clearInterval(timer)
      reload()
    }
  }, [isWaiting])
  if (isWaiting) {
    return <FirstEvent />
  }
  return data ? (
    <Empty title="No events in this period.">
      <button
        type="button"
        class="b"
        onClick={() =>
          setParameters({ date_from: 'all', date_to: undefined, compare_to: undefined })
        }
      >
        Show all time
      </button>
    </Empty>
  ) : null
}
