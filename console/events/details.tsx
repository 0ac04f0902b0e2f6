import { addressOf } from '../address.ts'
import { Dialog, Name } from '../parts.tsx'
import { may } from '../session.ts'
import { exactly, nameOf, textOf } from '../words.ts'
import type { StoredEvent } from './api.ts'

/** One event, whole: when, whose, and all its properties. */
export function EventFacts({ event }: { event: StoredEvent }) {
  const properties = Object.entries(event.properties).sort(
    ([a], [b]) => Number(a.startsWith('$')) - Number(b.startsWith('$')) || (a < b ? -1 : 1)
  )
  return (
    <dl class="kv">
      <div>
        <dt>Time</dt>
        <dd>
          <time dateTime={event.timestamp}>{exactly(new Date(event.timestamp))}</time>
        </dd>
      </div>
      <div>
        <dt>Person</dt>
        <dd>
          {event.person && may('person:read') ? (
            <a href={addressOf(['persons', event.person.uuid])}>
              <Name>{event.distinct_id ?? event.person.uuid}</Name>
            </a>
          ) : (
            <Name>{event.distinct_id ?? 'erased'}</Name>
          )}
        </dd>
      </div>
      {event.session_id && (
        <div>
          <dt>Session</dt>
          <dd class="mono">
            <Name>{event.session_id}</Name>
          </dd>
        </div>
      )}
      {properties.map(([name, value]) => (
        <div key={name}>
          <dt title={name}>
            <bdi>{nameOf(name)}</bdi>
          </dt>
          <dd>
            <bdi>{textOf(value)}</bdi>
          </dd>
        </div>
      ))}
      <div>
        <dt>Id</dt>
        <dd class="mono">{event.id}</dd>
      </div>
    </dl>
  )
}

export const EventDialog = ({ event, close }: { event: StoredEvent; close: () => void }) => (
  <Dialog
    title={nameOf(event.event)}
    words={nameOf(event.event) === event.event ? undefined : event.event}
    close={close}
    footer={
      <button type="button" class="b" onClick={close}>
        Close
      </button>
    }
  >
    <EventFacts event={event} />
  </Dialog>
)
