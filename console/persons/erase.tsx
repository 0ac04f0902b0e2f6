import { useSignal } from '@preact/signals'
import { addressOf, go } from '../address.ts'
import { type ApiError, call } from '../api.ts'
import { Check } from '../fields.tsx'
import { useLoaded } from '../loaded.ts'
import { Dialog, Fault, Skeleton, toast } from '../parts.tsx'
import { inOrder, storeName } from '../privacy/api.ts'
import { count, shortDay } from '../words.ts'
import { type Person, titleOf } from './api.ts'
import { type MentionStore, Mentions } from './mentions.tsx'

export type Preview = {
  scheduled_for: string
  stores: { store: string; deleted: number; kept: number }[]
  kept: string[]
  mentions?: { stores: MentionStore[] }
}

type Extent = { delete_events: string; delete_recordings: string }

/** Who is erased: a person, or a visitor who is none and has only a distinct id. */
export type Target = {
  title: string
  words: string | undefined
  /** What has to be typed to confirm. */
  name: string
  preview: (extent: Extent, signal: AbortSignal) => Promise<Preview>
  /** Erases, and returns the UUID under which the erasure is listed. */
  erase: (extent: Extent) => Promise<string>
}

export const personTarget = (person: Person): Target => {
  const { title } = titleOf(person)
  const path = `persons/${person.uuid}/`
  return {
    title,
    words: person.name === title ? undefined : person.name,
    name: person.name,
    preview: (extent, signal) =>
      call('DELETE', path, { query: { ...extent, dry_run: 'true' }, signal }),
    erase: async (extent) => {
      await call('DELETE', path, { query: { ...extent, search_mentions: 'true' } })
      return person.uuid
    }
  }
}

type BulkDeleted = { preview: Preview; results: { person_uuid: string | null }[] }

/** A visitor without a person, whom only a distinct id names. */
export const visitorTarget = (distinctId: string): Target => {
  const send = (extent: Extent, more: object = {}, signal?: AbortSignal) => {
    const wanted = Object.entries(extent).map(([name, value]) => [name, value === 'true'])
    const body = { distinct_ids: [distinctId], ...Object.fromEntries(wanted), ...more }
    return call<BulkDeleted>('POST', 'persons/bulk_delete/', { body, signal })
  }
  return {
    title: distinctId,
    words: 'A visitor without a person.',
    name: distinctId,
    preview: async (extent, signal) => (await send(extent, { dry_run: true }, signal)).preview,
    erase: async (extent) => (await send(extent)).results[0]?.person_uuid ?? ''
  }
}

type EraseProps = { target: Target; close: () => void; done?: () => void }

/** Erases, once it has shown what would be removed, and someone has typed the name. */
export function EraseDialog({ target, close, done }: EraseProps) {
  const events = useSignal(true)
  const recordings = useSignal(true)
  const typed = useSignal('')
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const extent = {
    delete_events: String(events.value),
    delete_recordings: String(recordings.value)
  }
  const {
    data,
    error,
    reload: again
  } = useLoaded(JSON.stringify(extent), (signal) => target.preview(extent, signal))
  const erase = async () => {
    isBusy.value = true
    try {
      const uuid = await target.erase(extent)
      close()
      done?.()
      toast('The person is erased', {
        label: 'Show the erasure',
        run: () => go(addressOf(['privacy', 'erasures', uuid]))
      })
    } catch (fault) {
      refused.value = fault as ApiError
      isBusy.value = false
    }
  }
  return (
    <Dialog
      title={`Erase ${target.title}?`}
      words={target.words}
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep the person
          </button>
          <button
            type="button"
            class="b danger"
            disabled={!data || isBusy.value || typed.value.trim() !== target.name.trim()}
            onClick={erase}
          >
            Erase and sign a receipt
          </button>
        </>
      }
    >
      {error && <Fault error={error} retry={again} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && <Found stores={data.stores} />}
      <Check
        label="Erase the events, too"
        hint={
          events.value && data
            ? `In the run of ${shortDay(new Date(data.scheduled_for))}.`
            : undefined
        }
        isOn={events.value}
        turn={(isOn) => {
          events.value = isOn
        }}
      />
      <Check
        label="Erase the recordings, too"
        isOn={recordings.value}
        turn={(isOn) => {
          recordings.value = isOn
        }}
      />
      {data && <Kept words={data.kept} />}
      {data?.mentions && <Mentions stores={data.mentions.stores} reload={again} />}
      <div class="field">
        <label for="typed">
          Type <bdi class="mono">{target.name}</bdi> to confirm
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
      <p class="mut small-text">
        Backups can bring the data back for 30 days after the last of it is removed. The receipt
        says until when.
      </p>
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}

/** What a dry run has found, by store. */
export function Found({ stores }: { stores: Preview['stores'] }) {
  const rows = inOrder(stores).filter(({ deleted, kept }) => deleted + kept > 0)
  const keeps = rows.some(({ kept }) => kept > 0)
  return (
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
  )
}

/** What a deletion keeps, and why, closed at first. */
export const Kept = ({ words }: { words: string[] }) => (
  <details>
    <summary>What stays, and why</summary>
    <ul class="note plain sec">
      {words.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  </details>
)
