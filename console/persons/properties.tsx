import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Dialog, Fault, IconButton, Moment, Name, toast } from '../parts.tsx'
import { may } from '../session.ts'
import { count, nameOf, textOf } from '../words.ts'
import type { Person } from './api.ts'

/** Properties that are shown at once. */
const SHOWN = 12

/** Own properties come first, then those that the SDK sets. */
const sorted = (properties: Record<string, unknown>): [string, unknown][] =>
  Object.entries(properties).sort(
    ([a], [b]) => Number(a.startsWith('$')) - Number(b.startsWith('$')) || (a < b ? -1 : 1)
  )

export function Properties({ person, reload }: { person: Person; reload: () => void }) {
  const edited = useSignal<string | undefined>(undefined)
  const opened = useSignal<string | undefined>(undefined)
  const isWhole = useSignal(false)
  const rows = sorted(person.properties)
  const shown = isWhole.value ? rows : rows.slice(0, SHOWN)
  return (
    <section class="card">
      <header>
        <h2>Properties</h2>
        <span class="sub">{count(rows.length)}</span>
        <span class="grow" />
        {may('person:write') && (
          <IconButton
            icon="add"
            label="Add a property"
            run={() => {
              edited.value = ''
            }}
          />
        )}
      </header>
      {rows.length === 0 && <p class="pad mut">None are set.</p>}
      <dl class="kv pad">
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt title={name}>
              <bdi>{nameOf(name)}</bdi>
            </dt>
            <dd>
              <span class="grow">
                <Name>{textOf(value)}</Name>
              </span>
              <span class="acts">
                <IconButton
                  icon="clock"
                  label={`Earlier values of ${name}`}
                  isPressed={opened.value === name}
                  run={() => {
                    opened.value = opened.value === name ? undefined : name
                  }}
                />
                {may('person:write') && (
                  <IconButton
                    icon="edit"
                    label={`Edit ${name}`}
                    run={() => {
                      edited.value = name
                    }}
                  />
                )}
              </span>
            </dd>
            {opened.value === name && <History person={person} name={name} />}
          </div>
        ))}
      </dl>
      {shown.length < rows.length && (
        <button
          type="button"
          class="more"
          onClick={() => {
            isWhole.value = true
          }}
        >
          {count(rows.length - shown.length)} more
          <Icon name="next" small />
        </button>
      )}
      {edited.value !== undefined && (
        <EditDialog
          person={person}
          name={edited.value}
          close={() => {
            edited.value = undefined
          }}
          reload={reload}
        />
      )}
    </section>
  )
}

type TimelinePoints = {
  points: { timestamp: string; properties: Record<string, unknown> }[]
}

/** The values of a property over time, as the person's events have set them, newest first. */
function History({ person, name }: { person: Person; name: string }) {
  const { data, error, reload } = useLoaded(`${person.uuid} ${name}`, (signal) =>
    call<TimelinePoints>('GET', `persons/${person.uuid}/properties_timeline/`, {
      query: { date_from: 'all', breakdown_type: 'person', breakdown: name },
      signal
    })
  )
  const values = (data?.points ?? []).map(({ timestamp, properties }) => ({
    timestamp,
    text: name in properties ? textOf(properties[name]) : undefined
  }))
  const changes = values
    .map((value, i) => ({ ...value, before: values[i - 1]?.text }))
    .filter(({ text, before }) => text !== before)
    .reverse()
  return (
    <dd class="hist">
      {error && <Fault error={error} retry={reload} />}
      {data && changes.length === 0 && (
        <p class="mut">No event of this person has set it: it was set over the API.</p>
      )}
      <ul>
        {changes.map(({ timestamp, text, before }) => (
          <li key={timestamp}>
            <span class="mut">
              <Moment at={timestamp} />
            </span>
            <span class="wrap-any">
              {before === undefined ? 'set to ' : <Name>{before}</Name>}
              {before !== undefined && ' → '}
              {text === undefined ? 'removed' : <Name>{text}</Name>}
            </span>
          </li>
        ))}
      </ul>
    </dd>
  )
}

