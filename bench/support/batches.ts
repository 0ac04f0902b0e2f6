import { gzipSync } from 'node:zlib'
import { v7 as uuidv7 } from 'uuid'

export const BATCH_EVENTS = 100
/** Events per batch from known persons. The others come from new persons with five events each. */
const KNOWN_EVENTS = 50
const EVENTS_OF_NEW = 5
/** New persons per batch. */
export const NEW_PERSONS = (BATCH_EVENTS - KNOWN_EVENTS) / EVENTS_OF_NEW

const NAMES = ['page viewed', 'report opened', 'report exported', 'invite sent', 'search']

/** A request's body: its number of events, their uuids, its JSON, and the gzip that is sent. */
export type Batch = { events: number; uuids: string[]; json: string; gzip: Buffer }

/** Returns batches with one event per person, which make the persons known. */
export const firstBatches = (token: string, persons: number[]): Batch[] =>
  Array.from({ length: Math.ceil(persons.length / BATCH_EVENTS) }, (_, i) => {
    const some = persons.slice(i * BATCH_EVENTS, (i + 1) * BATCH_EVENTS)
    return batchOf(
      token,
      some.map((n) => eventOf(n, 0, { $set: { plan: 'free' } }))
    )
  })

/**
 * Returns a request to /batch/ as posthog-node sends it for a busy backend: 100 events with about 600 bytes of properties,
 * half from `known` persons, half from new ones numbered from `first`. One event in twenty has a `$set`.
 */
export function busyBatch(token: string, known: number[], first: number): Batch {
  const events = Array.from({ length: BATCH_EVENTS }, (_, i) => {
    const some = known[Math.floor(Math.random() * known.length)] ?? 0
    const n = i < KNOWN_EVENTS ? some : first + Math.floor((i - KNOWN_EVENTS) / EVENTS_OF_NEW)
    return eventOf(
      n,
      i,
      i % 20 === 0 ? { $set: { plan: 'pro', seats: i, seen: Math.random() } } : {}
    )
  })
  return batchOf(token, events)
}

/** Events of a session in a history. */
const SESSION_EVENTS = 20
/** Days over which a history extends. */
const HISTORY_DAYS = 90
const DAY = 86_400_000
/** The heaviest person of a history has four of five events; the others have 100 each. */
const isHeavy = (n: number) => n % 5 !== 0
/** The distinct id of the heaviest person of a history. */
export const HEAVY = 'user-0'

/**
 * Returns requests to /batch/ that bring in a history of events, as after a move from another service: 90 days up to yesterday,
 * in order of time, in sessions of 20 events.
 */
export const historyBatches = (token: string, events: number): Batch[] =>
  Array.from({ length: events / BATCH_EVENTS }, (_, i) =>
    batchOf(
      token,
      Array.from({ length: BATCH_EVENTS }, (_, j) => historicalEvent(i * BATCH_EVENTS + j, events))
    )
  )

function historicalEvent(n: number, count: number) {
  const person = isHeavy(n) ? 0 : 1 + Math.floor(n / 500)
  // The numbers of a person's events: 0, 1, 2…
  const own = isHeavy(n) ? n - Math.floor(n / 5) - 1 : n / 5
  const more = {
    is_heavy: isHeavy(n),
    $session_id: `${person}-${Math.floor(own / SESSION_EVENTS)}`,
    ...(own % SESSION_EVENTS === 0 && { $set: { plan: n % 3 === 0 ? 'pro' : 'free', seen: n } })
  }
  const timestamp = new Date(HISTORY_END - (1 - n / count) * HISTORY_DAYS * DAY).toISOString()
  return { ...eventOf(person, n, more), timestamp }
}

/** The end of histories, a day ago. */
const HISTORY_END = Date.now() - DAY

function batchOf(token: string, batch: ReturnType<typeof eventOf>[]): Batch {
  const json = JSON.stringify({ api_key: token, batch, sent_at: new Date().toISOString() })
  return {
    events: batch.length,
    uuids: batch.map(({ uuid }) => uuid),
    json,
    gzip: gzipSync(json)
  }
}

const word = () => Math.random().toString(36).slice(2, 12)

const eventOf = (n: number, i: number, more: object) => ({
  event: NAMES[i % NAMES.length] ?? '',
  properties: {
    path: `/reports/${word()}/${word()}`,
    referrer: `https://www.example.org/search?q=${word()}+${word()}`,
    title: `Quarterly report ${word()} of the ${word()} department`,
    plan: i % 3 === 0 ? 'pro' : 'free',
    duration_ms: Math.floor(Math.random() * 100_000),
    rows: i,
    is_shared: i % 2 === 0,
    filters: { from: '2026-01-01', to: '2026-03-31', country: ['de', 'at', 'ch'], segment: word() },
    feature: `reports-${word()}`,
    request_id: word() + word(),
    region: 'eu-central',
    service: 'reports-api 4.12.7 on node 24.21.0, linux x64',
    experiment: `${word()}-${word()}`,
    ...more,
    $lib: 'posthog-node',
    $lib_version: '5.70.0',
    $is_server: true,
    $geoip_disable: true
  },
  timestamp: new Date().toISOString(),
  uuid: uuidv7(),
  distinct_id: `user-${n}`
})
