import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { hasScope, OBJECTS } from '../../src/access/scopes.ts'
import { ApiError } from '../api.ts'
import { Check, Field, Select } from '../fields.tsx'
import { Dialog, Fault, Name, Once } from '../parts.tsx'
import { own, project } from '../session.ts'
import { shortDay } from '../words.ts'
import { createKey } from './api.ts'
import { lifetimesWithin } from './words.ts'

const DAY = 86_400_000

/** How much a key may do with a kind of objects. */
type Access = 'none' | 'read' | 'write'

const ACCESS: Record<Access, string> = { none: 'No', read: 'Read', write: 'Write' }

/** Objects whose scopes have another name for people. */
const NAMES: Record<string, string> = { personal_api_key: 'Keys and invitations' }

/** `session_recording` → `Session recording` */
const nameOfObject = (object: string): string =>
  NAMES[object] ?? object.charAt(0).toUpperCase() + object.slice(1).replaceAll('_', ' ')

/** What the key of this browser can grant for an object. */
const grantable = (object: string): Access[] => {
  const held = own.value?.scopes ?? []
  return [
    'none',
    ...(hasScope(held, `${object}:read`) ? (['read'] as const) : []),
    ...(hasScope(held, `${object}:write`) ? (['write'] as const) : [])
  ]
}

type NewKeyProps = { close: () => void; reload: () => void }

/** Makes a key that allows no more than the key of this browser. */
export function NewKeyDialog({ close, reload }: NewKeyProps) {
  const mine = own.value
  const lifetimes = lifetimesWithin(mine?.expires_at ?? null, shortDay)
  const label = useSignal('')
  const isWhole = useSignal(false)
  const access = useSignal<Record<string, Access>>({ insight: 'read' })
  const teams = useSignal<number[]>(project.value ? [project.value.id] : [])
  const days = useSignal('')
  const value = useSignal<string | undefined>(undefined)
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const scopes = isWhole.value
    ? ['*']
    : Object.entries(access.value).flatMap(([object, how]) =>
        how === 'none' ? [] : `${object}:${how}`
      )
  const make = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    refused.value = undefined
    try {
      const made = await createKey({
        label: label.value,
        scopes,
        scoped_teams: teams.value,
        ...(days.value !== '' && {
          expires_at: new Date(Date.now() + Number(days.value) * DAY).toISOString()
        })
      })
      value.value = made.value
      reload()
    } catch (fault) {
      refused.value = fault instanceof ApiError ? fault : new ApiError(String(fault))
    } finally {
      isBusy.value = false
    }
  }
  if (value.value !== undefined) {
    return (
      <Once
        title="The new key"
        words="Keep it now: it is not shown again, and nobody can read it from the service."
        label="Copy the key"
        text={value.value}
        close={close}
      />
    )
  }
  const isOfLabel = refused.value?.attr === 'label'
  return (
    <Dialog
      title="New key"
      words="For a program or a person. It allows no more than your own key."
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Cancel
          </button>
          <button
            type="submit"
            form="new-key"
            class="b main-b"
            disabled={isBusy.value || scopes.length === 0 || teams.value.length === 0}
          >
            Make the key
          </button>
        </>
      }
    >
      <form id="new-key" class="stack" noValidate onSubmit={make}>
        <Field
          label="Name"
          hint="What it is for, such as Nightly report."
          fault={isOfLabel ? refused.value?.message : undefined}
        >
          {(joined) => (
            <input
              {...joined}
              ref={field}
              maxLength={200}
              autocomplete="off"
              value={label.value}
              onInput={(event) => {
                label.value = event.currentTarget.value
              }}
            />
          )}
        </Field>
        {mine?.scopes.includes('*') && (
          <Check
            label="Everything"
            hint="Also what is added later, keys and settings included."
            isOn={isWhole.value}
            turn={(isOn) => {
              isWhole.value = isOn
            }}
          />
        )}
        {!isWhole.value && (
          <fieldset class="field">
            <legend class="l">Scopes</legend>
            <div class="scopes">
              {OBJECTS.map((object) => {
                const choices = grantable(object)
                return (
                  choices.length > 1 && (
                    <div key={object} class="row">
                      <span class="grow">{nameOfObject(object)}</span>
                      <fieldset class="seg" aria-label={nameOfObject(object)}>
                        {choices.map((how) => (
                          <button
                            key={how}
                            type="button"
                            aria-pressed={(access.value[object] ?? 'none') === how}
                            onClick={() => {
                              access.value = { ...access.value, [object]: how }
                            }}
                          >
                            {ACCESS[how]}
                          </button>
                        ))}
                      </fieldset>
                    </div>
                  )
                )
              })}
            </div>
          </fieldset>
        )}
        {(mine?.projects.length ?? 0) > 1 && (
          <fieldset class="field">
            <legend class="l">Projects</legend>
            <div class="choices">
              {mine?.projects.map(({ id, name }) => (
                <label key={id} class="check">
                  <input
                    type="checkbox"
                    class="box"
                    checked={teams.value.includes(id)}
                    onChange={(event) => {
                      const others = teams.value.filter((one) => one !== id)
                      teams.value = event.currentTarget.checked ? [...others, id] : others
                    }}
                  />
                  <span class="cut">
                    <Name>{name}</Name>
                  </span>
                </label>
              ))}
            </div>
          </fieldset>
        )}
        <Select
          label="Ends"
          hint={
            mine?.expires_at
              ? 'A key ends with the key that made it. For one that stays: npm run key -- create.'
              : undefined
          }
          options={lifetimes.map(({ days, name }) => [String(days ?? ''), name] as const)}
          value={days.value}
          choose={(chosen) => {
            days.value = chosen
          }}
        />
      </form>
      {refused.value && !isOfLabel && <Fault error={refused.value} />}
    </Dialog>
  )
}
