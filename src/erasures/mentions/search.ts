import { hasScope } from '../../access/scopes.ts'
import type { Db } from '../../db/client.ts'
import type { EventPosition } from '../../events/key.ts'
import type { ZonedProject } from '../../events/scan.ts'
import type { JsonObject } from '../../input/json.ts'
import type { PersonJson } from '../../persons/schemas.ts'
import { searchEvents } from './events.ts'
import type { Mention } from './mention.ts'
import { describeRow } from './rows.ts'
import { type FoundRows, findRows, SOURCES, type Source } from './store.ts'
import { Texts } from './texts.ts'

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
  last: EventPosition | undefined
}

type Search = {
  person: PersonJson
  /** The scopes of the caller's key. */
  scopes: readonly string[]
  /** Examines only events older than this one. */
  after: EventPosition | undefined
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
