import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Dialog, Fault, Skeleton, toast } from '../parts.tsx'
import { count, shortDay } from '../words.ts'
import { type Person, titleOf } from './api.ts'

type Preview = {
  scheduled_for: string
  stores: { store: string; deleted: number; kept: number }[]
  kept: string[]
  mentions?: { stores: { store: string; looked: boolean; scope: string; found: number }[] }
}

type EraseProps = { person: Person; close: () => void; reload: () => void }

/** `subscription_deliveries` → `Subscription deliveries` */
const storeName = (store: string): string =>
  store.charAt(0).toUpperCase() + store.slice(1).replaceAll('_', ' ')

/** Erases a person, once it has shown what would be removed, and someone has typed the person's name. */
export function EraseDialog({ person, close, reload }: EraseProps) {
  const events = useSignal(true)
  const recordings = useSignal(true)
  const typed = useSignal('')
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const wanted = {
    delete_events: String(events.value),
    delete_recordings: String(recordings.value)
  }
  const {
    data,
    error,
    reload: again
  } = useLoaded(JSON.stringify(wanted), (signal) =>
    call<Preview>('DELETE', `persons/${person.uuid}/`, {
      query: { ...wanted, dry_run: 'true' },
      signal
    })
  )
  const erase = async () => {
    isBusy.value = true
    try {
      await call('DELETE', `persons/${person.uuid}/`, {
        query: { ...wanted, search_mentions: 'true' }
      })
      close()
      reload()
      toast('The person is erased')
    } catch (fault) {
      refused.value = fault as ApiError
      isBusy.value = false
    }
  }
  const rows = data?.stores.filter(({ deleted, kept }) => deleted + kept > 0) ?? []
  const keeps = rows.some(({ kept }) => kept > 0)
  const mentions = data?.mentions?.stores.filter(({ found }) => found > 0) ?? []
  const unseen = data?.mentions?.stores.filter(({ looked }) => !looked) ?? []
  return (
    <Dialog
      title={`Erase ${titleOf(person).title}?`}
      words={person.name === titleOf(person).title ? undefined : person.name}
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep the person
          </button>
          <button
            type="button"
            class="b danger"
            disabled={!data || isBusy.value || typed.value.trim() !== person.name.trim()}
            onClick={erase}
          >
            Erase and sign a receipt
          </button>
        </>
      }
    >
      {error && <Fault error={error} retry={again} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && (
        <table class="table framed">
          <thead>
            <tr>
              <th>Found now</th>
              <th class="num">Erased</th>
              {keeps && <th class="num">Kept</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ store, deleted, kept }) => (
              <tr key={store}>
                <td>{storeName(store)}</td>
                <td class="num strong">{count(deleted)}</td>
                {keeps && <td class="num mut">{count(kept)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="check">
        <input
          type="checkbox"
          class="box"
          id="with-events"
          checked={events.value}
          onChange={() => {
            events.value = !events.value
          }}
        />
        <label for="with-events">
          Erase the events, too
          {events.value && data && (
            <span class="mut hint">In the run of {shortDay(new Date(data.scheduled_for))}.</span>
          )}
        </label>
      </div>
      <div class="check">
        <input
          type="checkbox"
          class="box"
          id="with-recordings"
          checked={recordings.value}
          onChange={() => {
            recordings.value = !recordings.value
          }}
        />
        <label for="with-recordings">Erase the recordings, too</label>
      </div>
      {data && data.kept.length > 0 && (
        <details>
          <summary>What stays, and why</summary>
          <ul class="note plain sec">
            {data.kept.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </details>
      )}
      {mentions.length > 0 && (
        <div class="note warn">
          <Icon name="warning" />
          <p>
            <b>Mentions that stay: </b>
            {mentions.map(({ store, found }) => `${storeName(store)} ${count(found)}`).join(', ')}.
            The API reference says how to remove them: <a href="/docs">persons/mentions</a>.
          </p>
        </div>
      )}
      {unseen.length > 0 && (
        <p class="mut">
          Not searched, because this key lacks {unseen.map(({ scope }) => scope).join(', ')}.
        </p>
      )}
      <div class="field">
        <label for="typed">
          Type <bdi class="mono">{person.name}</bdi> to confirm
        </label>
        <input
          id="typed"
          class="in"
          autocomplete="off"
          spellcheck={false}
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
