import { useSignal } from '@preact/signals'
import { toClock, toSeconds } from '../../player/clock.ts'
import { type ApiError, call } from '../api.ts'
import { useLoaded } from '../loaded.ts'
import { Copied, Dialog, Fault, Skeleton, toast } from '../parts.tsx'
import { may } from '../session.ts'
import type { Subject } from './subject.ts'

type Sharing = { enabled: boolean; access_token: string | null; url: string | null }

const PLACES = { insight: 'insights', dashboard: 'dashboards', recording: 'session_recordings' }

const SEEN = {
  insight: 'the chart and its numbers, including the values of breakdowns',
  dashboard: 'the charts and their numbers, including the values of breakdowns',
  recording: 'the recording, without the person’s name'
}

const codeOf = (url: string): string =>
  `<iframe src="${url.replace('/shared/', '/embedded/')}" width="100%" height="520" style="border:0"></iframe>`

type ShareProps = {
  subject: Subject
  /** Where a recording is, ms: the link can begin there. */
  at?: number
  close: () => void
}

/** Turns the shared link of an insight, a dashboard or a recording on and off. */
export function Share({ subject, at = 0, close }: ShareProps) {
  const { kind, id, name } = subject
  const path = `${PLACES[kind]}/${encodeURIComponent(id)}/sharing/`
  const loaded = useLoaded(path, (signal) => call<Sharing>('GET', path, { signal }))
  const changed = useSignal<Sharing | undefined>(undefined)
  const refused = useSignal<ApiError | undefined>(undefined)
  const isReplacing = useSignal(false)
  const isAtMoment = useSignal(at > 0)
  const sharing = changed.value ?? loaded.data
  const change = async (words: string, ...request: Parameters<typeof call>) => {
    try {
      refused.value = undefined
      changed.value = await call<Sharing>(...request)
      isReplacing.value = false
      toast(words)
    } catch (error) {
      refused.value = error as ApiError
    }
  }
  const turn = (enabled: boolean) =>
    change(enabled ? 'The link works now' : 'The link no longer works', 'PATCH', path, {
      body: { enabled }
    })
  const isWriter = may('sharing_configuration:write')
  return (
    <Dialog
      title={`Share the ${kind}`}
      words={name}
      close={close}
      footer={
        <>
          {isWriter && sharing?.enabled && !isReplacing.value && (
            <button
              type="button"
              class="b quiet side"
              onClick={() => {
                isReplacing.value = true
              }}
            >
              Replace the link…
            </button>
          )}
          <button type="button" class="b" onClick={close}>
            Close
          </button>
        </>
      }
    >
      {loaded.error && <Fault error={loaded.error} retry={loaded.reload} />}
      {!sharing && !loaded.error && <Skeleton rows={2} />}
      {sharing && (
        <div class="check">
          <input
            type="checkbox"
            role="switch"
            aria-checked={sharing.enabled}
            class="switch"
            id="is-shared"
            checked={sharing.enabled}
            disabled={!isWriter}
            onChange={(event) => turn(event.currentTarget.checked)}
          />
          <label for="is-shared">
            Anyone with the link can see it
            <span class="mut hint">
              {sharing.enabled
                ? `They see ${SEEN[kind]}, as of when they open it, and need no key.`
                : 'The link is off: it shows nothing.'}
            </span>
          </label>
        </div>
      )}
      {sharing?.enabled && sharing.url && (
        <>
          <Address
            label="Link"
            text={isAtMoment.value ? `${sharing.url}#t=${toSeconds(at)}` : sharing.url}
          />
          {at > 0 && (
            <label class="row">
              <input
                type="checkbox"
                checked={isAtMoment.value}
                onChange={(event) => {
                  isAtMoment.value = event.currentTarget.checked
                }}
              />
              Begin at {toClock(at)}
            </label>
          )}
          {kind !== 'recording' && (
            <Address label="Code for another page" text={codeOf(sharing.url)} />
          )}
        </>
      )}
      {isReplacing.value && (
        <div class="note warn ask">
          <p class="grow">The link that you have sent stops working, and there is a new one.</p>
          <button
            type="button"
            class="b small"
            onClick={() => {
              isReplacing.value = false
            }}
          >
            Keep the link
          </button>
          <button
            type="button"
            class="b small"
            onClick={() => change('There is a new link', 'POST', `${path}refresh/`)}
          >
            Replace the link
          </button>
        </div>
      )}
      {refused.value && <Fault error={refused.value} />}
    </Dialog>
  )
}

const Address = ({ label, text }: { label: string; text: string }) => (
  <div class="field">
    <span class="l">{label}</span>
    <Copied text={text} label={`Copy: ${label.toLowerCase()}`} isCut />
  </div>
)
