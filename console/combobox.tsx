import { useSignal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'

export type Option = {
  id: string
  label: string
  /** The heading above it. */
  group?: string
  /** What is said at the end of the row. */
  hint?: string
}

type ComboboxProps = {
  label: string
  text: string
  input: (text: string) => void
  options: readonly Option[]
  pick: (option: Option) => void
  /** The ids of those that are picked; given, several can be. */
  picked?: readonly string[]
  placeholder?: string
  /** What Enter does while no option is active. */
  enter?: () => void
  /** Said in place of options while there are none. */
  empty?: string
  /** Whether the field takes the focus as soon as it is shown. */
  takesFocus?: boolean
}

/** A field that offers options as one types. Arrows move among them, Enter picks one. */
export function Combobox(props: ComboboxProps) {
  const { label, text, input, options, pick, picked, placeholder, enter, empty, takesFocus } = props
  const id = useId()
  const active = useSignal(-1)
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const at = Math.min(active.value, options.length - 1)
  // Before the browser shows the field: letters that are typed at once go into it.
  useLayoutEffect(() => {
    if (takesFocus) {
      field.current?.focus()
    }
  }, [])
  useLayoutEffect(() => {
    active.value = text.trim() === '' ? -1 : 0
  }, [text])
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      active.value = Math.max(0, Math.min(options.length - 1, at + step))
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      // A second Enter may come before what the first has picked is shown.
      const option = options[Math.min(active.value, options.length - 1)]
      if (option) {
        active.value = -1
        pick(option)
      } else {
        enter?.()
      }
    }
  }
  return (
    <div class="combo">
      <input
        ref={field}
        class="in"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={true}
        aria-controls={id}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={(event) => {
          active.value = event.currentTarget.value.trim() === '' ? -1 : 0
          input(event.currentTarget.value)
        }}
        onKeyDown={press}
      />
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={label}
        aria-multiselectable={Boolean(picked)}
      >
        {options.map((option, i) => (
          <OptionRow
            key={option.id}
            id={`${id}-${i}`}
            option={option}
            heading={option.group === options[i - 1]?.group ? undefined : option.group}
            isActive={i === at}
            isPicked={picked?.includes(option.id)}
            pick={() => pick(option)}
          />
        ))}
        {options.length === 0 && empty && (
          <div role="presentation" class="mut none">
            {empty}
          </div>
        )}
      </div>
    </div>
  )
}

type RowProps = {
  id: string
  option: Option
  heading: string | undefined
  isActive: boolean
  isPicked: boolean | undefined
  pick: () => void
}

const OptionRow = ({ id, option, heading, isActive, isPicked, pick }: RowProps) => (
  <>
    {heading && (
      <div role="presentation" class="lab">
        {heading}
      </div>
    )}
    {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys */}
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isPicked ?? isActive}
      data-active={isActive || undefined}
      title={option.label.slice(0, 300)}
      onPointerDown={(event) => event.preventDefault()}
      onClick={pick}
    >
      {isPicked !== undefined && (
        <span class={`tick${isPicked ? ' on' : ''}`}>{isPicked && <Icon name="done" small />}</span>
      )}
      <bdi class="cut grow">{option.label.slice(0, 300)}</bdi>
      {option.hint && <span class="mut">{option.hint}</span>}
    </div>
  </>
)
