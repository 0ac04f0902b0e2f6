import { hasScope } from '../../access/scopes.ts'
import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import type { EventKey } from '../../events/key.ts'
import { EventScan, type ZonedProject } from '../../events/scan.ts'
import type { EventRow } from '../../events/store.ts'
import { isObject, type Json, type JsonObject } from '../../input/json.ts'
import type { PersonJson } from '../../persons/schemas.ts'
import { MAX_FILTER_NAMES } from '../events/filters.ts'
import { type FoundRows, findRows, type Row, SOURCES, type Source } from './store.ts'
import { Texts } from './texts.ts'

/** Events that one search examines, newest first; 10,000 take about a second. */
export const MAX_EVENTS = 10_000
/** Events examined per query. */
const EVENTS_AT_ONCE = 1_000
/** Mentions that are shown of each store. */
export const MAX_SHOWN = 100

/** The scope that a key needs to see each store. */
const SCOPES: Record<Source | 'events', string> = {
  subscriptions: 'subscription:read',
  alerts: 'alert:read',
  subscription_deliveries: 'subscription:read',
  insights: 'insight:read',
  dashboards: 'dashboard:read',
  annotations: 'annotation:read',
  cohorts: 'cohort:read',
  persons: 'person:read',
  events: 'query:read'
}

/** A request of this API, its path relative to the project. */
export type Removal = { method: 'PATCH' | 'POST' | 'DELETE'; path: string; body: JsonObject }

/** A place where a text of the person stands: an object, or a property of events. */
export type Mention = {
  id: string
  fields: string[]
  /** The number of events with the property; null for an object. */
  events: number | null
  /** The request that removes it; null if nothing but time does. */
  removal: Removal | null
}

/** What was looked at in a store. If the key lacks the scope, nothing was. */
export type StoreSearch = {
  store: Source | 'events'
  scope: string
  looked: boolean
  examined: number
  complete: boolean
  found: number
  mentions: Mention[]
}

export type Mentions = {
  texts: { total: number; searched: number }
  stores: StoreSearch[]
  /**
   * The last event that was examined; undefined if no older one is left, or events were not looked
   * at.
   */
  last: EventKey | undefined
}

type Search = {
  person: PersonJson
  /** The scopes of the caller's key. */
  scopes: readonly string[]
  /** Examines only events older than this one. */
  after: EventKey | undefined
  now: Date
}

/**
 * Looks for the ids and e-mail addresses of a person in everything that the erasure of the person
 * does not reach: subscriptions, alerts, insights, dashboards, annotations, cohorts, other persons
 * and other persons' events. Reads only.
 */
export async function findMentions(
  db: Db,
  project: ZonedProject,
  { person, scopes, after, now }: Search
): Promise<Mentions> {
  const texts = new Texts({
    uuid: person.uuid,
    distinct_ids: person.distinct_ids,
    properties: person.properties as JsonObject
  })
  const isVisible = (store: Source | 'events') => hasScope(scopes, SCOPES[store])
  const visible = SOURCES.filter(isVisible)
  const found = await findRows(db, project.id, visible, texts.spellings)
  const events = isVisible('events')
    ? await searchEvents(db, project, { person, texts, after, now })
    : undefined
  return {
    texts: { total: texts.total, searched: texts.searched.length },
    stores: [
      ...SOURCES.map((store) =>
        searched(store, describeRows(store, found.get(store), person, texts))
      ),
      searched('events', events)
    ],
    last: events?.last
  }
}

type Looked = Pick<StoreSearch, 'examined' | 'complete' | 'mentions'>

function searched(store: StoreSearch['store'], looked: Looked | undefined): StoreSearch {
  const { examined = 0, complete = false, mentions = [] } = looked ?? {}
  return {
    store,
    scope: SCOPES[store],
    looked: looked !== undefined,
    examined,
    complete,
    found: mentions.length,
    mentions: mentions.slice(0, MAX_SHOWN)
  }
}

function describeRows(
  store: Source,
  found: FoundRows | undefined,
  person: PersonJson,
  texts: Texts
): Looked | undefined {
  if (!found) {
    return undefined
  }
  const rows =
    store === 'persons' ? found.rows.filter(({ id }) => Number(id) !== person.id) : found.rows
  const mentions = rows.flatMap((row) => describeRow[store](row, texts))
  return { examined: found.examined, complete: found.isComplete, mentions }
}

const mentionOf = ({ id }: Row, fields: string[], removal: Removal | null): Mention[] =>
  fields.length === 0 ? [] : [{ id: String(id), fields, events: null, removal }]

