import { useSignal } from '@preact/signals'
import { Icon } from '../icons.tsx'
import { useKey } from '../keys.ts'
import { Popover } from '../popover.tsx'
import { FilterEditor } from './editor.tsx'
import { entryOf, type Filter, valuesOf, wordsOf } from './filter.ts'
import { EVENT_TYPES, type OfferedProperty, propertyName, valueName } from './properties.ts'

type FiltersProps = {
  filters: readonly Filter[]
  change: (filters: Filter[]) => void
  /** Owners of the properties that are offered: those of events unless given. */
  types?: readonly string[]
  /** Properties that only this page can filter by. */
  extra?: readonly OfferedProperty[]
  /** Whether `f` opens the editor: only for the filters of a page. */
  hasKey?: boolean
}

/** The place in the list of the filter that is edited; `new` for another one. */
type Edited = number | 'new' | undefined

/** The filters as chips: a click edits one, × or Backspace removes it, the last adds one. */
export function Filters({
  filters,
  change,
  types = EVENT_TYPES,
  extra = [],
  hasKey = false
}: FiltersProps) {
  const edited = useSignal<Edited>(undefined)
  const close = () => {
    edited.value = undefined
  }
  const editor = (place: number | 'new') => (
    <Popover label={place === 'new' ? 'New filter' : 'Filter'} close={close}>
      <FilterEditor
        filter={place === 'new' ? undefined : filters[place]}
        types={types}
        extra={extra}
        done={(filter) => {
          close()
          change(place === 'new' ? [...filters, filter] : filters.with(place, filter))
        }}
      />
    </Popover>
  )
  return (
    <>
      {hasKey && (
        <FilterKey
          open={() => {
            edited.value = 'new'
          }}
        />
      )}
      {filters.map((filter, i) => (
        <span class="anchor" key={JSON.stringify([i, filter])}>
          <Chip
            filter={filter}
            extra={extra}
            isOpen={edited.value === i}
            edit={() => {
              edited.value = edited.value === i ? undefined : i
            }}
            remove={() => change(filters.filter((_, at) => at !== i))}
          />
          {edited.value === i && editor(i)}
        </span>
      ))}
      <span class="anchor">
        <button
          type="button"
          class="chip add"
          aria-expanded={edited.value === 'new'}
          onClick={() => {
            edited.value = edited.value === 'new' ? undefined : 'new'
          }}
        >
          <Icon name="add" small />
          Filter
        </button>
        {edited.value === 'new' && editor('new')}
      </span>
    </>
  )
}

function FilterKey({ open }: { open: () => void }) {
  useKey('f', 'Add a filter', open)
  return null
}

/** Characters of a value on a chip. */
const MAX_TEXT = 60

const cut = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text

/** `Germany, Denmark` · `Germany and 4 more` · `10 and 20` */
export function valuesText(filter: Filter): string {
  const names = valuesOf(filter).map((value) => cut(valueName(filter.key, String(value))))
  if (entryOf(filter.operator) === 'range') {
    return names.join(' and ')
  }
  return names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(', ')
}

type ChipProps = {
  filter: Filter
  extra: readonly OfferedProperty[]
  isOpen: boolean
  edit: () => void
  remove: () => void
}

function Chip({ filter, extra, isOpen, edit, remove }: ChipProps) {
  const { type, key, operator } = filter
  const own = extra.find((one) => one.type === type && one.key === key)
  const name = own?.name ?? (propertyName(key) || 'A filter that cannot be read')
  const values = valuesOf(filter).map(String).join(', ')
  return (
    <span class="chip">
      <button
        type="button"
        class="chip-b"
        aria-expanded={isOpen}
        title={`${key} ${wordsOf(operator)} ${values}`.slice(0, 300)}
        onClick={edit}
        onKeyDown={(event) => {
          if (event.key === 'Backspace' || event.key === 'Delete') {
            remove()
          }
        }}
      >
        <b>
          <bdi>{cut(name)}</bdi>
        </b>{' '}
        <span class="op">{wordsOf(operator)}</span>{' '}
        {entryOf(operator) !== 'none' && (
          <b>
            <bdi>{valuesText(filter)}</bdi>
          </b>
        )}
      </button>
      <button type="button" aria-label={`Remove the filter ${cut(name)}`} onClick={remove}>
        <Icon name="remove" small />
      </button>
    </span>
  )
}
