import { useSignal } from '@preact/signals'
import { addressOf, path } from '../address.ts'
import { call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useLoaded } from '../loaded.ts'
import { Avatar, Fault, Moment, Name, Skeleton, Top } from '../parts.tsx'
import { ErasurePage } from '../privacy/erasure.tsx'
import { may } from '../session.ts'
import { count, textOf } from '../words.ts'
import { countryOf, knownName, type Person, titleOf } from './api.ts'
import { EraseDialog, personTarget } from './erase.tsx'
import { Properties } from './properties.tsx'
import { SplitDialog } from './split.tsx'
import { Timeline } from './timeline.tsx'

/** Distinct ids that are shown at once. */
const SHOWN_IDS = 10

/** One person: properties with their history, distinct ids, and the timeline. */
export function PersonPage() {
  const [, , id = ''] = path.value
  const loaded = useLoaded(id, (signal) =>
    call<Person>('GET', `persons/${encodeURIComponent(id)}/`, { signal })
  )
  const { data: person, error, reload } = loaded
  if (error?.status === 404) {
    return <ErasurePage uuid={id} />
  }
  return (
    <>
      {!person && (
        <Top>
          <a class="crumb" href={addressOf(['persons'])}>
            Persons
          </a>
        </Top>
      )}
      {error && (
        <div class="body wide">
          <Fault error={error} retry={reload} />
        </div>
      )}
      {!person && !error && (
        <div class="body wide">
          <Skeleton rows={8} />
        </div>
      )}
      {person && <Shown key={person.uuid} person={person} reload={reload} />}
    </>
  )
}

function Shown({ person, reload }: { person: Person; reload: () => void }) {
  const open = useSignal<'split' | 'erase' | undefined>(undefined)
  const close = () => {
    open.value = undefined
  }
  const { title, more } = titleOf(person)
  const source = person.properties.$initial_referring_domain
  return (
    <>
      <Top>
        <a class="crumb" href={addressOf(['persons'])}>
          Persons
        </a>
        <span class="mut mono cut">{person.uuid}</span>
        <span class="grow" />
        {may('person:write') && (
          <>
            {person.distinct_ids.length > 1 && (
              <button
                type="button"
                class="b"
                onClick={() => {
                  open.value = 'split'
                }}
              >
                <Icon name="split" />
                <span>Split…</span>
              </button>
            )}
            <button
              type="button"
              class="b danger-quiet"
              onClick={() => {
                open.value = 'erase'
              }}
            >
              <Icon name="erase" />
              <span>Erase…</span>
            </button>
          </>
        )}
      </Top>
      <div class="body wide">
        <div class="phead">
          <Avatar name={knownName(person)} isBig />
          <div class="grow">
            <h1 class="cut">
              <Name>{title}</Name>
            </h1>
            {more && (
              <p class="sec cut">
                <Name>{more}</Name>
              </p>
            )}
          </div>
        </div>
        <div class="facts-row">
          <div class="f">
            <span>First seen</span>
            <b>
              <Moment at={person.created_at} />
            </b>
          </div>
          <div class="f">
            <span>Country</span>
            <b>{countryOf(person) ?? '–'}</b>
          </div>
          {source !== undefined && (
            <div class="f">
              <span>Came from</span>
              <b class="cut">{source === '$direct' ? 'No other site' : textOf(source)}</b>
            </div>
          )}
        </div>
        <div class="person">
          <div class="stack">
            <Properties person={person} reload={reload} />
            <DistinctIds ids={person.distinct_ids} />
          </div>
          <Timeline person={person} />
        </div>
      </div>
      {open.value === 'split' && <SplitDialog person={person} close={close} reload={reload} />}
      {open.value === 'erase' && (
        <EraseDialog target={personTarget(person)} close={close} done={reload} />
      )}
    </>
  )
}

function DistinctIds({ ids }: { ids: string[] }) {
  const isWhole = useSignal(false)
  const shown = isWhole.value ? ids : ids.slice(0, SHOWN_IDS)
  return (
    <section class="card">
      <header>
        <h2>Distinct ids</h2>
        <span class="sub">{count(ids.length)}</span>
      </header>
      <ul class="pad mono ids">
        {shown.map((id) => (
          <li key={id} class="cut">
            <Name>{id}</Name>
          </li>
        ))}
      </ul>
      {shown.length < ids.length && (
        <button
          type="button"
          class="more"
          onClick={() => {
            isWhole.value = true
          }}
        >
          {count(ids.length - shown.length)} more
          <Icon name="next" small />
        </button>
      )}
    </section>
  )
}
