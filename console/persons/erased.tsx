import { addressOf } from '../address.ts'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Empty, Fault, Moment, Skeleton, Top } from '../parts.tsx'

type Task = {
  id: number
  status: 'queued' | 'running' | 'completed' | 'failed'
  created_at: string
  scheduled_for: string
  delete_events: boolean
  error: string | null
  receipt: { id?: string } | null
}

const WORDS = {
  queued: 'Queued',
  running: 'Purging',
  completed: 'Verified',
  failed: 'Failed'
}
const TAGS = { queued: '', running: ' accent', completed: ' good', failed: ' bad' }

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Where a person was: how far its erasure is, and the receipts. */
export function Erased({ uuid }: { uuid: string }) {
  const { data, error, reload } = useLoaded(uuid, async (signal) =>
    UUID.test(uuid)
      ? call<{ results: Task[] }>('GET', 'persons/deletion_status/', {
          query: { person_uuid: uuid },
          signal
        })
      : { results: [] }
  )
  return (
    <>
      <Top>
        <a class="crumb" href={addressOf(['persons'])}>
          Persons
        </a>
        <span class="mut mono cut">{uuid}</span>
      </Top>
      <div class="body wide">
        {error && <Fault error={error} retry={reload} />}
        {!data && !error && <Skeleton rows={3} />}
        {data?.results.length === 0 && (
          <Empty title="There is no such person.">
            <p class="sec">It may have been merged into another person.</p>
            <a class="b" href={addressOf(['persons'])}>
              Show all persons
            </a>
          </Empty>
        )}
        {data && data.results.length > 0 && (
          <>
            <h1 class="erased">This person is erased</h1>
            <section class="card">
              <table class="table cards">
                <thead>
                  <tr>
                    <th>Requested</th>
                    <th>State</th>
                    <th>Events</th>
                    <th class="num" />
                  </tr>
                </thead>
                <tbody>
                  {data.results.map((task) => (
                    <tr key={task.id}>
                      <td data-p="1l" class="nowrap">
                        <Moment at={task.created_at} />
                      </td>
                      <td data-p="1r">
                        <span class={`tag${TAGS[task.status]}`} title={task.error ?? ''}>
                          {WORDS[task.status]}
                        </span>
                      </td>
                      <td data-p="2l" class="sec">
                        {task.delete_events ? (
                          <>
                            Erased in the run of <Moment at={task.scheduled_for} />
                          </>
                        ) : (
                          'Kept, without the person'
                        )}
                      </td>
                      <td data-p="2r" class="num">
                        {task.receipt ? (
                          <button
                            type="button"
                            class="b small"
                            onClick={() => download(task.receipt ?? {}, uuid)}
                          >
                            <Icon name="save" small />
                            Save the receipt
                          </button>
                        ) : (
                          <span class="mut">Receipt when verified</span>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          </>
        )}
      </div>
    </>
  )
}

function download(receipt: object, uuid: string): void {
  const text = JSON.stringify(receipt, null, 2)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = `receipt-${uuid}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
}
