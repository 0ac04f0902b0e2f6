import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { Dialog, Fault, toast } from '../parts.tsx'

type SuppressProps = {
  /** The person to suppress, erased or not; otherwise a distinct id is asked for. */
  uuid?: string
  close: () => void
  done: () => void
}

type Answer = { results: { result: 'suppressed' | 'already_suppressed' | 'not_found' }[] }

const SAID = {
  suppressed: 'What arrives from now on is dropped',
  already_suppressed: 'It was suppressed already',
  not_found: 'Nobody has this id'
}

/** Suppresses a person or a distinct id: new data is dropped and counted. */
export function SuppressDialog({ uuid, close, done }: SuppressProps) {
  const typed = useSignal('')
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const suppress = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    try {
      const body = uuid === undefined ? { distinct_ids: [typed.value] } : { ids: [uuid] }
      const { results } = await call<Answer>('POST', 'persons/suppressions/', { body })
      close()
      done()
      toast(SAID[results[0]?.result ?? 'not_found'])
    } catch (error) {
      refused.value = error as ApiError
      isBusy.value = false
    }
  }
  return (
    <Dialog
      title={uuid === undefined ? 'Suppress a distinct id' : 'Suppress this person?'}
      words="Events and recordings that name one of the person’s distinct ids are dropped from now on, and counted. SDKs get the usual answer."
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep storing
          </button>
          <button
            type="submit"
            form="suppress"
            class="b main-b"
            disabled={isBusy.value || (uuid === undefined && typed.value === '')}
          >
            Suppress
          </button>
        </>
      }
    >
      <form id="suppress" class="stack" onSubmit={suppress}>
        {uuid === undefined && (
          <div class="field">
            <label for="suppressed-id">Distinct id</label>
            <input
              id="suppressed-id"
              class="in"
              autocomplete="off"
              spellcheck={false}
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value
              }}
            />
            <p class="hint">
              An id of a person, or that an erased person had, suppresses all ids of that person.
            </p>
          </div>
        )}
        <ul class="reasons sec">
          <li>What is stored stays: to remove it, erase the person.</li>
          <li>
            It lasts until it is lifted, whether the person is erased, merged or split. Dropped data
            is lost.
          </li>
          <li>
            An event that would merge another id with a suppressed one suppresses that id, too.
          </li>
        </ul>
        {refused.value && <Fault error={refused.value} />}
      </form>
    </Dialog>
  )
}
