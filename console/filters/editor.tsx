import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Combobox, type Option } from '../combobox.tsx'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Fault } from '../parts.tsx'
import { entryOf, type Filter, operatorsFor, toValue, valuesOf, wordsOf } from './filter.ts'
import {
  listProperties,
  listValues,
  type OfferedProperty,
  type OfferedValues,
  OWNERS,
  propertyName,
  valueName
} from './properties.ts'

type EditorProps = {
  filter: Filter | undefined
  /** Owners of the properties that are offered. */
  types: readonly string[]
  /** Other properties that the page offers, before the rest. */
  extra: readonly OfferedProperty[]
  done: (filter: Filter) => void
}

const idOf = ({ type, key }: { type: string; key: string }): string => JSON.stringify([type, key])

const labelOf = ({ key, name }: OfferedProperty): string => name ?? propertyName(key)

/** Chooses a property, an operator and values. */
export function FilterEditor({ filter, types, extra, done }: EditorProps) {
  const offered = useLoaded(types.join(), async () => [
    ...extra,
    ...(await Promise.all(types.map(listProperties))).flat()
  ])
  const chosen = useSignal<OfferedProperty | undefined>(undefined)
  const all = offered.data ?? [...extra]
  const edited =
    filter &&
    (all.find((one) => idOf(one) === idOf(filter)) ?? {
      type: filter.type,
      key: filter.key,
      kind: null
    })
  const property = chosen.value ?? (filter?.key === '' ? undefined : edited)
  return (
    <div class="filter-editor">
      {offered.error && <Fault error={offered.error} retry={offered.reload} />}
      {property ? (
        <ConditionForm
          key={idOf(property)}
          property={property}
          filter={filter && idOf(filter) === idOf(property) ? filter : undefined}
          back={() => {
            chosen.value = undefined
          }}
          canGoBack={chosen.value !== undefined}
          done={done}
        />
      ) : (
        <PropertyList
          all={all}
          owner={types[0] ?? 'event'}
          pick={(one) => {
            chosen.value = one
          }}
        />
      )}
    </div>
  )
}

/** Properties that are shown at once. */
const SHOWN = 100

type ListProps = {
  all: readonly OfferedProperty[]
  /** The owner of a property that was typed and is not offered. */
  owner: string
  pick: (property: OfferedProperty) => void
}

function PropertyList({ all, owner, pick }: ListProps) {
  const text = useSignal('')
  const words = text.value.toLowerCase().split(/\s+/)
  const matching = all.filter((one) => {
    const name = `${labelOf(one)} ${one.key}`.toLowerCase()
    return words.every((word) => name.includes(word))
  })
  const typed = text.value.trim()
  const isNew = typed !== '' && !all.some(({ key }) => key === typed)
  const options: Option[] = [
    ...matching.slice(0, SHOWN).map((one) => ({
      id: idOf(one),
      label: labelOf(one),
      group: OWNERS[one.type] ?? '',
      ...(labelOf(one) !== one.key && !one.name && { hint: one.key })
    })),
    ...(isNew && OWNERS[owner]
      ? [{ id: idOf({ type: owner, key: typed }), label: typed, group: 'Not seen so far' }]
      : [])
  ]
  return (
    <Combobox
      label="Property"
      placeholder="Property"
      text={text.value}
      input={(changed) => {
        text.value = changed
      }}
      options={options}
      pick={({ id }) => {
        const known = all.find((one) => idOf(one) === id)
        pick(known ?? { type: owner, key: typed, kind: null })
      }}
      empty="No property has this name."
    />
  )
}

type FormProps = {
  property: OfferedProperty
  filter: Filter | undefined
  back: () => void
  canGoBack: boolean
  done: (filter: Filter) => void
}

function ConditionForm({ property, filter, back, canGoBack, done }: FormProps) {
  const { type, key, kind } = property
  const offered = property.operators ?? operatorsFor(kind)
  const operators =
    filter && !offered.includes(filter.operator) ? [filter.operator, ...offered] : offered
  const operator = useSignal(filter?.operator ?? operators[0] ?? 'exact')
  const texts = useSignal((filter ? valuesOf(filter) : []).map(String))
  const typed = useSignal('')
  const fault = useSignal<string | undefined>(undefined)
  const entry = entryOf(operator.value)
  const apply = () => {
    const pending = typed.value.trim()
    const all = entry === 'list' && pending ? [...texts.value, pending] : texts.value
    const some = [...new Set(all)].filter((text) => text.trim() !== '')
    const given = property.isSingle ? some.slice(-1) : some
    const wrong = whatIsWrong(entry, given)
    if (wrong) {
      fault.value = wrong
      return
    }
    const isText = entry === 'date' || entry === 'text'
    const values = given.map((text) =>
      toValue(text, entry === 'number' || entry === 'range' ? 'Numeric' : kindOf(isText, kind))
    )
    const [first] = values
    done({
      type,
      key,
      operator: operator.value,
      ...(entry !== 'none' &&
        first !== undefined && { value: entry === 'list' || entry === 'range' ? values : first })
    })
  }
  return (
    <form
      class="condition"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <div class="row nowrap">
        {canGoBack && (
          <button
            type="button"
            class="b quiet small icon"
            aria-label="Other property"
            onClick={back}
          >
            <Icon name="back" small />
          </button>
        )}
        <b class="cut grow" title={key}>
          <bdi>{labelOf(property)}</bdi>
        </b>
        <select
          class="b small"
          aria-label="Operator"
          value={operator.value}
          onChange={(event) => {
            const before = entryOf(operator.value)
            operator.value = event.currentTarget.value
            fault.value = undefined
            if (entryOf(operator.value) !== before) {
              texts.value = []
            }
          }}
        >
          {operators.map((one) => (
            <option key={one} value={one}>
              {wordsOf(one)}
            </option>
          ))}
        </select>
      </div>
      {entry === 'list' && (
        <Values
          property={property}
          isOffered={['exact', 'is_not', 'in', 'not_in'].includes(operator.value)}
          picked={texts.value}
          change={(values) => {
            texts.value = values
            fault.value = undefined
          }}
          typed={typed.value}
          type={(text) => {
            typed.value = text
          }}
          enter={apply}
        />
      )}
      {entry !== 'list' && entry !== 'none' && (
        <div class="row nowrap">
          {(entry === 'range' ? ['From', 'To'] : ['Value']).map((name, i) => (
            <input
              key={name}
              class="in"
              aria-label={name}
              inputMode={entry === 'number' || entry === 'range' ? 'decimal' : 'text'}
              placeholder={PLACEHOLDERS[entry]?.[i] ?? ''}
              data-first={i === 0 || undefined}
              ref={i === 0 && filter === undefined ? focusOnce : null}
              value={texts.value[i] ?? ''}
              onInput={(event) => {
                const changed = [...texts.value]
                changed[i] = event.currentTarget.value
                texts.value = Array.from(changed, (text) => text ?? '')
                fault.value = undefined
              }}
            />
          ))}
        </div>
      )}
      {fault.value && (
        <p class="wrong-text" role="alert">
          {fault.value}
        </p>
      )}
      <div class="row end">
        <button type="submit" class="b small main-b">
          {filter ? 'Change the filter' : 'Add the filter'}
        </button>
      </div>
    </form>
  )
}

