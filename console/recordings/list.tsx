import { useSignal } from '@preact/signals'
import { addressOf, go, parameters, path } from '../address.ts'
import { ApiError, call } from '../api.ts'
import { wordsOf } from '../filters/filter.ts'
import { Filters, valuesText } from '../filters/filters.tsx'
import { propertyName } from '../filters/properties.ts'
import { Icon } from '../icons.tsx'
import { Empty, Fault, Moment, Name, Skeleton } from '../parts.tsx'
import { count, durationOf, pageOf } from '../words.ts'
import { barsOf, type Recording, visitorOf } from './api.ts'
import {
  addWords,
  type FilterGroup,
  type FromWords,
  filtersOf,
  ORDERS,
  PERIOD,
  readWanted,
  type Wanted,
  writeWanted
} from './filters.ts'
import type { Recordings } from './load.ts'
import { RECORDING_PROPERTIES } from './properties.ts'

/** Shows another list; the recording that is open stays open. */
function show(wanted: Wanted): void {
  const [, ...page] = path.value
  const { t } = Object.fromEntries(parameters.value)
  go(addressOf(page, { ...writeWanted(wanted), t }))
}

/** The list of recordings, with its filters. */
export function List({ recordings }: { recordings: Recordings }) {
  const wanted = readWanted(parameters.value)
  const { rows, total, error, next, isLoading } = recordings
  return (
    <section class="col rec-col" aria-label="List">
      <div class="col-head">
        <h2>Recordings</h2>
        {total !== undefined && <span class="count">{count(total)}</span>}
        <span class="grow" />
        <Period wanted={wanted} />
      </div>
      <div class="rec-filters">
        <Words wanted={wanted} />
        <div class="row">
          <Filters
            filters={wanted.filters}
            change={(filters) => show({ ...wanted, filters })}
            extra={RECORDING_PROPERTIES}
            hasKey
          />
          <OtherChips wanted={wanted} />
          <select
            class="b small quiet order"
            aria-label="Order"
            value={wanted.order}
            onChange={(event) => show({ ...wanted, order: event.currentTarget.value })}
          >
            {Object.entries(ORDERS).map(([order, words]) => (
              <option key={order} value={order}>
                {words}
              </option>
            ))}
          </select>
        </div>
      </div>
      {error && <Fault error={error} retry={recordings.reload} />}
      {!rows && !error && <Skeleton rows={8} />}
      {rows && rows.length > 0 && (
        <ol class="rec-list">
          {rows.map((recording) => (
            <Row key={recording.id} recording={recording} isSeen={recordings.isSeen(recording)} />
          ))}
          {next && (
            <li class="rec-more">
              <button type="button" class="more" disabled={isLoading} onClick={recordings.more}>
                Show more
                <Icon name="next" small />
              </button>
            </li>
          )}
        </ol>
      )}
      {rows?.length === 0 && <NoRecordings wanted={wanted} />}
    </section>
  )
}

/** `-7d` → `7 days` */
const PERIODS: Record<string, string> = {
  '-24h': '24 hours',
  [PERIOD]: '7 days',
  '-30d': '30 days',
  all: 'All'
}

/** `-3d` → `3 days`; dates stay as they are. */
function periodWords({ from, to }: Wanted): string {
  const [, days] = /^-(\d+)d$/.exec(to === '' ? from : '') ?? []
  const words = [from === 'all' ? '' : `from ${from}`, to && `to ${to}`].filter(Boolean).join(' ')
  return days ? `${days} days` : words
}

function Period({ wanted }: { wanted: Wanted }) {
  const isKnown = wanted.to === '' && Object.hasOwn(PERIODS, wanted.from)
  return (
    <select
      class="b small"
      aria-label="Period"
      value={isKnown ? wanted.from : ''}
      onChange={(event) => show({ ...wanted, from: event.currentTarget.value, to: '' })}
    >
      {Object.entries(PERIODS).map(([from, words]) => (
        <option key={from} value={from}>
          {words}
        </option>
      ))}
      {!isKnown && (
        <option value="" disabled>
          {periodWords(wanted).slice(0, 40)}
        </option>
      )}
    </select>
  )
}

/** The field that turns words into filters. */
function Words({ wanted }: { wanted: Wanted }) {
  const words = useSignal('')
  const said = useSignal<string | undefined>(undefined)
  const isAsking = useSignal(false)
  const ask = async () => {
    const content = words.value.trim()
    if (content === '' || isAsking.value) {
      return
    }
    isAsking.value = true
    try {
      const body = { messages: [{ role: 'user', content }] }
      const answer = await call<FromWords>('POST', 'session_recordings/ai/filters/', { body })
      if (answer.result === 'question') {
        said.value = answer.data.question
      } else {
        said.value = undefined
        words.value = ''
        show(addWords(wanted, answer))
      }
    } catch (error) {
      said.value = error instanceof ApiError ? error.message : String(error)
    } finally {
      isAsking.value = false
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void ask()
      }}
    >
      <div class="searchbox">
        <Icon name="search" />
        <input
          id="search"
          class="in"
          placeholder="Errors on /checkout, over 2 minutes"
          aria-label="Filter in words"
          aria-describedby="words-said"
          enterKeyHint="search"
          autocomplete="off"
          maxLength={2000}
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value
            said.value = undefined
          }}
        />
      </div>
      <p id="words-said" class="wrong-text" role="status">
        {said.value}
      </p>
    </form>
  )
}

