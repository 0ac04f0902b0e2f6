import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { Fault, Name } from '../parts.tsx'
import { mentionName } from '../privacy/api.ts'
import { may } from '../session.ts'
import { count } from '../words.ts'

/** The request that removes a mention, as the API gives it. */
type Removal = { method: string; path: string; body: Record<string, unknown> }

export type MentionStore = {
  store: string
  scope: string
  looked: boolean
  found: number
  mentions: { id: string; fields: string[]; events: number | null; removal: Removal | null }[]
}

/** The scope that the removal of a mention needs. */
const scopeOf = ({ store, scope }: MentionStore): string =>
  store === 'events' ? 'person:write' : scope.replace(/:read$/, ':write')

/** Sends the request of a mention. For events, this takes a dry run first, whose token names them. */
async function remove({ method, path, body }: Removal): Promise<void> {
  const answer = await call<{ token?: string | null } | undefined>(method, path, { body })
  if (body.dry_run === true && answer?.token) {
    const { dry_run: _, ...filters } = body
    await call(method, path, { body: { ...filters, token: answer.token } })
  }
}

type MentionsProps = { stores: MentionStore[]; reload: () => void }

/** What else names a person, and stays after the erasure unless it is removed before. */
export function Mentions({ stores, reload }: MentionsProps) {
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  // Properties of events are removed in the next run only: the search finds them until then.
  const areEventsQueued = useSignal(false)
  const found = stores.filter((store) => store.found > 0)
  const unseen = stores.filter(({ looked }) => !looked)
  const sum = found.reduce((all, store) => all + store.found, 0)
  const removals = found
    .filter((store) => may(scopeOf(store)) && !(store.store === 'events' && areEventsQueued.value))
    .flatMap(({ mentions }) => mentions.flatMap(({ removal }) => removal ?? []))
  const removeAll = async () => {
    isBusy.value = true
    refused.value = undefined
    try {
      for (const removal of removals) {
        await remove(removal)
        areEventsQueued.value ||= removal.body.dry_run === true
      }
    } catch (error) {
      refused.value = error as ApiError
    }
    isBusy.value = false
    reload()
  }
  return (
    <>
      {sum > 0 && (
        <div class="note warn mentions">
          <Icon name="warning" />
          <div class="grow">
            <p>
              <b>
                {sum === 1
                  ? 'One mention stays unless you remove it.'
                  : `${count(sum)} mentions stay unless you remove them.`}
              </b>{' '}
              They are in data that belongs to others.
            </p>
            <ul>
              {found.map(({ store, found, mentions }) => (
                <li key={store}>
                  {mentionName(store)}: {count(found)}
                  {mentions.slice(0, 3).map(({ id, fields }) => (
                    <span key={`${id} ${fields.join()}`} class="mut cut">
                      <Name>{`${id}: ${fields.join(', ')}`}</Name>
                    </span>
                  ))}
                </li>
              ))}
            </ul>
            {areEventsQueued.value && (
              <p>Properties of events go in the next run; until then they are still found.</p>
            )}
            {removals.length > 0 && (
              <button type="button" class="b small" disabled={isBusy.value} onClick={removeAll}>
                {removals.length === 1 ? 'Remove it' : `Remove ${count(removals.length)} of them`}
              </button>
            )}
          </div>
        </div>
      )}
      {refused.value && <Fault error={refused.value} />}
      {unseen.length > 0 && (
        <p class="mut small-text">
          Not searched for mentions, because this key lacks{' '}
          {[...new Set(unseen.map(({ scope }) => scope))].join(', ')}.
        </p>
      )}
    </>
  )
}