type EditProps = { person: Person; name: string; close: () => void; reload: () => void }

/** Sets a property, or deletes it. Without a name, it adds one. */
function EditDialog({ person, name, close, reload }: EditProps) {
  const before = person.properties[name]
  const newName = useSignal(name)
  const isText = useSignal(name === '' || typeof before === 'string')
  const text = useSignal(name === '' ? '' : textOf(before))
  const fault = useSignal<{ at: 'name' | 'value'; words: string } | undefined>(undefined)
  const refused = useSignal<ApiError | undefined>(undefined)
  const isDeleting = useSignal(false)
  const send = async (words: string, request: () => Promise<unknown>) => {
    try {
      await request()
      close()
      reload()
      toast(words)
    } catch (error) {
      refused.value = error as ApiError
    }
  }
  const save = async (event: Event) => {
    event.preventDefault()
    const key = newName.value.trim()
    if (key === '') {
      fault.value = { at: 'name', words: 'Name the property, such as plan.' }
      return
    }
    let value: unknown = text.value
    try {
      value = isText.value ? text.value : JSON.parse(text.value)
    } catch {
      const words = 'Write JSON, such as 12, true or ["a"], or choose Text.'
      fault.value = { at: 'value', words }
      return
    }
    await send(`${nameOf(key)} is saved`, () =>
      call('PATCH', `persons/${person.uuid}/`, { body: { properties: { [key]: value } } })
    )
  }
  const remove = () =>
    send(`${nameOf(name)} is deleted`, () =>
      call('POST', `persons/${person.uuid}/delete_property/`, { body: { $unset: name } })
    )
  return (
    <Dialog
      title={name === '' ? 'Add a property' : `Edit ${nameOf(name)}`}
      words={
        isDeleting.value ? 'Its earlier values are deleted, too. This cannot be undone.' : undefined
      }
      close={close}
      footer={
        isDeleting.value ? (
          <>
            <button
              type="button"
              class="b"
              onClick={() => {
                isDeleting.value = false
              }}
            >
              Keep the property
            </button>
            <button type="button" class="b danger" onClick={remove}>
              Delete the property
            </button>
          </>
        ) : (
          <>
            {name !== '' && (
              <button
                type="button"
                class="b quiet danger-quiet side"
                onClick={() => {
                  isDeleting.value = true
                }}
              >
                Delete…
              </button>
            )}
            <button type="button" class="b" onClick={close}>
              Cancel
            </button>
            <button type="submit" form="edit" class="b main-b">
              Save the property
            </button>
          </>
        )
      }
    >
      <form id="edit" class="stack" onSubmit={save}>
        {name === '' && (
          <div class="field">
            <label for="property">Name</label>
            <input
              id="property"
              class={`in${fault.value?.at === 'name' ? ' wrong' : ''}`}
              value={newName.value}
              onInput={(event) => {
                newName.value = event.currentTarget.value
              }}
            />
            {fault.value?.at === 'name' && <p class="wrong-text">{fault.value.words}</p>}
          </div>
        )}
        <div class="field">
          <label for="value">Value</label>
          <input
            id="value"
            class={`in${isText.value ? '' : ' mono'}${fault.value?.at === 'value' ? ' wrong' : ''}`}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value
            }}
          />
          {fault.value?.at === 'value' && <p class="wrong-text">{fault.value.words}</p>}
        </div>
        <fieldset class="seg" aria-label="Type of the value">
          <button
            type="button"
            aria-pressed={isText.value}
            onClick={() => {
              isText.value = true
            }}
          >
            Text
          </button>
          <button
            type="button"
            aria-pressed={!isText.value}
            onClick={() => {
              isText.value = false
            }}
          >
            JSON
          </button>
        </fieldset>
        {refused.value && <Fault error={refused.value} />}
      </form>
    </Dialog>
  )
}
