import { useSignal } from '@preact/signals'
import { addressOf, go, parameters } from '../address.ts'
import { type ApiError, call } from '../api.ts'
import type { Filter } from '../filters/filter.ts'
import { Filters } from '../filters/filters.tsx'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import type { Page } from '../paged.tsx'
import { Dialog, Fault, Name, toast } from '../parts.tsx'
import { Kept } from '../persons/erase.tsx'
import { project } from '../session.ts'
import { count, nameOf, shortDay } from '../words.ts'
import type { EventDeletion } from './api.ts'
import { type DeletionRequest, type Draft, draftIn, requestOf } from './draft.ts'

type Preview = {
  events: number
  by_name: { event: string; count: number }[]
  persons: number
  sessions: number
  oldest: string | null
  newest: string | null
  scheduled_for: string
  kept: string[]
  token: string | null
}

type Found = { request: DeletionRequest; preview: Preview }

/** The names of events or of their properties, offered while someone types. */
function Offered({ id, path }: { id: string; path: string }) {
  const { data } = useLoaded(path, (signal) =>
    call<Page<{ name: string }>>('GET', path, { query: { limit: '200' }, signal })
  )
  return (
    <datalist id={id}>
      {data?.results.map(({ name }) => (
        <option key={name} value={name}>
          {nameOf(name)}
        </option>
      ))}
    </datalist>
  )
}

type NamesProps = {
  id: string
  label: string
  hint: string
  /** The list of the API whose names are offered. */
  path: string
  names: string[]
  change: (names: string[]) => void
}

/** Names as chips, and a field that adds one. */
function Names({ id, label, hint, path, names, change }: NamesProps) {
  const typed = useSignal('')
  const isUsed = useSignal(false)
  const add = () => {
    if (typed.value !== '' && !names.includes(typed.value)) {
      change([...names, typed.value])
    }
    typed.value = ''
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {names.length > 0 && (
        <div class="named">
          {names.map((name) => (
            <span key={name} class="chip">
              <b class="cut">
                <Name>{nameOf(name)}</Name>
              </b>
              <button
                type="button"
                aria-label={`Leave out ${name}`}
                onClick={() => change(names.filter((other) => other !== name))}
              >
                <Icon name="remove" small />
              </button>
            </span>
          ))}
        </div>
      )}
      <div class="row nowrap-row">
        <input
          id={id}
          class="in"
          list={`${id}-offered`}
          autocomplete="off"
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          value={typed.value}
          onFocus={() => {
            isUsed.value = true
          }}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && typed.value !== '') {
              event.preventDefault()
              add()
            }
          }}
          onBlur={add}
        />
      </div>
      {isUsed.value && <Offered id={`${id}-offered`} path={path} />}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

