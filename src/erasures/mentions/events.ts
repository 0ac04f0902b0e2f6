import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import type { EventPosition } from '../../events/key.ts'
import { EventScan, type ZonedProject } from '../../events/scan.ts'
import type { EventRow } from '../../events/store.ts'
import { isObject, type Json, type JsonObject } from '../../input/json.ts'
import type { PersonJson } from '../../persons/schemas.ts'
import { MAX_FILTER_NAMES } from '../events/filters.ts'
import { type Mention, namesWithin } from './mention.ts'
import type { Texts } from './texts.ts'

/** Events that one search examines, newest first; 10,000 take about a second. */
export const MAX_EVENTS = 10_000
/** Events examined per query. */
const EVENTS_AT_ONCE = 1_000

type Search = {
  person: PersonJson
  texts: Texts
  /** Examines only events older than this one. */
  after: EventPosition | undefined
  now: Date
}

type Examined = {
  examined: number
  complete: boolean
  mentions: Mention[]
  last: EventPosition | undefined
}

/** Examines the newest events of other persons and visitors. */
export async function searchEvents(
  db: Db,
  project: ZonedProject,
  { person, texts, after, now }: Search
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
  let last: EventPosition | undefined
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
