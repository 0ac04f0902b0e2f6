import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Combobox, type Option } from '../combobox.tsx'
import {
  EVENT_TYPES,
  listProperties,
  type OfferedProperty,
  OWNERS,
  propertyName
} from '../filters/properties.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Fault, Name } from '../parts.tsx'
import { Popover } from '../popover.tsx'
import { count, nameOf } from '../words.ts'
import { listEvents } from './names.ts'

type PickerProps = {
  label: string
  shown: ComponentChildren
  isWrong?: boolean
  children: (close: () => void) => ComponentChildren
}

/** A button that shows what is chosen, and opens a box to choose something else. */
export function Picker({ label, shown, isWrong = false, children }: PickerProps) {
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  return (
    <span class="anchor">
      <button
        type="button"
        class={isWrong ? 'pick wrong' : 'pick'}
        aria-label={label}
        aria-expanded={isOpen.value}
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        <span class="cut">{shown}</span>
        <Icon name="below" small />
      </button>
      {isOpen.value && (
        <Popover label={label} close={close}>
          {children(close)}
        </Popover>
      )}
    </span>
  )
}

const ANY = 'any'
const namedId = (name: string) => `event ${name}`

type EventPickerProps = {
  label: string
  event: string | null
  isWrong?: boolean
  pick: (event: string | null) => void
}

/** Chooses an event, whose names are offered as one types. */
export const EventPicker = ({ label, event, isWrong = false, pick }: EventPickerProps) => (
  <Picker
    label={`${label}: ${eventText(event)}`}
    shown={
      event === '' ? <span class="mut">Choose an event</span> : <Name>{eventText(event)}</Name>
    }
    isWrong={isWrong}
  >
    {(close) => (
      <EventList
        pick={(picked) => {
          close()
          pick(picked)
        }}
      />
    )}
  </Picker>
)

export const eventText = (event: string | null): string =>
  event === null ? 'Any event' : nameOf(event) || 'none chosen'

/** Names that are shown at once. */
const SHOWN = 100

function EventList({ pick }: { pick: (event: string | null) => void }) {
  const { data, error, reload } = useLoaded('', listEvents)
  const text = useSignal('')
  const typed = text.value.trim()
  const words = typed.toLowerCase().split(/\s+/)
  const matching = (data ?? []).filter(({ name }) => {
    const whole = `${nameOf(name)} ${name}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
  const isNew = data !== undefined && typed !== '' && !data.some(({ name }) => name === typed)
  const options: Option[] = [
    ...('any event'.includes(typed.toLowerCase()) ? [{ id: ANY, label: 'Any event' }] : []),
    ...matching.slice(0, SHOWN).map(({ name, count: stored }) => ({
      id: namedId(name),
      label: nameOf(name),
      hint: count(stored)
    })),
    ...(isNew ? [{ id: namedId(typed), label: typed, group: 'Not seen so far' }] : [])
  ]
  return (
    <>
      {error && <Fault error={error} retry={reload} />}
      <Combobox
        label="Event"
        placeholder="Event"
        text={text.value}
        input={(changed) => {
          text.value = changed
        }}
        options={options}
        pick={({ id }) => pick(id === ANY ? null : id.slice(namedId('').length))}
        empty={data ? 'No event has this name.' : 'Loading the names…'}
      />
    </>
  )
}

type PropertyPickerProps = {
  label: string
  property: { type: string; key: string } | undefined
  none: string
  isNumber?: boolean
  isWrong?: boolean
  pick: (property: { type: string; key: string } | undefined) => void
}

/** Chooses a property of an event, its person or its session. */
export const PropertyPicker = (props: PropertyPickerProps) => {
  const { label, property, none, isNumber = false, isWrong = false, pick } = props
  const text = property ? propertyName(property.key) : none
  return (
    <Picker
      label={`${label}: ${text}`}
      shown={property ? <Name>{text}</Name> : <span class="mut">{none}</span>}
      isWrong={isWrong}
    >
      {(close) => (
        <Properties
          isNumber={isNumber}
          pick={(picked) => {
            close()
            pick(picked)
          }}
        />
      )}
    </Picker>
  )
}

const idOf = ({ type, key }: { type: string; key: string }): string => JSON.stringify([type, key])

const canBeNumber = ({ kind }: OfferedProperty): boolean =>
  kind === null || kind === 'Numeric' || kind === 'Duration'

type PropertiesProps = {
  isNumber: boolean
  pick: (property: { type: string; key: string }) => void
}

function Properties({ isNumber, pick }: PropertiesProps) {
  const { data, error, reload } = useLoaded('', async () =>
    (await Promise.all(EVENT_TYPES.map(listProperties))).flat()
  )
  const text = useSignal('')
  const typed = text.value.trim()
  const words = typed.toLowerCase().split(/\s+/)
  const matching = (data ?? []).filter((one) => {
    const whole = `${propertyName(one.key)} ${one.key}`.toLowerCase()
    return (!isNumber || canBeNumber(one)) && words.every((word) => whole.includes(word))
  })
  const isNew = data !== undefined && typed !== '' && !data.some(({ key }) => key === typed)
  const options: Option[] = [
    ...matching.slice(0, SHOWN).map((one) => ({
      id: idOf(one),
      label: propertyName(one.key),
      group: OWNERS[one.type] ?? one.type
    })),
    ...(isNew
      ? [{ id: idOf({ type: 'event', key: typed }), label: typed, group: 'Not seen so far' }]
      : [])
  ]
  return (
    <>
      {error && <Fault error={error} retry={reload} />}
      <Combobox
        label="Property"
        placeholder="Property"
        text={text.value}
        input={(changed) => {
          text.value = changed
        }}
        options={options}
        pick={({ id }) => {
          const [type = 'event', key = ''] = JSON.parse(id) as string[]
          pick({ type, key })
        }}
        empty={data ? 'No property has this name.' : 'Loading the names…'}
      />
    </>
  )
}
