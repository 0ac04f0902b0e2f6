import { useSignal } from '@preact/signals'
import { addressOf, go, parameters } from '../address.ts'
import { type ApiError, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { More, type Paged, usePaged } from '../paged.tsx'
import { Dialog, Empty, Fault, Moment, Name, Skeleton, toast } from '../parts.tsx'
import { may } from '../session.ts'
import { count } from '../words.ts'
import { requesterOf, type SignedReceipt, type Suppression, shortId } from './api.ts'
import { saveReceipt } from './receipt.tsx'
import { SuppressDialog } from './suppress.tsx'

const STATES = { in_force: 'In force', lifted: 'Lifted', all: 'All' }

/** Suppressions per page. */
const PAGE = '50'

/** The suppressions, newest first. */
export function Suppressions() {
  const status = parameters.value.get('status') ?? 'in_force'
  const distinctId = parameters.value.get('distinct_id') ?? ''
  const list = usePaged<Suppression>('persons/suppressions/', {
    status,
    distinct_id: distinctId,
    limit: PAGE
  })
  const typed = useSignal(distinctId)
  const isOpen = useSignal(false)
  const show = (values: { status?: string; distinct_id?: string }) => {
    const wanted = { status, distinct_id: distinctId, ...values }
    go(
      addressOf(['privacy', 'suppressions'], {
        ...wanted,
        status: wanted.status === 'in_force' ? undefined : wanted.status
      })
    )
  }
  return (
    <>
      <div class="row bar">
        <fieldset class="seg" aria-label="State">
          {Object.entries(STATES).map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={status === value}
              onClick={() => show({ status: value })}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault()
            show({ distinct_id: typed.value })
          }}
        >
          <input
            class="in small"
            type="search"
            aria-label="Covers the distinct id"
            placeholder="Covers the distinct id"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
              if (typed.value === '') {
                show({ distinct_id: '' })
              }
            }}
          />
        </form>
        <span class="grow" />
        {may('person:write') && (
          <button
            type="button"
            class="b"
            onClick={() => {
              isOpen.value = true
            }}
          >
            Suppress…
          </button>
        )}
      </div>
      {list.error && <Fault error={list.error} retry={list.reload} />}
      {!list.rows && !list.error && <Skeleton rows={6} />}
      {list.rows && list.rows.length > 0 && <Rows list={list} />}
      {list.rows?.length === 0 && (
        <Empty title={distinctId ? 'This distinct id is not suppressed.' : 'Nobody is suppressed.'}>
          <p class="sec">
            Somebody who must not come back after an erasure is suppressed: what arrives is dropped
            and counted.
          </p>
        </Empty>
      )}
      {isOpen.value && (
        <SuppressDialog
          close={() => {
            isOpen.value = false
          }}
          done={list.reload}
        />
      )}
    </>
  )
}

function Rows({ list }: { list: Paged<Suppression> }) {
  const lifted = useSignal<Suppression | undefined>(undefined)
  return (
    <section class="card">
      <table class="table cards">
        <thead>
          <tr>
            <th>Person</th>
            <th class="num">Ids</th>
            <th>Since</th>
            <th>Requested by</th>
            <th class="num">Events dropped</th>
            <th class="num">Parts of recordings</th>
            <th>Last dropped</th>
            <th class="num">
              <span class="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.rows?.map((one) => (
            <Row
              key={one.id}
              suppression={one}
              lift={() => {
                lifted.value = one
              }}
            />
          ))}
        </tbody>
      </table>
      <More list={list} />
      {lifted.value && (
        <LiftDialog
          suppression={lifted.value}
          close={() => {
            lifted.value = undefined
          }}
          done={list.reload}
        />
      )}
    </section>
  )
}

function Row({ suppression, lift }: { suppression: Suppression; lift: () => void }) {
  const { id, person_uuid: uuid, lifted_at: liftedAt } = suppression
  const refused = useSignal<ApiError | undefined>(undefined)
  const save = async () => {
    try {
      saveReceipt(await call<SignedReceipt>('GET', `persons/suppressions/${id}/receipt/`))
      refused.value = undefined
    } catch (error) {
      refused.value = error as ApiError
    }
  }
  return (
    <tr>
      <td class="nowrap" data-p="1l">
        {uuid ? (
          <a class="mono" data-row href={addressOf(['persons', uuid])} title={uuid}>
            {shortId(uuid)}
          </a>
        ) : (
          <span class="sec">A distinct id without a person</span>
        )}
      </td>
      <td class="num sec" data-p="no">
        {count(suppression.distinct_ids)}
      </td>
      <td class="sec nowrap" data-p="2l">
        <Moment at={suppression.since} />
        {liftedAt && (
          <>
            , lifted <Moment at={liftedAt} />
          </>
        )}
      </td>
      <td class="sec cut by" data-p="no">
        <Name>{requesterOf(suppression.created_by)}</Name>
      </td>
      <td class="num strong" data-p="no">
        {count(suppression.events_dropped)}
      </td>
      <td class="num" data-p="no">
        {count(suppression.recording_parts_dropped)}
      </td>
      <td class="sec nowrap" data-p="no">
        {suppression.last_dropped_at ? <Moment at={suppression.last_dropped_at} /> : '–'}
      </td>
      <td class="num" data-p="1r">
        <span class="row acts-row">
          <button
            type="button"
            class="b icon small"
            aria-label="Save the receipt"
            title="Save the receipt"
            onClick={save}
          >
            <Icon name="save" small />
          </button>
          {may('person:write') && !liftedAt && (
            <button type="button" class="b small" onClick={lift}>
              Lift…
            </button>
          )}
        </span>
        {refused.value && <Fault error={refused.value} />}
      </td>
    </tr>
  )
}

type LiftProps = { suppression: Suppression; close: () => void; done: () => void }

function LiftDialog({ suppression, close, done }: LiftProps) {
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const { id, distinct_ids: ids, events_dropped: dropped } = suppression
  const lift = async () => {
    isBusy.value = true
    try {
      await call('POST', `persons/suppressions/${id}/lift/`)
      close()
      done()
      toast('The suppression is lifted')
    } catch (error) {
      refused.value = error as ApiError
      isBusy.value = false
    }
  }
  return (
    <Dialog
      title="Lift the suppression?"
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep it in force
          </button>
          <button type="button" class="b danger" disabled={isBusy.value} onClick={lift}>
            Lift the suppression
          </button>
        </>
      }
    >
      <ul class="reasons">
        <li>
          Events and recordings of{' '}
          {ids === 1 ? 'this distinct id' : `these ${count(ids)} distinct ids`} are stored again
          from now on. Somebody who visits becomes a person with a profile.
        </li>
        <li>
          {dropped > 0
            ? `The ${count(dropped)} events that were dropped are lost: lifting does not bring them back.`
            : 'Nothing was dropped so far.'}
        </li>
        <li>An id that another suppression covers stays suppressed.</li>
        <li>The suppression stays in the list, with the time and with who lifted it.</li>
      </ul>
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}
