import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { Field } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { Copied, Dialog, Fault, toast } from '../parts.tsx'
import { own, project } from '../session.ts'
import { exactly } from '../words.ts'
import { invite } from './api.ts'
import type { NewInvitation } from './types.ts'
import { nameOfRole, ROLE_HINTS, rolesWithin } from './words.ts'

type InviteProps = { close: () => void; reload: () => void }

/** Invites a person, by e-mail or with a link that is copied. */
export function InviteDialog({ close, reload }: InviteProps) {
  const roles = rolesWithin(own.value?.scopes ?? [])
  const email = useSignal('')
  const role = useSignal(roles.find((one) => one === 'editor') ?? roles[0])
  const made = useSignal<NewInvitation | undefined>(undefined)
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const here = project.value
  const send = async (byMail: boolean) => {
    if (!here || !role.value) {
      return
    }
    isBusy.value = true
    refused.value = undefined
    try {
      const invitation = await invite({
        target_email: email.value.trim(),
        role: role.value,
        scoped_teams: [here.id],
        send_email: byMail
      })
      reload()
      if (invitation.emailed) {
        close()
        toast(`The invitation is sent to ${invitation.target_email}`)
      } else {
        made.value = invitation
      }
    } catch (fault) {
      refused.value = fault instanceof ApiError ? fault : new ApiError(String(fault))
    } finally {
      isBusy.value = false
    }
  }
  if (made.value) {
    return <LinkDialog made={made.value} close={close} />
  }
  const isOfAddress = refused.value?.attr === 'target_email'
  return (
    <Dialog
      title={`Invite someone to ${here?.name ?? 'the project'}`}
      words="The link gives their browser a key of its own, for 30 days."
      close={close}
      footer={
        <>
          <button
            type="button"
            class="b quiet side"
            disabled={isBusy.value}
            onClick={() => send(false)}
          >
            <Icon name="copy" />
            Make a link
          </button>
          <button type="button" class="b" onClick={close}>
            Cancel
          </button>
          <button type="submit" form="invite" class="b main-b" disabled={isBusy.value}>
            Send the invitation
          </button>
        </>
      }
    >
      <form
        id="invite"
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void send(true)
        }}
      >
        <Field label="E-mail address" fault={isOfAddress ? refused.value?.message : undefined}>
          {(joined) => (
            <input
              {...joined}
              ref={field}
              type="email"
              autocomplete="off"
              value={email.value}
              onInput={(event) => {
                email.value = event.currentTarget.value
              }}
            />
          )}
        </Field>
        <fieldset class="field">
          <legend class="l">Role</legend>
          {roles.map((one) => (
            <label key={one} class="option">
              <input
                type="radio"
                name="role"
                class="box round"
                checked={role.value === one}
                onChange={() => {
                  role.value = one
                }}
              />
              <span>
                <b>{nameOfRole(one)}</b>
                <span class="sec small-text block">{ROLE_HINTS[one]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </form>
      {roles.length === 0 && (
        <p class="sec">Your key has the scopes of no role, so it can invite nobody.</p>
      )}
      {refused.value && !isOfAddress && <Fault error={refused.value} />}
    </Dialog>
  )
}

/** Shows the link of an invitation, which the service shows once. */
const LinkDialog = ({ made, close }: { made: NewInvitation; close: () => void }) => (
  <Dialog
    title="The link of the invitation"
    words={`For ${made.target_email}. It works once, until ${exactly(new Date(made.expires_at))}, and is not shown again.`}
    close={close}
    footer={
      <button type="button" class="b main-b" onClick={close}>
        Done
      </button>
    }
  >
    {made.email_error && (
      <div class="note warn">
        <Icon name="warning" />
        <p>
          <b>It was not sent. </b>
          {made.email_error}
        </p>
      </div>
    )}
    <Copied text={made.link} label="Copy the link" />
  </Dialog>
)
