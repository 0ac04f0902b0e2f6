import { useSignal } from '@preact/signals'
import { type ApiError, call } from '../api.ts'
import type { Page } from '../paged.tsx'
import { Avatar, Dialog, Empty, Fault, Name } from '../parts.tsx'
import { knownName, type Person, titleOf } from '../persons/api.ts'
import { EraseDialog, personTarget, type Target, visitorTarget } from '../persons/erase.tsx'
import { spellingsOf } from './spellings.ts'

/** Persons that are offered. */
const SHOWN = '6'

type Found = { asked: string; persons: Person[]; visitor: boolean; isSpelling: boolean }

const list = async (query: Record<string, string>): Promise<Person[]> =>
  (await call<Page<Person>>('GET', 'persons/', { query: { ...query, limit: SHOWN } })).results

/** Finds persons by a name, an e-mail address in any spelling, or a distinct id; then visitors. */
async function find(asked: string): Promise<Found> {
  const persons = await list({ search: asked })
  if (persons.length > 0) {
    return { asked, persons, visitor: false, isSpelling: false }
  }
  const pattern = spellingsOf(asked)
  if (pattern !== undefined) {
    const filter = [{ key: 'email', operator: 'regex', value: pattern, type: 'person' }]
    const spelt = await list({ properties: JSON.stringify(filter) })
    if (spelt.length > 0) {
      return { asked, persons: spelt, visitor: false, isSpelling: true }
    }
  }
  const { persons_found: visitors } = await call<{ persons_found: number }>(
    'POST',
    'persons/bulk_delete/',
    { body: { distinct_ids: [asked], dry_run: true } }
  )
  return { asked, persons: [], visitor: visitors > 0, isSpelling: false }
}

const focusOnce = (field: HTMLInputElement | null) => field?.focus()

/** Finds a person to erase, and opens the dry run. */
export function FindPerson({ close, done }: { close: () => void; done: () => void }) {
  const typed = useSignal('')
  const found = useSignal<Found | undefined>(undefined)
  const refused = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const chosen = useSignal<Target | undefined>(undefined)
  if (chosen.value) {
    return <EraseDialog target={chosen.value} close={close} done={done} />
  }
  const search = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    try {
      found.value = await find(typed.value.trim())
      refused.value = undefined
    } catch (error) {
      refused.value = error as ApiError
    }
    isBusy.value = false
  }
  const { persons = [], asked, visitor, isSpelling } = found.value ?? {}
  return (
    <Dialog
      title="Erase a person"
      words="Find the person first. Nothing is removed before you have seen what there is."
      close={close}
      footer={
        <button type="button" class="b" onClick={close}>
          Close
        </button>
      }
    >
      <form class="field" onSubmit={search}>
        <label for="whom">E-mail address, name or distinct id</label>
        <div class="row nowrap-row">
          <input
            id="whom"
            class="in grow"
            autocomplete="off"
            spellcheck={false}
            value={typed.value}
            ref={focusOnce}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
          <button
            type="submit"
            class="b main-b"
            disabled={isBusy.value || typed.value.trim() === ''}
          >
            Find
          </button>
        </div>
      </form>
      {refused.value && <Fault error={refused.value} />}
      {isSpelling && (
        <p class="sec">Nobody has exactly this address. These are other spellings of it:</p>
      )}
      {persons.length > 0 && (
        <ul class="found">
          {persons.map((person) => (
            <li key={person.uuid}>
              <button
                type="button"
                class="who"
                onClick={() => {
                  chosen.value = personTarget(person)
                }}
              >
                <Avatar name={knownName(person)} />
                <span class="cut">
                  <b>
                    <Name>{titleOf(person).title}</Name>
                  </b>
                  <span class="mut">
                    <Name>{titleOf(person).more ?? person.uuid}</Name>
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {asked !== undefined && persons.length === 0 && visitor && (
        <Empty title="A visitor without a person has this distinct id.">
          <button
            type="button"
            class="b"
            onClick={() => {
              chosen.value = visitorTarget(asked)
            }}
          >
            Show what there is…
          </button>
        </Empty>
      )}
      {asked !== undefined && persons.length === 0 && !visitor && (
        <Empty title={`Nobody is found for “${asked.slice(0, 100)}”.`}>
          <p class="sec">Try the family name, or a distinct id from your own database.</p>
        </Empty>
      )}
    </Dialog>
  )
}
