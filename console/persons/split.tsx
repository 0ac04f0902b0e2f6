import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { Dialog, Fault, Name, toast } from '../parts.tsx'
import { count } from '../words.ts'
import { type Person, titleOf } from './api.ts'

type SplitProps = { person: Person; close: () => void; reload: () => void }

/** Splits distinct ids off a person: each becomes a person of its own. */
export function SplitDialog({ person, close, reload }: SplitProps) {
  const leaving = useSignal<string[]>([])
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const number = leaving.value.length
  const toggle = (id: string) => {
    const has = leaving.value.includes(id)
    leaving.value = has ? leaving.value.filter((other) => other !== id) : [...leaving.value, id]
  }
  const split = async () => {
    isBusy.value = true
    try {
      await call('POST', `persons/${person.uuid}/split/`, {
        body: { distinct_ids_to_split: leaving.value }
      })
      close()
      reload()
      toast(
        number === 1
          ? 'One id is a person of its own now'
          : `${count(number)} ids are persons of their own now`
      )
    } catch (error) {
      refused.value = error as ApiError
      isBusy.value = false
    }
  }
  return (
    <Dialog
      title={`Split ${titleOf(person).title}?`}
      words="Each id that you choose becomes a person of its own, with its events and recordings. The properties stay here."
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep them together
          </button>
          <button
            type="button"
            class="b main-b"
            disabled={isBusy.value || number === 0 || number === person.distinct_ids.length}
            onClick={split}
          >
            Split off {number === 1 ? 'one id' : `${count(number)} ids`}
          </button>
        </>
      }
    >
      <ul class="choices">
        {person.distinct_ids.map((id, i) => (
          <li key={id} class="check">
            <input
              type="checkbox"
              class="box"
              id={`id-${i}`}
              checked={leaving.value.includes(id)}
              onChange={() => toggle(id)}
            />
            <label for={`id-${i}`} class="mono cut">
              <Name>{id}</Name>
            </label>
          </li>
        ))}
      </ul>
      {number === person.distinct_ids.length && (
        <p class="wrong-text">One id has to stay with this person.</p>
      )}
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}
