import { CopyButton, Dialog } from '../parts.tsx'

/** Shows the secret of a new webhook, which the service shows once. */
export const Secret = ({ secret, close }: { secret: string; close: () => void }) => (
  <Dialog
    title="The webhook’s secret"
    words="It signs each request, so that the receiver can tell that it comes from here. It is not shown again."
    close={close}
    footer={
      <button type="button" class="b main-b" onClick={close}>
        I have kept it
      </button>
    }
  >
    <div class="row copied">
      <code class="code grow wrap-any">{secret}</code>
      <CopyButton text={secret} label="Copy the secret" />
    </div>
  </Dialog>
)
