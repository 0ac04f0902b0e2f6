import {
  MENTION_WORDS,
  STORE_NAMES,
  STORE_WORDS,
  type StoreName
} from '../../src/erasures/names.ts'

/** Who asked for something: the user, and the key that was used. */
export type Requester = {
  user?: { email?: string; first_name?: string } | null
  key?: { label?: string } | null
}

export type Status = 'queued' | 'running' | 'completed' | 'failed'

type StoreCount = { store: string; found: number; removed: number; remaining: number }

export type MentionCount = {
  store: string
  looked: boolean
  examined: number
  complete: boolean
  found: number
}

/** A signed receipt of any kind, with the members that the console shows. */
export type SignedReceipt = {
  kind?: 'event_deletion' | 'suppression'
  id: number | string
  project_id: number
  person_uuid?: string | null
  requested_at?: string
  requested_by?: Requester
  delete_events?: boolean
  delete_recordings?: boolean
  verified_at?: string
  stated_at?: string
  late_events_dropped?: number
  linked_until?: string
  backups_until?: string
  stores?: StoreCount[]
  mentions?: MentionCount[]
  kept?: string[]
  filters?: { events: string[] | null; after: string | null; before: string | null } | null
  properties?: string[] | null
  events_listed?: number
  matching?: number | null
  since?: string
  lifted_at?: string | null
  events_dropped?: number
  recording_parts_dropped?: number
  subject?: object
  key: string
  signature: string | null
}

/** The erasure of a person. */
export type Erasure = {
  id: number
  person_uuid: string
  status: Status
  created_at: string
  created_by: Requester
  scheduled_for: string
  delete_events: boolean
  delete_recordings: boolean
  completable_until: string | null
  events: { found: number | null; removed: number; remaining: number | null; dropped: number }
  error: string | null
  receipt: SignedReceipt | null
}

/** A deletion of events by filters. */
export type EventDeletion = {
  id: string
  status: Status
  filters: DeletionFilters | null
  properties: string[] | null
  events: { found: number; processed: number }
  created_at: string
  created_by: Requester
  scheduled_for: string
  error: string | null
  receipt: SignedReceipt | null
}

/** The filters of a deletion of events, as the API takes them. */
export type DeletionFilters = {
  events?: string[]
  after?: string
  before?: string
  distinct_id?: string
  session_id?: string
  property_filters?: unknown
}

export type Suppression = {
  id: string
  person_uuid: string | null
  distinct_ids: number
  since: string
  created_by: Requester
  lifted_at: string | null
  lifted_by: Requester | null
  events_dropped: number
  recording_parts_dropped: number
  last_dropped_at: string | null
}

/** Names a requester by e-mail address or first name. */
export const requesterOf = ({ user }: Requester = {}): string =>
  user?.email || user?.first_name || 'Unknown'

/** `01a21c35-ff22-7796-bc79-2f64b7ac2f9e` → `01a21c35…2f9e` */
export const shortId = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`

const wordsIn = (words: Record<string, string>, store: string): string => words[store] ?? store

export const storeName = (store: string): string => wordsIn(STORE_WORDS, store)

/** Returns stores in the order of a receipt's page. */
export const inOrder = <T extends { store: string }>(stores: readonly T[]): T[] =>
  stores.toSorted((a, b) => placeOf(a.store) - placeOf(b.store))

const placeOf = (store: string): number => STORE_NAMES.indexOf(store as StoreName)

export const mentionName = (store: string): string => wordsIn(MENTION_WORDS, store)

/** Rows that a receipt says were removed. */
export const removedIn = ({ stores = [] }: SignedReceipt): number =>
  stores.reduce((sum, { removed }) => sum + removed, 0)

/** The form of the ids of persons, deletions and suppressions. */
export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
