import type { Signal } from '@preact/signals'
import { Choice, Field, Typed } from '../fields.tsx'

export type TargetType = 'email' | 'slack' | 'webhook'

const CHANNELS = [
  ['email', 'E-mail'],
  ['slack', 'Slack'],
  ['webhook', 'Webhook']
] as const

const ADDRESSES = {
  email: {
    label: 'To',
    hint: 'Addresses separated by commas.',
    placeholder: 'grace@example.com'
  },
  slack: {
    label: 'Address of the incoming webhook',
    hint: 'From Slack: Apps, Incoming webhooks.',
    placeholder: 'https://hooks.slack.com/services/…'
  },
  webhook: {
    label: 'Address',
    hint: 'It gets a signed POST of JSON.',
    placeholder: 'https://example.com/hooks/numbers'
  }
}

type Props = {
  type: Signal<TargetType>
  target: Signal<string>
  fault: string | undefined
}

/** Chooses a channel, and whom it reaches. */
export function Recipients({ type, target, fault }: Props) {
  const { label, hint, placeholder } = ADDRESSES[type.value]
  return (
    <>
      <Choice
        label="Channel"
        options={CHANNELS}
        value={type.value}
        choose={(chosen) => {
          target.value = chosen === type.value ? target.value : ''
          type.value = chosen
        }}
      />
      <Field label={label} hint={hint} fault={fault}>
        {(joined) => (
          <Typed
            {...joined}
            required
            placeholder={placeholder}
            spellcheck={false}
            value={target.value}
            commit={(text) => {
              target.value = text.trim()
            }}
          />
        )}
      </Field>
    </>
  )
}

/** Names a channel and whom it reaches: `E-mail to ada@example.com`. */
export function channelOf(type: TargetType, target: string): string {
  if (type === 'email') {
    return `E-mail to ${target}`
  }
  const host = URL.canParse(target) ? new URL(target).host : target
  return type === 'slack' ? 'Slack' : `Webhook at ${host}`
}
