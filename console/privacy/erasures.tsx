import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { addressOf, go, parameters } from '../address.ts'
import { More, type Paged, usePaged } from '../paged.tsx'
import { Empty, Fault, Moment, Name, Skeleton } from '../parts.tsx'
import { may } from '../session.ts'
import { count } from '../words.ts'
import { type Erasure, removedIn, requesterOf, shortId, UUID } from './api.ts'
import { EVERY_MS, isMoving } from './erasure.tsx'
import { FindPerson } from './find.tsx'
import { State, shareOf } from './state.tsx'

/** Erasures per page. */
const PAGE = '50'

const STATES = { all: 'All', pending: 'Open', completed: 'Verified', failed: 'Failed' }

/** The erasures of persons, newest first. */
export function Erasures() {
  const status = parameters.value.get('status') ?? 'all'
  const list = usePaged<Erasure>('persons/deletion_status/', { status, limit: PAGE })
  useEffect(() => {
    if (list.rows?.some((one) => isMoving(one, Date.now()))) {
      const timer = setTimeout(list.reload, EVERY_MS)
      return () => clearTimeout(timer)
    }
  }, [list.rows])
  const closeFind = () =>
    go(addressOf(['privacy'], { status: status === 'all' ? undefined : status }), { replace: true })
  return (
    <>
      <div class="row bar">
        <fieldset class="seg" aria-label="State">
          {Object.entries(STATES).map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={status === value}
              onClick={() =>
                go(addressOf(['privacy'], { status: value === 'all' ? undefined : value }))
              }
            >
              {name}
            </button>
          ))}
        </fieldset>
        <FindErasure />
      </div>
      {list.error && <Fault error={list.error} retry={list.reload} />}
      {!list.rows && !list.error && <Skeleton rows={8} />}
      {list.rows && list.rows.length > 0 && <Rows list={list} />}
      {list.rows?.length === 0 && status !== 'all' && (
        <Empty title="No erasure is in this state.">
          <a class="b" href={addressOf(['privacy'])}>
            Show all erasures
          </a>
        </Empty>
      )}
      {list.rows?.length === 0 && status === 'all' && (
        <Empty title="Nobody has been erased so far.">
          <p class="sec">
            Each erasure is listed here, with a signed receipt that says what was removed and what
            stays.
          </p>
        </Empty>
      )}
      {parameters.value.has('erase') && may('person:write') && (
        <FindPerson close={closeFind} done={list.reload} />
      )}
    </>
  )
}

/** Opens the erasures of a person by its UUID: other ids are not kept. */
function FindErasure() {
  const typed = useSignal('')
  const isWrong = typed.value.trim() !== '' && !UUID.test(typed.value.trim())
  return (
    <form
      class="row grow"
      onSubmit={(event) => {
        event.preventDefault()
        if (UUID.test(typed.value.trim())) {
          go(addressOf(['privacy', 'erasures', typed.value.trim().toLowerCase()]))
        }
      }}
    >
      <input
        class="in small mono by-uuid"
        type="search"
        aria-label="UUID of the erased person"
        placeholder="UUID of the erased person"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      {isWrong && (
        <p class="mut small-text grow">
          Only the UUID is kept. Whether a receipt is about a distinct id, the receipt itself tells.
        </p>
      )}
    </form>
  )
}

const Rows = ({ list }: { list: Paged<Erasure> }) => (
  <section class="card">
    <table class="table cards">
      <thead>
        <tr>
          <th>Person</th>
          <th>Requested by</th>
          <th>Requested</th>
          <th>State</th>
          <th class="num">Removed</th>
          <th class="num">
            <span class="vh">Receipt</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {list.rows?.map((erasure) => (
          <Row key={erasure.id} erasure={erasure} />
        ))}
      </tbody>
    </table>
    <More list={list} />
  </section>
)

function Row({ erasure }: { erasure: Erasure }) {
  const { person_uuid: uuid, status, events, receipt } = erasure
  const address = addressOf(['privacy', 'erasures', uuid])
  return (
    <tr>
      <td class="mono nowrap" data-p="1l">
        <a data-row href={address} title={uuid}>
          {shortId(uuid)}
        </a>
      </td>
      <td class="sec cut by" data-p="no">
        <Name>{requesterOf(erasure.created_by)}</Name>
      </td>
      <td class="sec nowrap" data-p="2l">
        <Moment at={erasure.created_at} />
      </td>
      <td data-p="1r">
        <State status={status} share={shareOf(events.removed, events.found)} />
      </td>
      <td class="num" data-p="no">
        {receipt || status === 'running'
          ? count(receipt ? removedIn(receipt) : events.removed)
          : '–'}
      </td>
      <td class="num" data-p="2r">
        {receipt ? (
          <a href={address}>Receipt</a>
        ) : (
          <span class="mut">{status === 'failed' ? 'tried again' : 'when verified'}</span>
        )}
      </td>
    </tr>
  )
}
