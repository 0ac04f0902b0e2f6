import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ApiError } from '../api.ts'
import { useLoaded } from '../loaded.ts'
import { Fault, Skeleton, toast } from '../parts.tsx'
import { may } from '../session.ts'
import { loadSettings, type ProjectSettings, saveSettings } from './api.ts'

/** What a form of settings shows: the settings with what was changed, and the fault of a field. */
export type Shown = {
  values: ProjectSettings
  change: (changed: Partial<ProjectSettings>) => void
  faultOf: (name: keyof ProjectSettings) => string | undefined
  isFixed: boolean
}

type FormProps = {
  /** Fields that show their own fault. */
  names: (keyof ProjectSettings)[]
  children: (shown: Shown) => ComponentChildren
}

/** A form of settings, which are saved together. Without the scope for it, they are shown only. */
export function SettingsForm({ names, children }: FormProps) {
  const { data, error, reload } = useLoaded('settings', loadSettings)
  const saved = useSignal<ProjectSettings | undefined>(undefined)
  const changed = useSignal<Partial<ProjectSettings>>({})
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const known = saved.value ?? data
  if (!known) {
    return error ? <Fault error={error} retry={reload} /> : <Skeleton rows={6} />
  }
  const isFixed = !may('project:write')
  const isChanged = Object.keys(changed.value).length > 0
  const save = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    refused.value = undefined
    try {
      saved.value = await saveSettings(changed.value)
      changed.value = {}
      toast('The changes are saved')
    } catch (fault) {
      refused.value = fault instanceof ApiError ? fault : new ApiError(String(fault))
    } finally {
      isBusy.value = false
    }
  }
  const attr = refused.value?.attr.split('__')[0] ?? ''
  const faultOf = (name: keyof ProjectSettings) =>
    attr === name ? refused.value?.message : undefined
  return (
    <form class="card fields" onSubmit={save} noValidate>
      <fieldset disabled={isFixed}>
        {children({
          values: { ...known, ...changed.value },
          change: (more) => {
            changed.value = differing({ ...changed.value, ...more }, known)
          },
          faultOf,
          isFixed
        })}
      </fieldset>
      {refused.value && !names.some((name) => name === attr) && <Fault error={refused.value} />}
      {!isFixed && (
        <footer class="row">
          <button type="submit" class="b main-b" disabled={!isChanged || isBusy.value}>
            Save changes
          </button>
          {isChanged && (
            <button
              type="button"
              class="b quiet"
              onClick={() => {
                changed.value = {}
                refused.value = undefined
              }}
            >
              Discard
            </button>
          )}
        </footer>
      )}
    </form>
  )
}

/** Returns the values that differ from what is known. */
const differing = (
  values: Partial<ProjectSettings>,
  known: ProjectSettings
): Partial<ProjectSettings> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(known[name as keyof ProjectSettings])
    )
  )
