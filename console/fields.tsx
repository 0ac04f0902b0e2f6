import { useSignal } from '@preact/signals'
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from './icons.tsx'

type FieldProps = {
  label: string
  hint?: string | undefined
  /** What is wrong with the value; it replaces the hint. */
  fault?: string | undefined
  /** Gets the attributes that join the field to its label, and to its hint or its fault. */
  children: (joined: { id: string; 'aria-describedby': string; class: string }) => ComponentChildren
}

/** A field below its label, with a hint or a fault below. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId()
  const about = `${id}-about`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': about, class: fault ? 'in wrong' : 'in' })}
      <div id={about}>
        {fault ? (
          <p class="wrong-text" role="alert">
            <Icon name="warning" small />
            {fault}
          </p>
        ) : (
          hint && <p class="hint">{hint}</p>
        )}
      </div>
    </div>
  )
}

type TypedProps = {
  id?: string
  class: string
  'aria-label'?: string
  'aria-describedby'?: string
  type?: 'text' | 'number' | 'time'
  min?: number | undefined
  max?: number
  step?: 'any'
  maxLength?: number
  required?: boolean
  placeholder?: string
  spellcheck?: boolean
  value: string | number
  /** Takes what was typed once the field is left. */
  commit: (text: string) => void
  /** Lines; given, the field has several. */
  rows?: number
}

/** A field that keeps what is typed, whatever is rendered meanwhile, until it is left. */
export function Typed({ value, commit, rows, ...rest }: TypedProps) {
  const typed = useSignal<string | undefined>(undefined)
  const joined = {
    ...rest,
    value: typed.value ?? value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
      typed.value = currentTarget.value
    },
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      const { value: text } = currentTarget
      typed.value = undefined
      commit(text)
    },
    // There is no change to commit if the first value was typed again.
    onBlur: () => {
      typed.value = undefined
    }
  }
  if (rows === undefined) {
    // The cast is safe: each of these types of inputs has all of these attributes.
    return <input {...(joined as InputHTMLAttributes)} />
  }
  const { type: _, ...several } = joined
  return <textarea {...several} rows={rows} />
}

type ChoiceProps<T extends string> = {
  label: string
  options: readonly (readonly [T, string])[]
  value: T
  choose: (value: T) => void
}

/** A choice of a few options, side by side. */
export const Choice = <T extends string>({ label, options, value, choose }: ChoiceProps<T>) => (
  <div class="field">
    <span class="l">{label}</span>
    <fieldset class="seg" aria-label={label}>
      {options.map(([option, name]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => choose(option)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  </div>
)

type CheckProps = {
  label: string
  hint?: string | undefined
  isOn: boolean
  turn: (isOn: boolean) => void
}

/** A choice that is on or off. */
export function Check({ label, hint, isOn, turn }: CheckProps) {
  const id = useId()
  return (
    <div class="check">
      <input
        type="checkbox"
        class="box"
        id={id}
        checked={isOn}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      <label for={id}>
        {label}
        {hint && <span class="mut hint">{hint}</span>}
      </label>
    </div>
  )
}

type SelectProps<T extends string> = ChoiceProps<T> & { hint?: string | undefined }

/** A choice of many options. */
export const Select = <T extends string>({
  label,
  options,
  value,
  choose,
  hint
}: SelectProps<T>) => (
  <Field label={label} hint={hint}>
    {(joined) => (
      <select
        {...joined}
        value={value}
        onChange={(event) => choose(event.currentTarget.value as T)}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)