/**
 * Returns the fields of an object that mention the person, and the request that replaces the texts
 * in them.
 */
function patchOf(row: Row, path: string, members: Record<string, Json>, texts: Texts): Mention[] {
  const fields = Object.keys(members).filter((name) => texts.isWithin(members[name] ?? null))
  const body = Object.fromEntries(
    fields.map((name) => [name, texts.without(members[name] ?? null)])
  )
  return mentionOf(row, fields, { method: 'PATCH', path: `${path}/${row.id}/`, body })
}

const parsed = (text: string | null | undefined): Json => (text ? JSON.parse(text) : null)

const describeRow: Record<Source, (row: Row, texts: Texts) => Mention[]> = {
  subscriptions(row, texts) {
    const { title = null, invite_message = null } = row
    const fields = patchOf(row, 'subscriptions', { title, invite_message }, texts)
    const target = row.target_value ?? ''
    if (!texts.isIn(target)) {
      return fields
    }
    const body = {
      ...fields[0]?.removal?.body,
      ...withoutRecipient(row.target_type, target, texts)
    }
    const names = ['target_value', ...(fields[0]?.fields ?? [])]
    return mentionOf(row, names, { method: 'PATCH', path: `subscriptions/${row.id}/`, body })
  },
  alerts(row, texts) {
    const { title: name = null, target_value } = row
    const path = `alerts/${row.id}/`
    const target = target_value ?? ''
    const fields = texts.isWithin(name) ? ['name'] : []
    const named = fields.length > 0 ? { name: texts.without(name) } : {}
    if (!texts.isIn(target)) {
      return mentionOf(row, fields, { method: 'PATCH', path, body: named })
    }
    const others = othersIn(row.target_type, target, texts)
    const removal: Removal = others
      ? { method: 'PATCH', path, body: { ...named, target_value: others } }
      : { method: 'DELETE', path, body: {} }
    return mentionOf(row, ['target_value', ...fields], removal)
  },
  // Nothing changes a delivery. The service deletes it some time after it has finished.
  subscription_deliveries(row, texts) {
    const members: Record<string, Json> = {
      recipients: parsed(row.recipients),
      error: row.error ?? null,
      verdict: parsed(row.verdict)
    }
    const fields = Object.keys(members).filter((name) => texts.isWithin(members[name] ?? null))
    return mentionOf(row, fields, null)
  },
  insights(row, texts) {
    const { name = null, derived_name = null, description = null } = row
    const [filters, query, tags] = [parsed(row.filters), parsed(row.query), parsed(row.tags)]
    return patchOf(
      row,
      'insights',
      { name, derived_name, description, filters, query, tags },
      texts
    )
  },
  dashboards(row, texts) {
    const { name = null, description = null } = row
    return patchOf(row, 'dashboards', { name, description, tags: parsed(row.tags) }, texts)
  },
  annotations(row, texts) {
    return patchOf(row, 'annotations', { content: row.content ?? null }, texts)
  },
  cohorts(row, texts) {
    const { name = null, description = null } = row
    return patchOf(row, 'cohorts', { name, description, filters: parsed(row.filters) }, texts)
  },
  persons(row, texts) {
    const properties = parsed(row.properties)
    const names = isObject(properties) ? namesWithin(properties, texts) : []
    const path = `persons/${row.uuid}/delete_property/`
    return names.map((name) => ({
      id: row.uuid ?? '',
      fields: [name],
      events: null,
      removal: { method: 'POST', path, body: { $unset: name } }
    }))
  }
}

/**
 * Returns the changes of a subscription without the person: the other recipients or, if there are
 * none, the end.
 */
function withoutRecipient(
  type: string | null | undefined,
  target: string,
  texts: Texts
): JsonObject {
  const others = othersIn(type, target, texts)
  if (others) {
    return { target_value: others }
  }
  const nobody = type === 'email' ? 'nobody@example.com' : 'https://example.com/'
  return { deleted: true, target_value: nobody }
}

/** Returns the list of the other addresses; undefined if there are none. */
function othersIn(
  type: string | null | undefined,
  target: string,
  texts: Texts
): string | undefined {
  const addresses = type === 'email' ? target.split(',').map((address) => address.trim()) : []
  return addresses.filter((address) => !texts.isIn(address)).join(', ') || undefined
}

const namesWithin = (properties: JsonObject, texts: Texts): string[] =>
  Object.entries(properties).flatMap(([name, value]) =>
    texts.isIn(name) || texts.isWithin(value) ? [name] : []
  )

type Examined = Looked & { last: EventKey | undefined }

