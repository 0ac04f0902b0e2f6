import fc from 'fast-check'
import { isObject, type Json, type JsonObject } from '../../src/input/json.ts'
import older from '../fixtures/posthog-js-1.300.0.json'
import current from '../fixtures/posthog-js-1.449.2.json'

type Recorded = { t: number; url: string; json?: unknown }

/** Snapshots of a recorded event that are sent; more cost time and bring no other types. */
const MAX_SNAPSHOTS = 8

/** The events of recorded browsers that posted snapshots, with times relative to the request, ms. */
const RECORDED: JsonObject[] = [...older, ...current].flatMap((request: Recorded) =>
  request.url.startsWith('/s/') && Array.isArray(request.json)
    ? request.json.map((event) => relativeTo(request.t, event))
    : []
)

function relativeTo(t: number, event: { properties: JsonObject } & JsonObject): JsonObject {
  const { $snapshot_data: data } = event.properties
  const snapshots = (Array.isArray(data) ? data : []).filter(isObject).slice(0, MAX_SNAPSHOTS)
  const timed = snapshots.map((one) => ({ ...one, timestamp: Number(one.timestamp) - t }))
  // The events' times of sending are those of the recording: with them, the service would correct the present times.
  const { sent_at: _, timestamp: __, ...sent } = event
  return { ...sent, properties: { ...event.properties, $snapshot_data: timed } }
}

/** Values of the wrong type, as JSON text: some cannot be written by `JSON.stringify`. */
const ODD = [
  'null',
  'true',
  '""',
  '"3"',
  '"NaN"',
  '"\\u0000\\ud800"',
  '0',
  '-1',
  '0.5',
  '1e21',
  '1e400',
  '-1e400',
  '9007199254740993',
  '[]',
  '[null]',
  '[3]',
  '[[3]]',
  '{}',
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"type":3}}',
  '{"length":1e9}',
  `${'['.repeat(150)}${']'.repeat(150)}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"data":'.repeat(3_000)}3${'}'.repeat(3_000)}`,
  `"${'x'.repeat(20_000)}"`
]

/** Members of a snapshot that the service reads, or that say how it is packed. */
const READ = [
  ['type'],
  ['timestamp'],
  ['data'],
  ['cv'],
  ['data', 'source'],
  ['data', 'type'],
  ['data', 'href'],
  ['data', 'plugin'],
  ['data', 'payload'],
  ['data', 'payload', 'level'],
  ['data', 'payload', 'href'],
  ['data', 'positions'],
  ['data', 'tag']
]

/** A snapshot of each kind, so that mutations meet each of them. */
const KINDS: JsonObject[] = [
  { type: 2, data: { node: { type: 0, childNodes: [] }, initialOffset: { top: 0, left: 0 } } },
  { type: 2, data: '\u001f\u008b\b', cv: '2024-10' },
  { type: 3, data: { source: 0, texts: '', attributes: [], removes: [], adds: '' }, cv: '2024-10' },
  { type: 3, data: { source: 1, positions: [{ x: 1, y: 2, id: 3, timeOffset: 0 }] } },
  { type: 3, data: { source: 2, type: 2, id: 3, x: 1, y: 2 } },
  { type: 3, data: { source: 5, text: 'a', isChecked: false, id: 3 } },
  { type: 4, data: { href: 'https://shop.example/', width: 800, height: 600 } },
  { type: 5, data: { tag: '$pageview', payload: { href: 'https://shop.example/' } } },
  { type: 6, data: { plugin: 'rrweb/console@1', payload: { level: 'warn', payload: ['"text"'] } } }
].map((one) => ({ ...one, timestamp: 0 }))

/** A place in an event, and the value to put there. */
const mutation = fc.record({
  /** The snapshot, counted from the first of `KINDS`; the rest of the path leads to a member of it. */
  snapshot: fc.nat(KINDS.length + 3),
  path: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...READ) },
    { weight: 3, arbitrary: fc.constant<string[]>(['data', 'source']) },
    { weight: 1, arbitrary: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }) }
  ),
  odd: fc.constantFrom(...ODD)
})

/** Generates mutations of `$snapshot` events that browsers have sent: some of their values get another type. */
export const mutations = fc.record({
  recorded: fc.nat(RECORDED.length - 1),
  /** Numbers that choose a member of the event, one at each level, whose value is replaced as well. */
  anywhere: fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 3 })),
  changes: fc.array(mutation, { minLength: 1, maxLength: 6 })
})
export type Mutations = typeof mutations extends fc.Arbitrary<infer T> ? T : never

type Visit = { token: string; at: number; session: string }

/** Writes a mutated event as JSON, sent at `at` (ms UTC) by Ada in the session `session`. */
export function writeMutated({ recorded, anywhere, changes }: Mutations, visit: Visit): string {
  const event = toEvent(RECORDED[recorded] ?? {}, visit)
  const pierced = changes.reduce<Json>((json, { snapshot, path }, i) => {
    const place = ['properties', '$snapshot_data', String(snapshot)]
    const below = isNames(path) ? path : walk(at(json, place), path)
    return pierce(json, [...place, ...below], holeOf(i))
  }, event)
  const whole = anywhere ? pierce(pierced, walk(pierced, anywhere), holeOf(0)) : pierced
  return changes.reduce(
    (text, { odd }, i) => text.replaceAll(JSON.stringify(holeOf(i)), () => odd),
    JSON.stringify(whole)
  )
}

/** Stands for the odd value of a change until the event is written. */
const holeOf = (i: number): string => `odd value ${i}`

const isNames = (path: string[] | number[]): path is string[] => typeof path[0] === 'string'

const at = (value: Json, path: string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined,
    value
  )

/** Puts a text at a path. Adds members that are missing, and replaces scalars on the way by objects. */
function pierce(value: Json | undefined, [name, ...rest]: string[], text: string): Json {
  if (name === undefined) {
    return text
  }
  if (Array.isArray(value)) {
    return value.map((one, i) => (String(i) === name ? pierce(one, rest, text) : one))
  }
  const object = isObject(value) ? value : {}
  return { ...object, [name]: pierce(object[name], rest, text) }
}

/** Returns the path that numbers lead to: each chooses a member of the value reached so far. */
function walk(value: Json | undefined, [choice, ...choices]: number[]): string[] {
  if (choice === undefined || typeof value !== 'object' || value === null) {
    return []
  }
  const names = Object.keys(value)
  const name = names[choice % names.length]
  return name === undefined ? [] : [name, ...walk(Reflect.get(value, name), choices)]
}

function toEvent(recorded: JsonObject, { token, at, session }: Visit): JsonObject {
  const properties = isObject(recorded.properties) ? recorded.properties : {}
  const { $snapshot_data: snapshots } = properties
  const all = [...KINDS, ...(Array.isArray(snapshots) ? snapshots.filter(isObject) : [])]
  return {
    ...recorded,
    uuid: crypto.randomUUID(),
    properties: {
      ...properties,
      token,
      distinct_id: 'ada',
      $session_id: session,
      $snapshot_data: all.map((one) => ({ ...one, timestamp: at + Number(one.timestamp) }))
    }
  }
}
