import { useSignal } from '@preact/signals'
import { type Parameters, parameters, setParameters } from './address.ts'
import {
  addDays,
  comparedDays,
  comparisonName,
  type Days,
  DEFAULT_PERIOD,
  daysOf,
  daysText,
  lengthOf,
  moved,
  type Period,
  PRESETS,
  periodName,
  presetOf,
  type Today,
  usualComparison
} from './dates.ts'
import { Icon } from './icons.tsx'
import { useKey } from './keys.ts'
import { Popover } from './popover.tsx'
import { project } from './session.ts'
import { dayOf } from './words.ts'

/** A period and what it is compared with, as a page asks the API for them. */
export type AskedPeriod = Period & {
  /** How much earlier the compared period begins, such as `-5w`; undefined without a comparison. */
  compareTo: string | undefined
}

/** In an address: there is no comparison. */
const NONE = 'none'

/** Today in the project's zone, and its weeks. */
export const today = (): Today => ({
  day: dayOf(new Date()),
  weekStart: project.value?.week_start_day ?? 0
})

/** Reads the period of an address. What is no date is for the API to refuse. */
export function periodIn(values: URLSearchParams): AskedPeriod {
  const from = values.get('date_from')
  const to = values.get('date_to') ?? undefined
  const period = from ? { from, to } : { ...DEFAULT_PERIOD, ...(to && { to }) }
  const asked = values.get('compare_to') ?? usualComparison(period, today())
  return { ...period, compareTo: asked === NONE ? undefined : asked }
}

/** Writes a period for an address. A comparison by days or weeks belongs to its period alone. */
function parametersOf({ from, to }: Period): Parameters {
  const compared = parameters.value.get('compare_to') ?? ''
  const isDefault = from === DEFAULT_PERIOD.from && to === DEFAULT_PERIOD.to
  return {
    date_from: isDefault ? undefined : from,
    date_to: to,
    compare_to: compared === NONE || compared === '-1y' ? compared : undefined
  }
}

const show = (period: Period): void => setParameters(parametersOf(period))

/** The members of a query for a period. */
export const periodQuery = ({ from, to, compareTo }: AskedPeriod) => ({
  dateRange: { date_from: from, ...(to && { date_to: to }) },
  ...(compareTo && { compareFilter: { compare: true, compare_to: compareTo } })
})

/** The period of the page in one group: earlier, its menu, later. The address holds it. */
export function PeriodPicker() {
  const period = periodIn(parameters.value)
  const isOpen = useSignal(false)
  const earlier = moved(period, -1, today())
  const later = moved(period, 1, today())
  const move = (to: Period | undefined) => to && show(to)
  useKey('[', 'Earlier period', () => move(earlier))
  useKey(']', 'Later period', () => move(later))
  const close = () => {
    isOpen.value = false
  }
  return (
    <div class="group anchor">
      {PRESETS.map((preset) => preset.letter && <PresetKey key={preset.letter} preset={preset} />)}
      <button
        type="button"
        class="b icon wide-only"
        aria-label="Earlier"
        title="Earlier ([)"
        disabled={!earlier}
        onClick={() => move(earlier)}
      >
        <Icon name="back" />
      </button>
      <button
        type="button"
        class="b"
        aria-expanded={isOpen.value}
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        <Icon name="calendar" />
        <span class="wide-only">{periodName(period, today())}</span>
        <span class="phone-only">{presetOf(period)?.short ?? periodName(period, today())}</span>
      </button>
      <button
        type="button"
        class="b icon wide-only"
        aria-label="Later"
        title="Later (])"
        disabled={!later}
        onClick={() => move(later)}
      >
        <Icon name="next" />
      </button>
      {isOpen.value && (
        <Popover label="Period" side="right" close={close}>
          <PeriodMenu period={period} close={close} />
        </Popover>
      )}
    </div>
  )
}

function PresetKey({ preset: { letter = '', name, from, to } }: { preset: (typeof PRESETS)[0] }) {
  useKey(letter, name, () => show({ from, to }))
  return null
}

