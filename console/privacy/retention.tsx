import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { useLoaded } from '../loaded.ts'
import { Fault, Skeleton, toast } from '../parts.tsx'
import { may } from '../session.ts'
import { count } from '../words.ts'

type Settings = { recording_retention_days: number | null }

/** How long what is kept, and the setting for recordings. */
export function Retention() {
  const { data, error, reload } = useLoaded('', (signal) => call<Settings>('GET', '', { signal }))
  return (
    <div class="stack narrow">
      {error && <Fault error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && (
        <section class="card task">
          <header>
            <h2>Recordings</h2>
          </header>
          <div class="pad">
            <RecordingDays days={data.recording_retention_days} reload={reload} />
          </div>
        </section>
      )}
      <section class="card task">
        <header>
          <h2>Everything else</h2>
        </header>
        <dl class="kv pad">
          {KEPT.map(([name, words]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}

const KEPT = [
  ['Events, persons', 'until they are erased or deleted here or over the API'],
  ['Deliveries of reports and alerts', '90 days'],
  ['Backups', 'up to 30 days: a receipt says until when'],
  ['Receipts, erasures', 'for good: they prove what was removed, and name nobody']
]

type DaysProps = { days: number | null; reload: () => void }

function RecordingDays({ days, reload }: DaysProps) {
  const typed = useSignal(days === null ? '' : String(days))
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const wanted = typed.value.trim() === '' ? null : Number(typed.value)
  const isShorter = wanted !== null && (days === null || wanted < days)
  if (!may('project:write')) {
    return (
      <p>
        {days === null
          ? 'Kept as long as the deployment says.'
          : `Kept for ${count(days)} ${days === 1 ? 'day' : 'days'}, then removed with their snapshots.`}
      </p>
    )
  }
  const save = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    try {
      await call('PATCH', '', { body: { recording_retention_days: wanted } })
      refused.value = undefined
      reload()
      toast('The retention is saved')
    } catch (error) {
      refused.value = error as ApiError
    }
    isBusy.value = false
  }
  return (
    <form class="stack" onSubmit={save}>
      <div class="field">
        <label for="days">Days for which recordings are kept</label>
        <div class="row">
          <input
            id="days"
            class="in days"
            type="number"
            min="1"
            max="99999"
            step="1"
            placeholder="as deployed"
            aria-describedby="days-hint"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
          <button type="submit" class="b main-b" disabled={isBusy.value || wanted === days}>
            Save the retention
          </button>
        </div>
        <p class="hint" id="days-hint">
          {isShorter && wanted !== days
            ? 'Older recordings are removed within a day, with their snapshots. Nothing brings them back.'
            : 'Empty: as long as the deployment says.'}
        </p>
      </div>
      {refused.value && <Fault error={refused.value} />}
    </form>
  )
}
