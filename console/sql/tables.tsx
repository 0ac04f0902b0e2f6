import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from '../icons.tsx'
import { SearchField } from '../search.tsx'
import { count } from '../words.ts'
import { type KnownNames, writeName, writeText } from './completion.ts'
import type { useNames, Wanted } from './names.ts'

type TablesProps = Pick<ReturnType<typeof useNames>, 'names' | 'want' | 'state'> & {
  /** Writes a name into the statement. */
  insert: (text: string) => void
}

/** Something that a click writes into the statement. */
type Entry = { label: string; hint: string; written: string }

/** Names that are shown of a list; the search finds the others. */
const SHOWN = 200

/** The tables with their columns, the properties and the events, and a search among all of them. */
export function Tables({ names, want, state, insert }: TablesProps) {
  const typed = useSignal('')
  const search = typed.value.trim().toLowerCase()
  const { tables } = names.vocabulary
  return (
    <>
      <SearchField
        label="Search tables, columns, properties and events"
        placeholder="Tables and columns"
        search={typed.value}
        find={(text) => {
          typed.value = text
          want(ALL)
        }}
      />
      {search === '' ? (
        <ul class="tree">
          {tables.map(({ name, columns, owners }, i) => (
            <Branch key={name} name={name} isOpen={i === 0}>
              {columns
                .filter(({ type }) => type !== 'json')
                .map((column) => (
                  <Leaf
                    key={column.name}
                    entry={{ label: column.name, hint: column.type, written: column.name }}
                    insert={insert}
                  />
                ))}
              {owners.map(({ path, of }) => (
                <Branch key={path} name={path} want={() => want([of])}>
                  <Names
                    entries={entriesOf(path, names.properties[of])}
                    state={state[of]}
                    insert={insert}
                  />
                </Branch>
              ))}
            </Branch>
          ))}
          <Branch name="Events" icon="event" want={() => want(['events'])}>
            <Names entries={names.events.map(toEvent)} state={state.events} insert={insert} />
          </Branch>
        </ul>
      ) : (
        <Found names={names} search={search} insert={insert} />
      )}
    </>
  )
}

const ALL: readonly Wanted[] = ['events', 'event', 'person', 'session']

const toEvent = (name: string): Entry => ({ label: name, hint: 'event', written: writeText(name) })

const entriesOf = (path: string, properties: readonly { name: string; type: string }[]): Entry[] =>
  properties.map(({ name, type }) => ({
    label: name,
    hint: type,
    written: `${path}.${writeName(name)}`
  }))

type BranchProps = {
  name: string
  isOpen?: boolean
  icon?: IconName
  /** Asks for what it contains. */
  want?: () => void
  children: ComponentChildren
}

/** A row that opens what belongs to it. */
function Branch({ name, isOpen: isOpenAtFirst = false, icon, want, children }: BranchProps) {
  const isOpen = useSignal(isOpenAtFirst)
  const id = useId()
  return (
    <li>
      <button
        type="button"
        class="branch"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => {
          isOpen.value = !isOpen.value
          if (isOpen.value) {
            want?.()
          }
        }}
      >
        <Icon name={isOpen.value ? 'below' : 'next'} small />
        {icon && <Icon name={icon} small />}
        <span class="cut">{name}</span>
      </button>
      <ul id={id} hidden={!isOpen.value}>
        {isOpen.value && children}
      </ul>
    </li>
  )
}

const Leaf = ({ entry, insert }: { entry: Entry; insert: TablesProps['insert'] }) => (
  <li>
    <button
      type="button"
      class="leaf"
      title={`Write ${entry.written.slice(0, 300)}`}
      onClick={() => insert(entry.written)}
    >
      <bdi class="cut grow">{entry.label.slice(0, 300)}</bdi>
      <span class="ty">{entry.hint}</span>
    </button>
  </li>
)

type NamesProps = {
  entries: readonly Entry[]
  state: 'loading' | 'loaded' | 'failed' | undefined
  insert: TablesProps['insert']
}

function Names({ entries, state, insert }: NamesProps) {
  if (state === 'failed') {
    return (
      <li class="none mut">These names cannot be loaded now. Close the row and open it again.</li>
    )
  }
  if (state !== 'loaded') {
    return <li class="none mut">Loading…</li>
  }
  return (
    <>
      {entries.slice(0, SHOWN).map((entry) => (
        <Leaf key={entry.label} entry={entry} insert={insert} />
      ))}
      {entries.length === 0 && <li class="none mut">None so far.</li>}
      {entries.length > SHOWN && (
        <li class="none mut">{count(entries.length - SHOWN)} more: search for them.</li>
      )}
    </>
  )
}

type FoundProps = { names: KnownNames; search: string; insert: TablesProps['insert'] }

/** What the search finds, whatever it belongs to. */
function Found({ names, search, insert }: FoundProps) {
  const { tables } = names.vocabulary
  const all: Entry[] = [
    ...tables.flatMap(({ name, columns }) => [
      { label: name, hint: 'table', written: name },
      ...columns.map((column) => ({
        label: column.name,
        hint: `${name}, ${column.type}`,
        written: column.name
      }))
    ]),
    ...tables
      .slice(0, 1)
      .flatMap(({ owners }) =>
        owners.flatMap(({ path, of }) => entriesOf(path, names.properties[of]))
      )
      .map((entry) => ({ ...entry, label: entry.written })),
    ...names.events.map(toEvent)
  ]
  const found = all.filter(({ label }) => label.toLowerCase().includes(search))
  return (
    <ul class="tree">
      {found.slice(0, SHOWN).map((entry) => (
        <Leaf key={`${entry.hint} ${entry.label}`} entry={entry} insert={insert} />
      ))}
      {found.length === 0 && <li class="none mut">Nothing has this name.</li>}
    </ul>
  )
}
