import type { ComponentChildren } from 'preact'
import { Dialog, Fault } from '../parts.tsx'
import type { Saving } from './saving.ts'
import { WebhookSecret } from './webhook-secret.tsx'

type FormDialogProps = {
  id: string
  title: string
  words: string
  /** What the button says that sends the form. */
  deed: string
  send: () => Promise<void>
  /** Goes back without sending it. */
  back: () => void
  /** Called when a secret was read that is shown once. */
  finish: () => void
  saving: Saving
  /** Fields of the API whose faults are shown at them. */
  shown: string[]
  /** A look at what the form would do. */
  look: ComponentChildren
  children: ComponentChildren
}

/** A form beside a look at what it would do. */
export function FormDialog(props: FormDialogProps) {
  const { id, title, words, deed, send, back, finish, saving, shown, look, children } = props
  if (saving.secret.value !== undefined) {
    return <WebhookSecret secret={saving.secret.value} close={finish} />
  }
  const fault = saving.faultBeside(...shown)
  return (
    <Dialog
      title={title}
      words={words}
      close={back}
      isWide
      footer={
        <>
          <button type="button" class="b" onClick={back}>
            Cancel
          </button>
          <button type="submit" form={id} class="b main-b">
            {deed}
          </button>
        </>
      }
    >
      <form
        id={id}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {children}
        {fault && <Fault error={fault} />}
      </form>
      {look}
    </Dialog>
  )
}