/** Counts events by filters, and deletes what was counted. */
export function DeleteForm({ done }: { done: () => void }) {
  const draft = draftIn(parameters.value.get('delete'))
  const found = useSignal<Found | undefined>(undefined)
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const change = (changed: Partial<Draft>) => {
    found.value = undefined
    refused.value = undefined
    go(addressOf(['privacy', 'events'], { delete: JSON.stringify({ ...draft, ...changed }) }), {
      replace: true
    })
  }
  const request = requestOf(draft)
  const look = async () => {
    if (!request) {
      return
    }
    isBusy.value = true
    try {
      const preview = await call<Preview>('POST', 'events/delete/', {
        body: { ...request, dry_run: true }
      })
      found.value = { request, preview }
      refused.value = undefined
    } catch (error) {
      refused.value = error as ApiError
    }
    isBusy.value = false
  }
  const field = (name: 'distinct_id' | 'session_id' | 'after' | 'before', label: string) => {
    const shared = {
      id: `delete-${name}`,
      class: 'in',
      value: draft[name],
      onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
        change({ [name]: currentTarget.value })
    }
    return (
      <div class="field">
        <label for={shared.id}>{label}</label>
        {name === 'after' || name === 'before' ? (
          <input {...shared} type="date" />
        ) : (
          <input {...shared} autocomplete="off" spellcheck={false} />
        )}
      </div>
    )
  }
  return (
    <section class="card task">
      <header>
        <h2>Delete events, or some of their properties</h2>
      </header>
      <div class="pad stack">
        <div class="form-grid">
          <div class="whole">
            <Names
              id="delete-names"
              label="Names of the events"
              hint="Enter adds a name. Without names: events of any name."
              path="event_definitions/"
              names={draft.events}
              change={(events) => change({ events })}
            />
          </div>
          {field('after', 'From the day')}
          {field('before', 'Before the day')}
          {field('distinct_id', 'With the distinct id')}
          {field('session_id', 'In the session')}
        </div>
        <div class="field">
          <span class="l">Filters by properties</span>
          <div class="named">
            <Filters
              filters={draft.filters as Filter[]}
              change={(filters) => change({ filters })}
            />
          </div>
        </div>
        <fieldset class="seg" aria-label="What is removed">
          {(['events', 'properties'] as const).map((what) => (
            <button
              key={what}
              type="button"
              aria-pressed={draft.what === what}
              onClick={() => change({ what })}
            >
              {what === 'events' ? 'Delete the events' : 'Only remove properties'}
            </button>
          ))}
        </fieldset>
        {draft.what === 'properties' && (
          <Names
            id="delete-properties"
            label="Properties to remove"
            hint="The events stay, and lose these properties, also in $set and $set_once."
            path="property_definitions/"
            names={draft.properties}
            change={(properties) => change({ properties })}
          />
        )}
        {refused.value && <Fault error={refused.value} />}
        {found.value && found.value.preview.events === 0 && (
          <p class="note">
            No event matches. Names are compared exactly, with upper and lower case.
          </p>
        )}
        <div class="row">
          <button
            type="button"
            class="b"
            disabled={isBusy.value || request === undefined}
            onClick={look}
          >
            Count the events
          </button>
          <span class="mut small-text">
            Nothing is deleted yet. Days begin at midnight in {project.value?.timezone}.
          </span>
        </div>
      </div>
      {found.value && found.value.preview.events > 0 && (
        <DeleteDialog
          found={found.value}
          close={() => {
            found.value = undefined
          }}
          done={done}
        />
      )}
    </section>
  )
}

type DeleteProps = { found: Found; close: () => void; done: () => void }

/** Names that are shown; the rest is a number. */
const SHOWN = 6

/** Deletes exactly the events of the dry run. */
function DeleteDialog({ found: { request, preview }, close, done }: DeleteProps) {
  const { events, by_name: names, oldest, newest } = preview
  const typed = useSignal('')
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const what = request.properties
    ? `${request.properties.join(', ')} from ${count(events)} events`
    : `${count(events)} ${events === 1 ? 'event' : 'events'}`
  const remove = async () => {
    isBusy.value = true
    try {
      const made = await call<EventDeletion>('POST', 'events/delete/', {
        body: { ...request, token: preview.token }
      })
      close()
      done()
      toast('The deletion is queued', {
        label: 'Show it',
        run: () => go(addressOf(['privacy', 'events', made.id]))
      })
    } catch (error) {
      refused.value = error as ApiError
      isBusy.value = false
    }
  }
  return (
    <Dialog
      title={request.properties ? `Remove ${what}?` : `Delete ${what}?`}
      words={
        oldest && newest
          ? `${shortDay(new Date(oldest))} – ${shortDay(new Date(newest))}, of ${count(preview.persons)} persons in ${count(preview.sessions)} sessions`
          : undefined
      }
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep the events
          </button>
          <button
            type="button"
            class="b danger"
            disabled={isBusy.value || typed.value.trim() !== String(events)}
            onClick={remove}
          >
            {request.properties ? 'Remove and sign a receipt' : 'Delete and sign a receipt'}
          </button>
        </>
      }
    >
      <table class="table framed">
        <thead>
          <tr>
            <th>Found now</th>
            <th class="num">Events</th>
          </tr>
        </thead>
        <tbody>
          {names.slice(0, SHOWN).map((name) => (
            <tr key={name.event}>
              <td class="cut by">
                <Name>{nameOf(name.event)}</Name>
              </td>
              <td class="num strong">{count(name.count)}</td>
            </tr>
          ))}
          {names.length > SHOWN && (
            <tr>
              <td class="mut">{count(names.length - SHOWN)} more names</td>
              <td class="num mut">
                {count(names.slice(SHOWN).reduce((sum, name) => sum + name.count, 0))}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <p class="sec">
        Exactly these events, in the run of {shortDay(new Date(preview.scheduled_for))}. If others
        match meanwhile, nothing is deleted.
      </p>
      <Kept words={preview.kept} />
      <div class="field">
        <label for="typed-count">
          Type <b class="mono">{events}</b> to confirm
        </label>
        <input
          id="typed-count"
          class="in days"
          inputMode="numeric"
          autocomplete="off"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
      </div>
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}
