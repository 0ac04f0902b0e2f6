import { useSignal } from '@preact/signals'
import { ApiError } from '../api.ts'
import { Icon } from '../icons.tsx'
import { type Loaded, useLoaded } from '../loaded.ts'
import { Dialog, Fault, Moment, Name, Skeleton, toast } from '../parts.tsx'
import { forget, may, own } from '../session.ts'
import { exactly, momentOf, shortDay } from '../words.ts'
import { loadInvitations, loadKeys, revokeKey, withdraw } from './api.ts'
import { InviteDialog } from './invite.tsx'
import { NewKeyDialog } from './new-key.tsx'
import { Section } from './section.tsx'
import type { Granted, Invitation, ManagedKey } from './types.ts'
import { grantWords, isSoon, nameOfUser } from './words.ts'

type Opened = 'new' | 'invite' | ManagedKey | undefined

/** The keys with access to the project, and the open invitations. */
export function Keys() {
  const keys = useLoaded('keys', loadKeys)
  const invitations = useLoaded('invitations', loadInvitations)
  const opened = useSignal<Opened>(undefined)
  const open = (which: Opened) => () => {
    opened.value = which
  }
  const close = open(undefined)
  const changes = may('personal_api_key:write')
  return (
    <>
      <Section
        title="Keys"
        words="A key opens the API and this console. Its scopes decide what it shows."
        deeds={
          changes && (
            <>
              <button type="button" class="b" onClick={open('invite')}>
                <Icon name="mail" />
                Invite…
              </button>
              <button type="button" class="b main-b" onClick={open('new')}>
                <Icon name="add" />
                New key
              </button>
            </>
          )
        }
      >
        {keys.error && <Fault error={keys.error} retry={keys.reload} />}
        {!keys.data && !keys.error && <Skeleton rows={4} />}
        {keys.data && (
          <div class="card">
            <table class="table cards keys">
              <thead>
                <tr>
                  <th>Key</th>
                  <th>Scopes</th>
                  <th>Last used</th>
                  <th>Expires</th>
                  <th>
                    <span class="vh">Revoke</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {keys.data.results.map((key) => (
                  <KeyRow
                    key={key.id}
                    shown={key}
                    revoke={changes && key.can_revoke ? open(key) : undefined}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Section>
      <Section title="Open invitations" words="Each link works once, within 24 hours.">
        <Invitations loaded={invitations} changes={changes} />
      </Section>
      {opened.value === 'new' && <NewKeyDialog close={close} reload={keys.reload} />}
      {opened.value === 'invite' && <InviteDialog close={close} reload={invitations.reload} />}
      {typeof opened.value === 'object' && (
        <RevokeDialog shown={opened.value} close={close} reload={keys.reload} />
      )}
    </>
  )
}

/** What a key allows: a role or its scopes, and where, if this browser's key has several projects. */
const Grants = ({ granted }: { granted: Granted }) => {
  const words = grantWords(granted)
  const projects = own.value?.projects ?? []
  const names = projects.filter(({ id }) => granted.scoped_teams.includes(id))
  return (
    <>
      <span class="cut-2" title={granted.scopes.join(', ')}>
        {words}
      </span>
      {projects.length > 1 && (
        <span class="mut small-text cut-2" title={names.map(({ name }) => name).join(', ')}>
          {names.length === 1 ? <Name>{names[0]?.name ?? ''}</Name> : `${names.length} projects`}
        </span>
      )}
    </>
  )
}

type KeyRowProps = { shown: ManagedKey; revoke: (() => void) | undefined }

const KeyRow = ({ shown, revoke }: KeyRowProps) => {
  const { label, mask_value, user, created_by, expires_at, last_used_at, is_current } = shown
  const isMadeByOther = created_by !== null && created_by.id !== user.id
  return (
    <tr>
      <td data-p="1l">
        <b class="strong cut block">
          <Name>{label}</Name>
        </b>
        <span class="mut small-text cut block" title={user.email}>
          <span class="mono">{mask_value.replace('...', '…')}</span> <Name>{nameOfUser(user)}</Name>
          {isMadeByOther && (
            <>
              , made by <Name>{nameOfUser(created_by)}</Name>
            </>
          )}
        </span>
      </td>
      <td class="sec" data-p="2l">
        <Grants granted={shown} />
      </td>
      <td class="sec nowrap" data-p="2r">
        <span class="phone-only mut">{'Used:\u00a0'}</span>
        {is_current && 'Now, this browser'}
        {!is_current && (last_used_at === null ? 'Never' : <Moment at={last_used_at} />)}
      </td>
      <td class="sec nowrap" data-p="1r">
        <span class="phone-only mut">{'Ends:\u00a0'}</span>
        <Expiry at={expires_at} />
      </td>
      <td class="num">
        {revoke && (
          <button
            type="button"
            class="b quiet small"
            aria-label={`Revoke ${label}`}
            onClick={revoke}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  )
}

const Expiry = ({ at }: { at: string | null }) => {
  if (at === null) {
    return <>Never</>
  }
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactly(date)} class={isSoon(date) ? 'tag warn' : undefined}>
      {shortDay(date)}
    </time>
  )
}

type RevokeProps = { shown: ManagedKey; close: () => void; reload: () => void }

function RevokeDialog({ shown, close, reload }: RevokeProps) {
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const revoke = async () => {
    isBusy.value = true
    try {
      await revokeKey(shown.id)
      close()
      if (shown.is_current) {
        forget()
      } else {
        reload()
        toast('The key is revoked')
      }
    } catch (fault) {
      refused.value = fault instanceof ApiError ? fault : new ApiError(String(fault))
      isBusy.value = false
    }
  }
  const used = shown.last_used_at && momentOf(new Date(shown.last_used_at))
  return (
    <Dialog
      title={`Revoke “${shown.label}”?`}
      words={`${shown.mask_value.replace('...', '…')}, of ${nameOfUser(shown.user)}`}
      close={close}
      footer={
        <>
          <button type="button" class="b" onClick={close}>
            Keep the key
          </button>
          <button type="button" class="b danger" disabled={isBusy.value} onClick={revoke}>
            Revoke the key
          </button>
        </>
      }
    >
      <p>
        {shown.is_current
          ? 'It is the key of this browser: you are signed out at once.'
          : 'Whatever uses it is refused from its next request on. This cannot be undone.'}
      </p>
      {!shown.is_current && (
        <p class="sec">
          {used ? `It was last used: ${used}.` : 'It was never used.'} The keys and invitations that
          were made with it stay.
        </p>
      )}
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}

type InvitationsProps = { loaded: Loaded<{ results: Invitation[] }>; changes: boolean }

function Invitations({ loaded: { data, error, reload }, changes }: InvitationsProps) {
  const refused = useSignal<ApiError | undefined>(undefined)
  const end = async (id: number) => {
    refused.value = undefined
    try {
      await withdraw(id)
      toast('The invitation is withdrawn')
      reload()
    } catch (fault) {
      refused.value = fault instanceof ApiError ? fault : new ApiError(String(fault))
    }
  }
  if (!data) {
    return error ? <Fault error={error} retry={reload} /> : <Skeleton rows={1} />
  }
  return (
    <>
      {refused.value && <Fault error={refused.value} />}
      <div class="card">
        {data.results.length === 0 ? (
          <p class="pad-all mut">No invitation is open.</p>
        ) : (
          <table class="table cards keys">
            <thead>
              <tr>
                <th>Address</th>
                <th>Scopes</th>
                <th>Made</th>
                <th>Until</th>
                <th>
                  <span class="vh">Withdraw</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.results.map((one) => (
                <tr key={one.id}>
                  <td class="strong cut" data-p="1l">
                    <Name>{one.target_email}</Name>
                  </td>
                  <td class="sec" data-p="1r">
                    <Grants granted={one} />
                  </td>
                  <td class="sec" data-p="2l">
                    <Moment at={one.created_at} />
                    {one.created_by && (
                      <span class="mut small-text cut block">
                        by <Name>{nameOfUser(one.created_by)}</Name>
                      </span>
                    )}
                  </td>
                  <td class="sec nowrap" data-p="no">
                    <Moment at={one.expires_at} />
                  </td>
                  <td class="num" data-p="2r">
                    {changes && (
                      <button
                        type="button"
                        class="b quiet small"
                        aria-label={`Withdraw the invitation of ${one.target_email}`}
                        onClick={() => end(one.id)}
                      >
                        Withdraw
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </>
  )
}