/** Focuses a field that has just appeared. */
const focusOnce = (field: HTMLElement | null): void => {
  if (field && !field.dataset.seen) {
    field.dataset.seen = 'yes'
    field.focus()
  }
}

const kindOf = (isText: boolean, kind: OfferedProperty['kind']) => (isText ? 'String' : kind)

const PLACEHOLDERS: Record<string, string[]> = {
  number: ['100'],
  range: ['10', '20'],
  date: ['2026-11-27 or -7d'],
  text: ['1.2.3']
}

/** Says what is missing; what a value means is for the API to judge. */
function whatIsWrong(entry: string, values: readonly string[]): string | undefined {
  if (entry === 'none') {
    return undefined
  }
  if (entry === 'number' || entry === 'range') {
    const isComplete = values.length >= (entry === 'range' ? 2 : 1)
    const areNumbers = values.every((text) => Number.isFinite(Number(text)))
    const words = entry === 'range' ? 'Write two numbers.' : 'Write a number, such as 100.'
    return isComplete && areNumbers ? undefined : words
  }
  if (values.length > 0) {
    return undefined
  }
  return entry === 'date'
    ? 'Write a date such as 2026-11-27, or a time ago such as -7d.'
    : 'Choose a value, or write one.'
}

type ValuesProps = {
  property: OfferedProperty
  /** Whether the project's values are offered. */
  isOffered: boolean
  picked: string[]
  change: (values: string[]) => void
  typed: string
  type: (text: string) => void
  enter: () => void
}

/** Time after the last letter until values are searched, ms. */
const PAUSE_MS = 200

const NOTHING: OfferedValues = { values: [], isWhole: true }

function Values({ property, isOffered, picked, change, typed, type, enter }: ValuesProps) {
  const paused = useSignal('')
  useEffect(() => {
    const timer = setTimeout(() => {
      paused.value = typed.trim()
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const first = useValues(property, isOffered, '')
  const isWhole = first.data?.isWhole ?? true
  const found = useValues(property, isOffered && !isWhole, paused.value)
  const part = typed.trim().toLowerCase()
  const offered = isOffered ? [...(first.data?.values ?? []), ...(found.data?.values ?? [])] : []
  const matching = offered.filter(
    ({ value }) =>
      value.toLowerCase().includes(part) ||
      valueName(property.key, value).toLowerCase().includes(part)
  )
  const values = [...picked, ...matching.map(({ value }) => value)]
  const isNew = part !== '' && !values.includes(typed.trim())
  const hints = new Map(offered.map(({ value, hint }) => [value, hint]))
  const options = [...new Set([...values, ...(isNew ? [typed.trim()] : [])])].map((value) => {
    const hint = hints.get(value)
    return { id: value, label: valueName(property.key, value), ...(hint && { hint }) }
  })
  const error = first.error ?? found.error
  return (
    <>
      <Combobox
        label="Value"
        placeholder="Value"
        takesFocus
        text={typed}
        input={type}
        options={options}
        picked={picked}
        pick={({ id }) => {
          const others = picked.filter((one) => one !== id && !property.isSingle)
          change(picked.includes(id) ? others : [...others, id])
          type('')
        }}
        enter={enter}
        empty={isOffered && !first.data && !first.error ? 'Looking for values…' : 'Write a value.'}
      />
      {error && error.status !== 403 && <Fault error={error} />}
    </>
  )
}

/** Loads values, if they are wanted. A key that may not count events still may type values. */
const useValues = (property: OfferedProperty, isWanted: boolean, text: string) =>
  useLoaded(JSON.stringify([idOf(property), isWanted, text]), (signal) => {
    if (!isWanted) {
      return Promise.resolve(NOTHING)
    }
    return property.values?.() ?? listValues(property, text, signal)
  })
