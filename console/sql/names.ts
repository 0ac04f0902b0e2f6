import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { VOCABULARY } from 'sql-vocabulary'
import type { OwnerName } from '../../src/sql/vocabulary.ts'
import { listEvents } from '../explore/names.ts'
import { listProperties, type OfferedProperty } from '../filters/properties.ts'
import { may } from '../session.ts'
import type { KnownNames } from './completion.ts'

/** Names of a project that are loaded when they are wanted. */
export type Wanted = OwnerName | 'events'

type Loading = Partial<Record<Wanted, 'loading' | 'loaded' | 'failed'>>

const NONE: Omit<KnownNames, 'vocabulary'> = {
  events: [],
  properties: { event: [], person: [], session: [] }
}

/** How a statement reads a property, by the kind of its values. */
const TYPES: Partial<Record<NonNullable<OfferedProperty['kind']>, string>> = {
  Numeric: 'number',
  Boolean: 'boolean'
}

/** Whether the key may use the columns of persons. */
export const isAllowed = (wanted: Wanted): boolean => wanted !== 'person' || may('person:read')

/** The tables of statements and the names of the project, which are loaded when they are wanted. */
export function useNames() {
  const project = useSignal(NONE)
  const state = useSignal<Loading>({})
  const load = async (wanted: Wanted) => {
    if (wanted === 'events') {
      const events = await listEvents()
      project.value = { ...project.value, events: events.map(({ name }) => name) }
      return
    }
    const properties = await listProperties(wanted)
    project.value = {
      ...project.value,
      properties: {
        ...project.value.properties,
        [wanted]: properties.map(({ key, kind }) => ({
          name: key,
          type: TYPES[kind ?? 'String'] ?? 'text'
        }))
      }
    }
  }
  const want = (all: readonly Wanted[]) => {
    for (const one of all) {
      if (isAllowed(one) && (state.value[one] ?? 'failed') === 'failed') {
        state.value = { ...state.value, [one]: 'loading' }
        load(one).then(
          () => {
            state.value = { ...state.value, [one]: 'loaded' }
          },
          () => {
            state.value = { ...state.value, [one]: 'failed' }
          }
        )
      }
    }
  }
  const known = project.value
  const names = useMemo((): KnownNames => ({ vocabulary: allowedNames(), ...known }), [known])
  return { names, want, state: state.value }
}

/** The tables without what the key may not see. */
const allowedNames = (): KnownNames['vocabulary'] => ({
  ...VOCABULARY,
  tables: may('person:read')
    ? VOCABULARY.tables
    : VOCABULARY.tables
        .filter(({ name }) => name !== 'persons')
        .map((table) => ({
          ...table,
          columns: table.columns.filter(
            ({ name }) => !name.startsWith('person.') || name === 'person.id'
          ),
          owners: table.owners.filter(({ of }) => of !== 'person')
        }))
})
