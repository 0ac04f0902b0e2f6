import { useSignal } from '@preact/signals'
import { ApiError, call } from '../api.ts'
import type { QuestionNode } from '../chart/answer.ts'
import { Combobox } from '../combobox.tsx'
import { Field } from '../fields.tsx'
import type { Action } from '../insights/actions.tsx'
import { useLoaded } from '../loaded.ts'
import { Dialog, Fault, toast } from '../parts.tsx'
import type { Insight } from './question.ts'

/** Stores the node of a question: as a new insight, or as that of an insight. @throws ApiError */
export const saveNode = (
  node: QuestionNode,
  { insight, name }: { insight?: Insight; name?: string }
): Promise<Insight> => {
  const body = {
    query: node,
    ...(name !== undefined && { name }),
    // An insight has either.
    ...(insight && Object.keys(insight.filters).length > 0 && { filters: {} })
  }
  return insight
    ? call<Insight>('PATCH', `insights/${insight.id}/`, { body })
    : call<Insight>('POST', 'insights/', { body: { ...body, saved: true } })
}

/** Stores changes of a saved insight, and tells `saved` what the service has stored. */
export function useSaveChanges(saved: (stored: Insight) => void) {
  const error = useSignal<ApiError | undefined>(undefined)
  const save = async (node: QuestionNode, insight: Insight) => {
    try {
      error.value = undefined
      saved(await saveNode(node, { insight }))
      toast('The changes are saved.')
    } catch (thrown) {
      error.value = thrown instanceof ApiError ? thrown : new ApiError(String(thrown))
    }
  }
  return { error: error.value, save }
}

type SaveDialogProps = {
  node: QuestionNode
  /** What the insight may be called. */
  name: string
  words?: string | undefined
  /** What is opened for the insight once it is saved. */
  next: Action | undefined
  saved: (insight: Insight, next: Action | undefined) => void
  close: () => void
}

/** Asks for the name of a new insight, and stores it. */
export function SaveDialog({ node, name: first, words, next, saved, close }: SaveDialogProps) {
  const name = useSignal(first.slice(0, 100))
  const error = useSignal<ApiError | undefined>(undefined)
  const isSaving = useSignal(false)
  const save = async () => {
    isSaving.value = true
    try {
      const insight = await saveNode(node, { name: name.value.trim() })
      close()
      toast('The insight is saved.')
      saved(insight, next)
    } catch (thrown) {
      error.value = thrown instanceof ApiError ? thrown : new ApiError(String(thrown))
      isSaving.value = false
    }
  }
  const isOfName = error.value?.attr === 'name'
  return (
    <Dialog
      title="Save the insight"
      words={words}
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Don’t save
          </button>
          <button
            type="submit"
            form="save-insight"
            class="b main-b"
            disabled={isSaving.value || name.value.trim() === ''}
          >
            Save the insight
          </button>
        </>
      }
    >
      {error.value && !isOfName && <Fault error={error.value} />}
      <form
        id="save-insight"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Field label="Name" fault={isOfName ? error.value?.message : undefined}>
          {(joined) => (
            <input
              {...joined}
              type="text"
              maxLength={400}
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value
              }}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}

type Insights = { results: Insight[] }

/** Most insights that are offered at once. */
const OFFERED = '50'

/** Offers the saved insights as one types. */
export function OpenInsight({ open }: { open: (insight: Insight) => void }) {
  const text = useSignal('')
  const search = text.value.trim()
  const { data, error, reload } = useLoaded(search, (signal) =>
    call<Insights>('GET', 'insights/', {
      query: { limit: OFFERED, search, saved: 'true' },
      signal
    })
  )
  const found = data?.results ?? []
  return (
    <>
      {error && <Fault error={error} retry={reload} />}
      <Combobox
        label="Insight"
        placeholder="Name"
        text={text.value}
        input={(changed) => {
          text.value = changed
        }}
        options={found.map(({ short_id, name, derived_name }) => ({
          id: short_id,
          label: name || derived_name || 'Without a name'
        }))}
        pick={({ id }) => {
          const insight = found.find(({ short_id }) => short_id === id)
          if (insight) {
            open(insight)
          }
        }}
        empty={data ? 'No saved insight has this name.' : 'Loading the insights…'}
      />
    </>
  )
}
