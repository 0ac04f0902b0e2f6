import type { Expression } from '../expression.ts'
import { type Kinds, type PropertyKinds, type Schema, type TableName, toColumn } from '../schema.ts'
import { StatementError } from '../statement-error.ts'
import type { Step } from '../tree.ts'
import { ACTOR, exactTime, IDENTITY, nullable, TEXT, UUID } from '../types.ts'
import { type PathPlace, propertyColumn } from './members.ts'
import { sessionProperty } from './sessions.ts'

/** The columns that `*` stands for. */
const ALL = [
  'uuid',
  'event',
  'properties',
  'timestamp',
  'distinct_id',
  'elements_chain',
  '$session_id',
  '$window_id',
  'person_id'
]

const COLUMNS = [
  ...ALL,
  'properties.x',
  'person.id',
  'person.created_at',
  'person.properties.x',
  'session.x'
]

/** Columns of PostHog's table that are not here, and what to do instead. */
const MISSING: ReadonlyMap<string, string> = new Map([
  ['created_at', 'the time of receipt is not kept: use timestamp'],
  ['person_mode', 'use person_id'],
  ['elements_chain_href', `write extract(elements_chain, 'href="([^"]*)"')`],
  ['elements_chain_texts', `write extract(elements_chain, 'text="([^"]*)"')`],
  ['elements_chain_ids', `write extract(elements_chain, 'attr_id="([^"]*)"')`],
  ['elements_chain_elements', 'use elements_chain']
])

/** `$group_0`, `group_0.key`: this service has no groups. */
const GROUP = /^\$?group_[0-4]$/

type EventsPlace = PathPlace & { zone: string; kinds: PropertyKinds }

/** The table `events`. */
export function eventsSchema(
  alias: string | undefined,
  zone: string,
  kinds: PropertyKinds
): Schema & { table: TableName } {
  return {
    table: 'events',
    names: [alias ?? 'events'],
    columns: COLUMNS,
    all: ALL,
    time: 'timestamp',
    find(steps, label) {
      const [first, ...rest] = steps
      const name = String(first?.name)
      const at = first?.at ?? 0
      const own = rest.length === 0 ? SINGLE.get(name) : undefined
      const place = { at, label, zone, kinds }
      return own ? own(place) : (OWNERS.get(name)?.(rest, place) ?? refuseMissing(name, at))
    }
  }
}

const SINGLE = new Map<string, (place: EventsPlace) => Expression>([
  ['uuid', ({ at, label }) => toColumn(at, { kind: 'uuid' }, UUID, label)],
  ['event', ({ at, label }) => toColumn(at, { kind: 'event' }, TEXT, label)],
  [
    'timestamp',
    ({ at, label, zone }) => toColumn(at, { kind: 'timestamp' }, exactTime(zone), label)
  ],
  ['distinct_id', ({ at, label }) => toColumn(at, { kind: 'identity' }, IDENTITY, label)],
  ['person_id', ({ at, label }) => toColumn(at, { kind: 'actor' }, ACTOR, label)],
  ['$session_id', ({ at, label }) => toColumn(at, { kind: 'session' }, TEXT, label)],
  ['$window_id', textColumn('$window_id')],
  ['elements_chain', textColumn('$elements_chain')]
])

/** Reads a property as a column that has `''` where there is no text. */
function textColumn(key: string) {
  return ({ at, label }: EventsPlace): Expression =>
    toColumn(at, { kind: 'text', key }, TEXT, label)
}

/** What begins the path of a member. */
const OWNERS = new Map<
  string,
  (steps: readonly Step[], place: EventsPlace) => Expression | undefined
>([
  [
    'properties',
    (steps, { at, label, kinds }) => propertyColumn({ of: 'event', steps, at, label }, kinds.event)
  ],
  ['person', (steps, place) => personColumn(steps, place, place.kinds.person)],
  ['pdi', personOf],
  ['session', sessionColumn]
])

/** `pdi.person.properties.x`, `pdi.person_id`, `pdi.distinct_id` */
function personOf([first, ...rest]: readonly Step[], place: EventsPlace): Expression | undefined {
  if (first?.name === 'person') {
    return personColumn(rest, place, place.kinds.person)
  }
  const isId = first?.name === 'person_id' || first?.name === 'distinct_id'
  return isId && rest.length === 0 ? SINGLE.get(String(first.name))?.(place) : undefined
}

function refuseMissing(name: string, at: number): undefined {
  if (GROUP.test(name)) {
    throw new StatementError(at, `${name}: there are no groups here. Use a property of events.`)
  }
  const instead = MISSING.get(name)
  if (instead !== undefined) {
    throw new StatementError(at, `${name} is not a column here: ${instead}.`)
  }
}

function personColumn(
  steps: readonly Step[],
  { at, label, zone }: EventsPlace,
  kinds: Kinds
): Expression {
  const [first, ...rest] = steps
  if (first?.name === 'properties') {
    return propertyColumn({ of: 'person', steps: rest, at, label }, kinds)
  }
  if (first?.name === 'id' && rest.length === 0) {
    return toColumn(at, { kind: 'actor' }, ACTOR, label)
  }
  if (first?.name === 'created_at' && rest.length === 0) {
    return toColumn(at, { kind: 'person_created_at' }, nullable(exactTime(zone)), label)
  }
  throw new StatementError(
    first?.at ?? at,
    `Unable to resolve field: ${label}. A person has id, created_at, properties and properties.x.`
  )
}

function sessionColumn(steps: readonly Step[], place: EventsPlace): Expression {
  const [first, ...rest] = steps
  if ((first?.name === 'id' || first?.name === 'session_id') && rest.length === 0) {
    return toColumn(place.at, { kind: 'session' }, TEXT, place.label)
  }
  const found = sessionProperty(steps, { ...place, isOptional: true })
  if (!found) {
    throw new StatementError(
      first?.at ?? place.at,
      `Unable to resolve field: ${place.label}. A session has the columns of the table sessions, such as session.$session_duration.`
    )
  }
  return found
}
