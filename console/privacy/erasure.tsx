import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { addressOf } from '../address.ts'
import { type ApiError, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Dialog, Empty, Fault, Moment, Name, Skeleton, Top, toast } from '../parts.tsx'
import { Found, Kept, type Preview } from '../persons/erase.tsx'
import { may } from '../session.ts'
import { count, shortDay } from '../words.ts'
import { type Erasure, requesterOf, UUID } from './api.ts'
import { ReceiptWords, SaveReceipt } from './receipt.tsx'
import { State, shareOf } from './state.tsx'
import { SuppressDialog } from './suppress.tsx'

/** Time between two looks at a task that is running, ms. */
export const EVERY_MS = 3_000

type Tasks = { results: Erasure[] }

/** Whether the events of a task wait for their run. */
const isAwaited = ({ status, delete_events }: Erasure): boolean =>
  status === 'queued' && delete_events

/** Whether a task goes on by itself now: events wait for their run. */
export const isMoving = ({ status, delete_events, scheduled_for }: Erasure, now: number): boolean =>
  status === 'running' ||
  (status === 'queued' && (!delete_events || Date.parse(scheduled_for) <= now))

/** The erasures of one person: how far each is, and its receipt. */
export function ErasurePage({ uuid }: { uuid: string }) {
  const { data, error, reload } = useLoaded(uuid, async (signal) =>
    UUID.test(uuid)
      ? call<Tasks>('GET', 'persons/deletion_status/', { query: { person_uuid: uuid }, signal })
      : { results: [] }
  )
  const tasks = data?.results ?? []
  useEffect(() => {
    if (tasks.some((task) => isMoving(task, Date.now()))) {
      const timer = setTimeout(reload, EVERY_MS)
      return () => clearTimeout(timer)
    }
  }, [data])
  return (
    <>
      <Top>
        <a class="crumb" href={addressOf(['privacy'])}>
          Privacy
        </a>
        <span class="mut mono cut">{uuid}</span>
      </Top>
      <div class="body wide">
        {error && <Fault error={error} retry={reload} />}
        {!data && !error && <Skeleton rows={8} />}
        {data && tasks.length === 0 && (
          <Empty title="Nobody with this UUID was erased or is stored.">
            <p class="sec">A person may have been merged into another person.</p>
            <a class="b" href={addressOf(['privacy'])}>
              Show all erasures
            </a>
          </Empty>
        )}
        {tasks.length > 0 && (
          <>
            <div class="row erased">
              <h1 class="erased grow">This person is erased</h1>
              {may('person:write') && <Actions tasks={tasks} uuid={uuid} reload={reload} />}
            </div>
            {tasks.some(isAwaited) && (
              <p class="sec">
                The person, the properties and the ids are gone. The events follow in the next run,
                and the receipt is signed then.
              </p>
            )}
            <div class="stack narrow">
              {tasks.map((task) => (
                <Task key={task.id} task={task} />
              ))}
            </div>
          </>
        )}
      </div>
    </>
  )
}

type ActionsProps = { tasks: Erasure[]; uuid: string; reload: () => void }

function Actions({ tasks, uuid, reload }: ActionsProps) {
  const open = useSignal<'complete' | 'suppress' | undefined>(undefined)
  const close = () => {
    open.value = undefined
  }
  const completable = tasks.find(({ completable_until }) => completable_until !== null)
  return (
    <>
      <button
        type="button"
        class="b"
        onClick={() => {
          open.value = 'suppress'
        }}
      >
        Suppress…
      </button>
      {completable && (
        <button
          type="button"
          class="b danger-quiet"
          onClick={() => {
            open.value = 'complete'
          }}
        >
          <Icon name="erase" />
          <span>Erase the rest…</span>
        </button>
      )}
      {open.value === 'suppress' && <SuppressDialog uuid={uuid} close={close} done={() => {}} />}
      {open.value === 'complete' && <CompleteDialog uuid={uuid} close={close} done={reload} />}
    </>
  )
}

type CompleteProps = { uuid: string; close: () => void; done: () => void }

/** Erases the events and recordings that an erasure has kept. */
function CompleteDialog({ uuid, close, done }: CompleteProps) {
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const send = (more: object = {}) =>
    call<{ preview: Preview }>('POST', 'persons/complete_deletion/', {
      body: { ids: [uuid], ...more }
    })
  const { data, error, reload } = useLoaded(uuid, () => send({ dry_run: true }))
  const erase = async () => {
    isBusy.value = true
    try {
      await send()
      close()
      done()
      toast('The rest is being erased')
    } catch (fault) {
      refused.value = fault as ApiError
      isBusy.value = false
    }
  }
  return (
    <Dialog
      title="Erase what was kept?"
      words="The erasure has kept events or recordings, without the person. They get a receipt of their own."
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep the rest
          </button>
          <button type="button" class="b danger" disabled={!data || isBusy.value} onClick={erase}>
            Erase and sign a receipt
          </button>
        </>
      }
    >
      {error && <Fault error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && <Found stores={data.preview.stores} />}
      {data && (
        <p class="sec">Events go in the run of {shortDay(new Date(data.preview.scheduled_for))}.</p>
      )}
      {data && <Kept words={data.preview.kept} />}
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}

/** What an erasure removes, in a sentence. */
function wordsOf({ delete_events, delete_recordings }: Erasure): string {
  if (delete_events && delete_recordings) {
    return 'The person, the events and the recordings'
  }
  if (delete_events || delete_recordings) {
    return `The person and the ${delete_events ? 'events' : 'recordings'}`
  }
  return 'The person, without events and recordings'
}

function Task({ task }: { task: Erasure }) {
  const { status, events, receipt } = task
  return (
    <section class="card task">
      <header>
        <h2>{wordsOf(task)}</h2>
        <State status={status} share={shareOf(events.removed, events.found)} />
        <span class="grow" />
        {receipt && <SaveReceipt receipt={receipt} page={`receipts/${receipt.id}/`} />}
      </header>
      <div class="pad">
        {task.error && (
          <div class={`note ${status === 'failed' ? 'bad' : 'warn'}`}>
            <Icon name="warning" />
            <p>{task.error}</p>
          </div>
        )}
        {receipt ? (
          <ReceiptWords receipt={receipt} />
        ) : (
          <dl class="kv">
            <div>
              <dt>Requested</dt>
              <dd>
                <span>
                  <Moment at={task.created_at} />, by <Name>{requesterOf(task.created_by)}</Name>
                </span>
              </dd>
            </div>
            {task.delete_events && (
              <div>
                <dt>Events are removed</dt>
                <dd>
                  <span>
                    in the run of <Moment at={task.scheduled_for} />
                  </span>
                </dd>
              </div>
            )}
            {events.found !== null && (
              <div>
                <dt>Events so far</dt>
                <dd>
                  {count(events.removed)} of {count(events.found)}
                </dd>
              </div>
            )}
            <div>
              <dt>Receipt</dt>
              <dd>when every store was searched again, and nothing was found</dd>
            </div>
          </dl>
        )}
        {task.completable_until && (
          <p class="note">
            <span>
              What was kept can still be erased until <Moment at={task.completable_until} />. Then
              the link to the person is removed, and it is anonymous.
            </span>
          </p>
        )}
      </div>
    </section>
  )
}
