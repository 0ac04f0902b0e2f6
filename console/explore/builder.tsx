import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import type { QuestionNode, SeriesNode } from '../chart/answer.ts'
import { Typed } from '../fields.tsx'
import { Filters } from '../filters/filters.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { IconButton, Name } from '../parts.tsx'
import { type FaultPlace, placeOfFault } from './fault.ts'
import { type EventName, unknownName } from './names.ts'
import { EventPicker, PropertyPicker } from './pickers.tsx'
import {
  asKind,
  breakdownOf,
  COUNTS,
  filtersOf,
  formulaOf,
  has,
  KINDS,
  kindOf,
  NEW_SERIES,
  seriesOf,
  withFormula,
  withSeries
} from './question.ts'

type BuilderProps = {
  question: QuestionNode
  change: (question: QuestionNode) => void
  /** What the API refuses. */
  error: ApiError | undefined
  /** The names of the project's events, if they are needed to say that one does not exist. */
  names: readonly EventName[] | undefined
}

/** Builds the question. Every change is asked at once. */
export function Builder({ question, change, error, names }: BuilderProps) {
  const place = error && placeOfFault(error.attr)
  const faultAt = (at: FaultPlace) => (place === at ? error?.message : undefined)
  const set = (members: Partial<QuestionNode>) => change({ ...question, ...members })
  const by = breakdownOf(question)
  const filters = filtersOf(question.properties)
  return (
    <>
      <fieldset class="seg kinds" aria-label="Kind of question">
        {KINDS.map(([kind, name]) => (
          <button
            key={kind}
            type="button"
            aria-pressed={question.kind === kind}
            onClick={() => question.kind !== kind && change(asKind(question, kind))}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <SeriesList question={question} change={change} faultAt={faultAt} names={names} />
      {question.kind === 'FunnelsQuery' && (
        <FunnelOptions question={question} set={set} fault={faultAt('options')} />
      )}
      {question.kind === 'RetentionQuery' && (
        <RetentionOptions question={question} set={set} fault={faultAt('options')} />
      )}
      {has.breakdown(question) && (
        <Part label="Break down by" fault={faultAt('breakdown')}>
          <div class="row nowrap">
            <PropertyPicker
              label="Break down by"
              property={by}
              none="No breakdown"
              isWrong={place === 'breakdown'}
              pick={(picked) =>
                picked &&
                set({ breakdownFilter: { breakdown: picked.key, breakdown_type: picked.type } })
              }
            />
            {by && (
              <IconButton
                icon="remove"
                label="Remove the breakdown"
                run={() => set({ breakdownFilter: {} })}
              />
            )}
          </div>
        </Part>
      )}
      <Part label="Filters" fault={faultAt('filters')}>
        {filters ? (
          <div class="row wrap">
            <Filters filters={filters} change={(properties) => set({ properties })} hasKey />
          </div>
        ) : (
          <p class="sec small-text">
            Conditions joined by “or”.{' '}
            <button type="button" class="b small" onClick={() => set({ properties: [] })}>
              Clear the filters
            </button>
          </p>
        )}
      </Part>
      {question.kind === 'TrendsQuery' && (
        <>
          <FormulaField question={question} change={change} fault={faultAt('formula')} />
          <Displays question={question} change={change} fault={faultAt('display')} />
        </>
      )}
    </>
  )
}

type PartProps = {
  label: string
  fault?: string | undefined
  children: ComponentChildren
}

const Part = ({ label, fault, children }: PartProps) => (
  <fieldset class="part">
    <legend class="l">{label}</legend>
    {children}
    <FaultText fault={fault} />
  </fieldset>
)

const FaultText = ({ fault }: { fault: string | undefined }) =>
  fault ? (
    <p class="wrong-text" role="alert">
      <Icon name="warning" small />
      <span class="wrap-any">{fault}</span>
    </p>
  ) : null

const TITLES: Record<string, string> = {
  TrendsQuery: 'Series',
  FunnelsQuery: 'Steps',
  RetentionQuery: 'Persons',
  LifecycleQuery: 'Event',
  StickinessQuery: 'Series'
}

type ListProps = {
  question: QuestionNode
  change: (question: QuestionNode) => void
  faultAt: (place: FaultPlace) => string | undefined
  names: readonly EventName[] | undefined
}

function SeriesList({ question, change, faultAt, names }: ListProps) {
  const series = seriesOf(question)
  const { least, most } = COUNTS[kindOf(question)]
  const isFunnel = question.kind === 'FunnelsQuery'
  const put = (all: SeriesNode[]) => change(withSeries(question, all))
  const colorOf = (i: number) =>
    question.kind === 'TrendsQuery' && !breakdownOf(question) ? `var(--d${(i % 8) + 1})` : undefined
  return (
    <Part label={TITLES[question.kind] ?? 'Series'}>
      {series.map((one, i) => (
        <SeriesBox
          key={i}
          question={question}
          place={i}
          color={colorOf(i)}
          one={one}
          fault={faultAt(`series ${i}`)}
          names={names}
          change={(changed) => put(series.with(i, changed))}
          remove={series.length > least ? () => put(series.filter((_, at) => at !== i)) : undefined}
        />
      ))}
      {series.length < most && (
        <button
          type="button"
          class="b quiet small add-series"
          onClick={() => put([...series, added(question)])}
        >
          <Icon name="add" small />
          {isFunnel ? 'Add a step' : 'Add a series'}
        </button>
      )}
    </Part>
  )
}

/** A series beside others counts as the first one does. */
function added(question: QuestionNode): SeriesNode {
  const [first] = seriesOf(question)
  return has.math(question) && first?.math && !first.math_property
    ? { ...NEW_SERIES, math: first.math }
    : NEW_SERIES
}

/** What a series of a trend counts. */
const MATHS = [
  ['total', 'Events'],
  ['dau', 'Unique persons'],
  ['weekly_active', 'Persons active in 7 days'],
  ['monthly_active', 'Persons active in 30 days'],
  ['unique_session', 'Sessions'],
  ['first_time_for_user', 'Persons, first time ever'],
  ['first_matching_event_for_user', 'Persons, first time with filters'],
  ['sum', 'Sum of…'],
  ['avg', 'Average of…'],
  ['min', 'Least…'],
  ['max', 'Largest…'],
  ['median', 'Median of…'],
  ['p75', '75th percentile of…'],
  ['p90', '90th percentile of…'],
  ['p95', '95th percentile of…'],
  ['p99', '99th percentile of…'],
  ['avg_count_per_actor', 'Average events per person'],
  ['min_count_per_actor', 'Fewest events of a person'],
  ['max_count_per_actor', 'Most events of a person'],
  ['median_count_per_actor', 'Median events per person'],
  ['p90_count_per_actor', '90th percentile of events per person']
] as const

const needsProperty = (math: string): boolean =>
  MATHS.some(([one, name]) => one === math && name.endsWith('…'))

type SeriesBoxProps = {
  question: QuestionNode
  place: number
  color: string | undefined
  one: SeriesNode
  fault: string | undefined
  names: readonly EventName[] | undefined
  change: (one: SeriesNode) => void
  remove: (() => void) | undefined
}

const LABELS = ['Persons who did', 'Came back with']

function labelOf({ kind }: QuestionNode, place: number): string {
  switch (kind) {
    case 'FunnelsQuery':
      return String(place + 1)
    case 'RetentionQuery':
      return LABELS[place] ?? ''
    default:
      return String.fromCharCode('A'.charCodeAt(0) + place)
  }
}

function SeriesBox(props: SeriesBoxProps) {
  const { question, place, color, one, fault, names, change, remove } = props
  const label = labelOf(question, place)
  const isRetention = question.kind === 'RetentionQuery'
  const missing = one.event && names ? unknownName(one.event, names) : undefined
  const filters = filtersOf(one.properties) ?? []
  const { event } = one
  return (
    <div class="series">
      {isRetention && <p class="l">{label}</p>}
      <div class="row nowrap">
        {!isRetention && (
          <span
            class={color ? 'letter colored' : 'letter'}
            style={color ? { background: color } : {}}
            aria-hidden="true"
          >
            {label}
          </span>
        )}
        <EventPicker
          label={isRetention ? label : `Event ${label}`}
          event={event}
          isWrong={fault !== undefined || missing !== undefined}
          pick={(picked) => {
            const { custom_name: __, ...unnamed } = one
            change({ ...unnamed, event: picked })
          }}
        />
        {remove && <IconButton icon="remove" label={`Remove ${label}`} run={remove} />}
      </div>
      {missing && (
        <p class="wrong-text" role="alert">
          <Icon name="warning" small />
          <span class="wrap-any">
            No event is called “<Name>{event ?? ''}</Name>”.
            {missing.similar !== undefined && (
              <>
                {' '}
                Did you mean{' '}
                <button
                  type="button"
                  class="as-link"
                  onClick={() => change({ ...one, event: missing.similar ?? null })}
                >
                  <Name>{missing.similar}</Name>
                </button>
                ?
              </>
            )}
          </span>
        </p>
      )}
      <FaultText fault={fault} />
      {has.math(question) && <MathFields one={one} label={label} change={change} />}
      <div class="row wrap">
        <Filters filters={filters} change={(properties) => change({ ...one, properties })} />
      </div>
    </div>
  )
}

type MathFieldsProps = {
  one: SeriesNode
  label: string
  change: (one: SeriesNode) => void
}

/** What a series counts; of a property it is asked once the property is chosen. */
function MathFields({ one, label, change }: MathFieldsProps) {
  const pending = useSignal<string | undefined>(undefined)
  const { math_property: property, math_property_type: type = 'event', ...others } = one
  const math = pending.value ?? one.math ?? 'total'
  return (
    <>
      <span class="pick select">
        <select
          aria-label={`What ${label} counts`}
          value={math}
          onChange={(event) => {
            const chosen = event.currentTarget.value
            if (needsProperty(chosen) && !property) {
              pending.value = chosen
              return
            }
            pending.value = undefined
            change({
              ...others,
              math: chosen,
              ...(needsProperty(chosen) && property
                ? { math_property: property, math_property_type: type }
                : {})
            })
          }}
        >
          {MATHS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          {!MATHS.some(([value]) => value === math) && <option value={math}>{math}</option>}
        </select>
        <Icon name="below" small />
      </span>
      {needsProperty(math) && (
        <PropertyPicker
          label={`Property of ${label}`}
          property={property ? { key: property, type } : undefined}
          none="Choose a property"
          isNumber
          pick={(picked) => {
            pending.value = undefined
            if (picked) {
              change({
                ...others,
                math,
                math_property: picked.key,
                math_property_type: picked.type
              })
            }
          }}
        />
      )}
    </>
  )
}

type OptionsProps = {
  question: QuestionNode
  set: (members: Partial<QuestionNode>) => void
  fault: string | undefined
}

type SelectProps = {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  choose: (value: string) => void
}

const Select = ({ label, value, options, choose }: SelectProps) => (
  <span class="pick select">
    <select
      aria-label={label}
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
    <Icon name="below" small />
  </span>
)

const VIEWS = [
  ['steps', 'Steps'],
  ['trends', 'Over time'],
  ['time_to_convert', 'Time']
] as const

const ORDERS = [
  ['ordered', 'In sequence'],
  ['strict', 'With nothing between'],
  ['unordered', 'In any order']
] as const

const UNITS = [
  ['minute', 'minutes'],
  ['hour', 'hours'],
  ['day', 'days'],
  ['week', 'weeks'],
  ['month', 'months']
] as const

function FunnelOptions({ question, set, fault }: OptionsProps) {
  const { funnelsFilter = {} } = question
  const { funnelVizType = 'steps', funnelOrderType = 'ordered' } = funnelsFilter
  const { funnelWindowInterval: length = 14, funnelWindowIntervalUnit: unit = 'day' } =
    funnelsFilter
  const put = (members: NonNullable<QuestionNode['funnelsFilter']>) =>
    set({ funnelsFilter: { ...funnelsFilter, ...members } })
  return (
    <>
      <Part label="Within" fault={fault}>
        <div class="row nowrap">
          <Typed
            class="in number"
            type="number"
            min={1}
            aria-label="Time for all steps"
            value={length}
            commit={(text) => {
              const asked = Number(text)
              if (asked >= 1) {
                put({
                  funnelWindowInterval: Math.round(asked),
                  funnelWindowIntervalUnit: unit
                })
              }
            }}
          />
          <Select
            label="Unit of time"
            value={unit}
            options={UNITS}
            choose={(value) =>
              put({ funnelWindowInterval: length, funnelWindowIntervalUnit: value })
            }
          />
        </div>
        <Select
          label="Order of the steps"
          value={funnelOrderType}
          options={ORDERS}
          choose={(value) => put({ funnelOrderType: value })}
        />
      </Part>
      <Part label="Show">
        <div class="seg fill">
          {VIEWS.map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={funnelVizType === value}
              onClick={() => put({ funnelVizType: value })}
            >
              {name}
            </button>
          ))}
        </div>
      </Part>
    </>
  )
}

const TYPES = [
  ['retention_first_time', 'Since their first time'],
  ['retention_recurring', 'Each time']
] as const

const PERIODS = [
  ['Day', 'Day'],
  ['Week', 'Week'],
  ['Month', 'Month']
] as const

function RetentionOptions({ question, set, fault }: OptionsProps) {
  const { retentionFilter = {} } = question
  const { retentionType = 'retention_recurring', period = 'Day' } = retentionFilter
  const put = (members: NonNullable<QuestionNode['retentionFilter']>) => {
    // The number of columns follows the period of the page.
    const { totalIntervals: _, ...kept } = retentionFilter
    set({ retentionFilter: { ...kept, ...members } })
  }
  return (
    <>
      <Part label="Counted" fault={fault}>
        <Select
          label="From when persons are counted"
          value={retentionType}
          options={
            TYPES.some(([type]) => type === retentionType)
              ? TYPES
              : [...TYPES, [retentionType, 'Since their first event ever']]
          }
          choose={(value) => put({ retentionType: value })}
        />
      </Part>
      <Part label="By">
        <div class="seg fill">
          {PERIODS.map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={period === value}
              onClick={() => put({ period: value })}
            >
              {name}
            </button>
          ))}
        </div>
      </Part>
    </>
  )
}

