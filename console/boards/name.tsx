import { useSignal } from '@preact/signals'
import { Field } from '../fields.tsx'
import { useSaving } from '../insights/saving.ts'
import { Dialog, Fault } from '../parts.tsx'

/** A name and a description, as a dashboard and an insight have them. */
export type Named = { name: string; description: string }

type Props = {
  title: string
  before: Named
  /** What the button says. */
  deed: string
  placeholder: string
  save: (named: Named) => Promise<void>
  close: () => void
}

/** Asks for a name and a description. */
export function NameDialog({ title, before, deed, placeholder, save, close }: Props) {
  const name = useSignal(before.name)
  const description = useSignal(before.description)
  const saving = useSaving(close)
  const send = (event: Event) => {
    event.preventDefault()
    return saving.save(async () => {
      await save({ name: name.value.trim(), description: description.value.trim() })
      return {}
    })
  }
  const fault = saving.faultBeside()
  return (
    <Dialog
      title={title}
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Cancel
          </button>
          <button type="submit" form="named" class="b main-b">
            {deed}
          </button>
        </>
      }
    >
      <form id="named" class="stack" onSubmit={send}>
        <Field label="Name">
          {(joined) => (
            <input
              {...joined}
              required
              maxLength={400}
              placeholder={placeholder}
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value
              }}
            />
          )}
        </Field>
        <Field label="Description" hint="It stands below the title, also behind a shared link.">
          {(joined) => (
            <textarea
              {...joined}
              rows={2}
              maxLength={10_000}
              value={description.value}
              onInput={(event) => {
                description.value = event.currentTarget.value
              }}
            />
          )}
        </Field>
        {fault && <Fault error={fault} />}
      </form>
    </Dialog>
  )
}
