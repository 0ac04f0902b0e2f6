import { Once } from '../parts.tsx'

export const WebhookSecret = ({ secret, close }: { secret: string; close: () => void }) => (
  <Once
    title="The webhook’s secret"
    words="It signs each request, so that the receiver can tell that it comes from here. It is not shown again."
    label="Copy the secret"
    text={secret}
    close={close}
  />
)