type FieldProps = {
  question: QuestionNode
  change: (question: QuestionNode) => void
  fault: string | undefined
}

/** The formula is asked on Enter, or when one leaves the field. */
function FormulaField({ question, change, fault }: FieldProps) {
  const asked = formulaOf(question)
  const text = useSignal(asked)
  useEffect(() => {
    text.value = asked
  }, [asked])
  const put = () => {
    const formula = text.value.trim()
    if (formula !== asked) {
      change(withFormula(question, formula))
    }
  }
  return (
    <Part label="Formula" fault={fault}>
      <input
        class={fault ? 'in mono wrong' : 'in mono'}
        aria-label="Formula"
        placeholder="A / B"
        spellcheck={false}
        autocomplete="off"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
        onBlur={put}
        onKeyDown={(event) => event.key === 'Enter' && put()}
      />
    </Part>
  )
}

const DISPLAYS: readonly (readonly [string, string, IconName])[] = [
  ['ActionsLineGraph', 'Line', 'line'],
  ['ActionsAreaGraph', 'Area', 'area'],
  ['ActionsBar', 'Bars', 'bars'],
  ['ActionsBarValue', 'Ranked', 'ranked'],
  ['ActionsPie', 'Pie', 'pie'],
  ['BoldNumber', 'Number', 'number'],
  ['ActionsTable', 'Table', 'table']
]

function Displays({ question, change, fault }: FieldProps) {
  const { trendsFilter = {} } = question
  const display = trendsFilter.display ?? 'ActionsLineGraph'
  return (
    <Part label="Display" fault={fault}>
      <div class="seg fill">
        {DISPLAYS.map(([value, name, icon]) => (
          <button
            key={value}
            type="button"
            aria-label={name}
            title={name}
            aria-pressed={display === value}
            onClick={() =>
              change({ ...question, trendsFilter: { ...trendsFilter, display: value } })
            }
          >
            <Icon name={icon} />
          </button>
        ))}
      </div>
    </Part>
  )
}