function PeriodMenu({ period, close }: { period: Period; close: () => void }) {
  const days = daysOf(period, today()) ?? { from: addDays(today().day, -29), to: today().day }
  const from = useSignal(days.from)
  const to = useSignal(days.to)
  const fault = useSignal<string | undefined>(undefined)
  const choose = (chosen: Period) => {
    close()
    show(chosen)
  }
  const current = presetOf(period)
  return (
    <>
      <ul class="menu">
        {PRESETS.map((preset) => (
          <li key={preset.from}>
            <button
              type="button"
              aria-pressed={preset === current}
              data-first={preset === current || undefined}
              onClick={() => choose({ from: preset.from, to: preset.to })}
              onKeyDown={stepInMenu}
            >
              <span class="grow">{preset.name}</span>
              {preset.letter && <kbd>{preset.letter}</kbd>}
            </button>
          </li>
        ))}
      </ul>
      <form
        class="own-days"
        onSubmit={(event) => {
          event.preventDefault()
          if (from.value && to.value && from.value <= to.value) {
            choose({ from: from.value, to: to.value })
          } else {
            fault.value = 'Choose a first day, and a last day that is not before it.'
          }
        }}
      >
        {(
          [
            ['First day', from],
            ['Last day', to]
          ] as const
        ).map(([label, day]) => (
          <label key={label}>
            <span class="mut small-text">{label}</span>
            <input
              type="date"
              class="in"
              value={day.value}
              onInput={(event) => {
                day.value = event.currentTarget.value
                fault.value = undefined
              }}
            />
          </label>
        ))}
        {fault.value && (
          <p class="wrong-text" role="alert">
            {fault.value}
          </p>
        )}
        <button type="submit" class="b small">
          Show these days
        </button>
      </form>
    </>
  )
}

/** Arrows move among the buttons of a menu. */
export function stepInMenu(event: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const menu = event.currentTarget instanceof HTMLElement && event.currentTarget.closest('.menu')
  if (by && menu) {
    event.preventDefault()
    const buttons = [...menu.querySelectorAll('button')]
    buttons[buttons.indexOf(event.currentTarget as HTMLButtonElement) + by]?.focus()
  }
}

type Choice = { value: string | undefined; name: string; days: Days | undefined }

/** The comparisons that the menu offers for a period. */
function comparisonsFor(period: Period): Choice[] {
  const days = daysOf(period, today())
  const usual = usualComparison(period, today())
  const all = usual && days ? [...new Set([usual, `-${lengthOf(days)}d`, '-1y'])] : []
  return [
    ...all.map((value) => ({
      value,
      name: comparisonName(value, usual),
      days: comparedDays(period, value, today())
    })),
    { value: undefined, name: 'No comparison', days: undefined }
  ]
}

/** What the period of the page is compared with. The address holds it. */
export function ComparisonPicker() {
  const period = periodIn(parameters.value)
  const isOpen = useSignal(false)
  const usual = usualComparison(period, today())
  const days = period.compareTo ? comparedDays(period, period.compareTo, today()) : undefined
  const toggle = () => {
    isOpen.value = !isOpen.value
  }
  useKey('c', 'Comparison', toggle)
  const close = () => {
    isOpen.value = false
  }
  return (
    <div class="anchor">
      <button
        type="button"
        class="b"
        aria-expanded={isOpen.value}
        aria-haspopup="dialog"
        aria-label={comparisonName(period.compareTo, usual)}
        title={days ? `Compared with ${daysText(days)} (c)` : 'Comparison (c)'}
        onClick={toggle}
      >
        <Icon name="compare" />
        <span class="broad-only">{comparisonName(period.compareTo, usual)}</span>
        <span class="broad-only">
          <Icon name="below" small />
        </span>
      </button>
      {isOpen.value && (
        <Popover label="Comparison" side="right" close={close}>
          <ul class="menu">
            {comparisonsFor(period).map(({ value, name, days }) => (
              <li key={name}>
                <button
                  type="button"
                  aria-pressed={value === period.compareTo}
                  data-first={value === period.compareTo || undefined}
                  onClick={() => {
                    close()
                    setParameters({ compare_to: value === usual ? undefined : (value ?? NONE) })
                  }}
                  onKeyDown={stepInMenu}
                >
                  <span class="grow">{name}</span>
                  {days && <span class="mut">{daysText(days)}</span>}
                </button>
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </div>
  )
}
