import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError, describeKey } from './api.ts'
import { Check } from './fields.tsx'
import { Icon, Mark } from './icons.tsx'
import { Copied } from './parts.tsx'
import { enter } from './session.ts'

const INVITE = 'npm run key -- invite --email you@example.com --role admin'

const faultOf = (error: unknown): string => {
  if (error instanceof ApiError && error.status === 401) {
    return 'This key is not valid: it is mistyped, revoked or expired. Ask an admin for an invitation, or paste another key.'
  }
  return error instanceof Error ? error.message : String(error)
}

/** The form that takes a key. `said` is the reason why it is shown, if there is one. */
export function KeyForm({ said }: { said?: string | undefined }) {
  const field = useRef<HTMLInputElement>(null)
  const fault = useSignal(said)
  const isBusy = useSignal(false)
  const remember = useSignal(false)
  useEffect(() => field.current?.focus(), [])
  const open = async (event: Event) => {
    event.preventDefault()
    const given = field.current?.value.trim() ?? ''
    if (given === '') {
      fault.value = 'Paste a key. It begins with phx_.'
      return
    }
    isBusy.value = true
    try {
      enter(given, await describeKey(given), remember.value)
    } catch (error) {
      fault.value = faultOf(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form class="stack" onSubmit={open} noValidate>
      <div class="field">
        <label for="key">Key</label>
        <input
          ref={field}
          id="key"
          class={`in big mono${fault.value ? ' wrong' : ''}`}
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="phx_…"
          aria-describedby="key-words"
          aria-invalid={Boolean(fault.value)}
        />
        {fault.value ? (
          <p class="wrong-text" id="key-words" role="alert">
            <Icon name="warning" small />
            <span>{fault.value}</span>
          </p>
        ) : (
          <p class="hint" id="key-words">
            Made with npm run key -- create; it begins with phx_.
          </p>
        )}
      </div>
      <Check
        label="Remember on this device"
        hint="Otherwise the key is forgotten when you close the tab."
        isOn={remember.value}
        turn={(isOn) => {
          remember.value = isOn
        }}
      />
      <button type="submit" class="b main-b big" disabled={isBusy.value}>
        Open
      </button>
    </form>
  )
}

/** The page for a browser without a key. */
export const SignIn = ({ said }: { said?: string | undefined }) => (
  <main class="bare">
    <div class="door-in">
      <div class="brand">
        <Mark />
        <span>Edge Analytics</span>
      </div>
      <h1>Open the console</h1>
      <p class="sec where">{location.host}</p>
      <KeyForm said={said} />
      <div class="beside sec">
        <p>
          <b>Invited?</b> Open the link that you were sent. It works once, within 24 hours.
        </p>
        <p>
          <b>Running it yourself?</b> <code>npm start</code> prints a link. On a server:
        </p>
        <Copied text={INVITE} label="Copy the command" />
      </div>
    </div>
  </main>
)