/** `Browser is Firefox or Country is Germany` */
const groupWords = ({ type, values }: FilterGroup): string =>
  values
    .map((one) => {
      if ('values' in one) {
        return `(${groupWords(one)})`
      }
      const own = RECORDING_PROPERTIES.find(({ type, key }) => type === one.type && key === one.key)
      return `${own?.name ?? propertyName(one.key)} ${wordsOf(one.operator)} ${valuesText(one)}`.trim()
    })
    .join(type === 'OR' ? ' or ' : ' and ')

/** The filters that have no editor: alternatives, persons and ids. */
const OtherChips = ({ wanted }: { wanted: Wanted }) => (
  <>
    {wanted.groups.map((group) => (
      <Chip
        key={JSON.stringify(group)}
        words={groupWords(group)}
        label={filtersOf(group)
          .map(({ key }) => propertyName(key))
          .join(' or ')}
        remove={() => show({ ...wanted, groups: wanted.groups.filter((one) => one !== group) })}
      />
    ))}
    {wanted.distinctIds.length > 0 && (
      <Chip
        words={`Distinct id is ${wanted.distinctIds.join(', ')}`}
        label="Distinct id"
        remove={() => show({ ...wanted, distinctIds: [] })}
      />
    )}
    {wanted.person !== '' && (
      <Chip words="One person" label="person" remove={() => show({ ...wanted, person: '' })} />
    )}
  </>
)

type ChipProps = { words: string; label: string; remove: () => void }

const Chip = ({ words, label, remove }: ChipProps) => (
  <span class="chip rec-chip">
    <span class="cut">
      <Name>{words}</Name>
    </span>
    <button type="button" aria-label={`Remove the filter ${label.slice(0, 60)}`} onClick={remove}>
      <Icon name="remove" small />
    </button>
  </span>
)

/** Height of the strip of activity, and the least of a bar in which something was done. */
const STRIP = { height: 20, least: 3 }

/** When the visitor was active, from the first snapshot to the last. */
const Activity = ({ counts }: { counts: readonly number[] }) => {
  const bars = barsOf(counts)
  return (
    <svg
      class="act"
      viewBox={`0 0 ${4 * bars.length} ${STRIP.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {bars.map((part, i) => {
        const height = part === 0 ? 0 : Math.max(STRIP.least, part * STRIP.height)
        return <rect key={i} x={4 * i} y={STRIP.height - height} width={3} height={height} />
      })}
    </svg>
  )
}

type RowProps = { recording: Recording; isSeen: boolean }

function Row({ recording, isSeen }: RowProps) {
  const [, , shown] = path.value
  const isOn = shown === recording.id
  const { click_count: clicks, console_error_count: errors } = recording
  return (
    <li class={isOn ? 'is-on' : ''}>
      <a
        data-row
        href={addressOf(['recordings', recording.id], writeWanted(readWanted(parameters.value)))}
        aria-current={isOn ? 'true' : undefined}
      >
        <span class="l1">
          <b class={isSeen ? 'cut seen' : 'cut'}>
            <Name>{visitorOf(recording)}</Name>
          </b>
          <Moment at={recording.start_time} />
        </span>
        <span class="l2">
          <span>{recording.ongoing ? 'Live' : durationOf(recording.recording_duration)}</span>
          <span class="cut mut grow">
            <Name>{pageOf(recording.start_url)}</Name>
          </span>
          <span class={errors > 0 ? 'hot' : 'mut'}>
            {errors > 0
              ? `${count(errors)} ${errors === 1 ? 'error' : 'errors'}`
              : `${count(clicks)} ${clicks === 1 ? 'click' : 'clicks'}`}
          </span>
          <Activity counts={recording.activity} />
        </span>
      </a>
    </li>
  )
}

function NoRecordings({ wanted }: { wanted: Wanted }) {
  const set =
    wanted.filters.length +
    wanted.groups.length +
    Number(wanted.person !== '') +
    Number(wanted.distinctIds.length > 0)
  return (
    <div class="pad">
      <Empty title={set > 0 ? 'No recordings match.' : 'No recordings in this period.'}>
        {set > 0 ? (
          <>
            <p class="sec">{set === 1 ? 'One filter is set.' : `${set} filters are set.`}</p>
            <button
              type="button"
              class="b small"
              onClick={() =>
                show({ ...wanted, filters: [], groups: [], person: '', distinctIds: [] })
              }
            >
              Clear the filters
            </button>
          </>
        ) : (
          <p class="sec">
            A project records visits once it is told to:{' '}
            <code>npm run project -- update 1 --recording on</code>
          </p>
        )}
      </Empty>
    </div>
  )
}