/** Examines the newest events of other persons and visitors. */
async function searchEvents(
  db: Db,
  project: ZonedProject,
  { person, texts, after, now }: Omit<Search, 'scopes'> & { texts: Texts }
): Promise<Examined> {
  const filters = {
    events: undefined,
    person: undefined,
    distinctId: undefined,
    session: undefined,
    from: undefined,
    until: undefined,
    properties: { type: 'AND' as const, values: [] }
  }
  const tallies = new Tallies(texts)
  const scan = await EventScan.begin(db, project, filters, {
    after,
    first: EVENTS_AT_ONCE,
    most: MAX_EVENTS,
    now
  })
  let examined = 0
  let last: EventKey | undefined
  while (examined < MAX_EVENTS) {
    const piece = await scan.next(Math.min(EVENTS_AT_ONCE, MAX_EVENTS - examined))
    if (!piece) {
      return {
        examined,
        complete: true,
        mentions: tallies.mentions(),
        last: undefined
      }
    }
    examined += piece.examined
    last = piece.last
    for (const row of piece.matching) {
      if (row.person_id !== person.id) {
        tallies.add(row)
      }
    }
  }
  return { examined, complete: false, mentions: tallies.mentions(), last }
}

/**
 * A property of events that mentions the person: `outer` is `$set` or `$set_once` if the event sets
 * it on its person.
 */
type Place = { outer: string; name: string; value: Json }

/** Returns the properties of an event that mention the person. */
function placesIn({ properties }: EventRow, texts: Texts): Place[] {
  const stored = properties.toLowerCase()
  // A URL within a URL has `%2540` for `%40`.
  const text = stored.includes('%25') ? `${stored} ${stored.replaceAll('%25', '%')}` : stored
  if (!texts.spellings.some((spelling) => text.includes(spelling.toLowerCase()))) {
    return []
  }
  const own: JsonObject = JSON.parse(properties)
  return namesWithin(own, texts).flatMap((outer) => {
    const value = own[outer] ?? null
    const isSet = outer === '$set' || outer === '$set_once'
    return isSet && isObject(value)
      ? namesWithin(value, texts).map((name) => ({ outer, name, value: value[name] ?? null }))
      : [{ outer, name: outer, value }]
  })
}

/**
 * Events that have a property which mentions the person: of as many names as one request may filter
 * by.
 */
type Tally = {
  outer: string
  name: string
  events: number
  /** The names of the events. */
  of: Set<string>
  from: number
  until: number
  patterns: Set<string>
}

/** Counts the mentions in events by property. */
class Tallies {
  readonly #tallies = new Map<string, Tally[]>()
  readonly #texts: Texts

  constructor(texts: Texts) {
    this.#texts = texts
  }

  add(row: EventRow): void {
    for (const { outer, name, value } of placesIn(row, this.#texts)) {
      const key = JSON.stringify([outer, name])
      const at = row.timestamp
      const tallies = this.#tallies.get(key) ?? []
      const open = tallies.findIndex(({ of }) => of.has(row.event) || of.size < MAX_FILTER_NAMES)
      const index = open < 0 ? tallies.length : open
      const { events, of, from, until, patterns } = tallies[index] ?? {
        events: 0,
        of: new Set<string>(),
        from: at,
        until: at,
        patterns: []
      }
      const tally = {
        outer,
        name,
        events: events + 1,
        of: of.add(row.event),
        from: Math.min(from, at),
        until: Math.max(until, at),
        patterns: new Set([...patterns, ...this.#texts.patternsIn({ [name]: value })])
      }
      this.#tallies.set(key, tallies.toSpliced(index, 1, tally))
    }
  }

  /**
   * Returns the mentions by property, each with the request that removes it from the events that
   * were found.
   */
  mentions(): Mention[] {
    return [...this.#tallies.values()].flat().map((tally) => {
      const { outer, name, events, of, from, until, patterns } = tally
      const filter = { key: outer, operator: 'regex', value: [...patterns], type: 'event' }
      // A property whose name is the text goes with any value, null too: `properties` selects its
      // events.
      const isNamed = outer === name && this.#texts.isIn(name)
      return {
        id: outer === name ? name : `${outer}.${name}`,
        fields: [name],
        events,
        removal: {
          method: 'POST',
          path: 'events/delete/',
          body: {
            // A deletion looks through all events of the names; all names may be too many.
            events: [...of],
            properties: [name],
            ...(!isNamed && { property_filters: [filter] }),
            after: toIso(from),
            before: toIso(until + 1),
            dry_run: true
          }
        }
      }
    })
  }
}
