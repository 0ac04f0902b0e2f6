import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Incoming, withSize } from '../../../src/capture/changes.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import type { Announced } from '../../../src/ledger/entry.ts'
import { deleteProperty, type PropertyEntry, setProperties } from '../../../src/persons/change.ts'
import { deep } from '../../support/depth.ts'
import { MemoryStore } from '../../support/memory.ts'
import { numberedUuid } from '../../support/text.ts'

const RECEIVED = 1_000
type Kind = 'set' | 'once' | 'unset'
type Captured = { kind: Kind; key: string; value: Json; at: number; received: number }
type Step =
  | { batch: Captured[] }
  | { patch: JsonObject; now: number }
  | { remove: string; now: number }

type ModelWrite = { kind: Kind; value: Json; at: number; received: number; id: string }

/**
 * A person as the lists of writes to its properties, with two rules: the last `set` or `unset`
 * decides; if it leaves no value, the first later `once` does.
 */
class Model {
  readonly #writes = new Map<string, ModelWrite[]>()

  write(key: string, write: ModelWrite): void {
    this.#writes.set(key, [...(this.#writes.get(key) ?? []), write])
  }

  /** Adds a write through the API, which comes after all known writes. */
  writeLast(key: string, write: Omit<ModelWrite, 'at'>): void {
    const known = (this.#writes.get(key) ?? []).map(({ at }) => at + 1)
    this.write(key, { ...write, at: Math.max(write.received, ...known) })
  }

  valueOf(key: string): Json | undefined {
    const writes = (this.#writes.get(key) ?? []).toSorted(
      (a, b) => a.at - b.at || a.received - b.received || (a.id < b.id ? -1 : 1)
    )
    const last = writes.findLastIndex(({ kind }) => kind !== 'once')
    const set = writes[last]?.kind === 'set' ? writes[last].value : undefined
    if (set !== undefined && set !== null) {
      return set
    }
    const later = writes.slice(last + 1)
    const first = later.find(({ value }) => value !== null) ?? later[0]
    return first ? first.value : set
  }

  get properties(): JsonObject {
    const shown = [...this.#writes.keys()].map((key) => [key, this.valueOf(key)])
    return Object.fromEntries(shown.filter(([, value]) => value !== undefined))
  }
}

/** Returns the properties of an event that makes a write of this kind. */
const propertiesFor: Record<Kind, (captured: Captured) => JsonObject> = {
  set: ({ key, value }) => ({ $set: { [key]: value } }),
  once: ({ key, value }) => ({ $set_once: { [key]: value } }),
  unset: ({ key }) => ({ $unset: [key] })
}

const event = (n: number, captured: Captured): Incoming =>
  withSize({
    uuid: numberedUuid(n),
    event: '$set',
    distinct_id: 'ada',
    timestamp: captured.at,
    properties: propertiesFor[captured.kind](captured),
    received_at: RECEIVED + captured.received
  })

type Both = { store: MemoryStore; model: Model }

function capture({ store, model }: Both, batch: Captured[], n: number): void {
  store.deliver(batch.map((captured, i) => event(n * 100 + i, captured)))
  for (const [i, { key, ...write }] of batch.entries()) {
    const received = RECEIVED + write.received
    model.write(key, { ...write, received, id: numberedUuid(n * 100 + i) })
  }
}

function patch({ store, model }: Both, values: JsonObject, now: number, id: string): void {
  store.change('ada', (subject) => setProperties(subject, values, { actor: null, now, id }))
  for (const [key, value] of Object.entries(values)) {
    model.writeLast(key, { kind: 'set', value, received: now, id })
  }
}

function remove({ store, model }: Both, key: string, now: number, id: string): void {
  const entry = { requested_at: now } as Announced<PropertyEntry>
  store.change('ada', (subject) => deleteProperty(subject, key, entry, { actor: null, id }))
  if (model.valueOf(key) !== undefined) {
    model.writeLast(key, { kind: 'unset', value: null, received: now, id })
  }
}

/** Performs the nth step in the store and in the model. */
function takeStep(both: Both, step: Step, n: number): void {
  if ('batch' in step) {
    capture(both, step.batch, n)
  } else if ('patch' in step) {
    patch(both, step.patch, step.now, numberedUuid(n))
  } else {
    remove(both, step.remove, step.now, numberedUuid(n))
  }
}

/** Takes the same steps in the store and in the model. Both begin with Ada. */
function run(steps: Step[]) {
  const [store, model] = [new MemoryStore(), new Model()]
  store.deliver([
    { ...event(1, { kind: 'set', key: '', value: null, at: 0, received: 0 }), properties: {} }
  ])
  for (const [i, step] of steps.entries()) {
    takeStep({ store, model }, step, i + 2)
  }
  const { $creator_event_uuid: _, ...properties } = store.personOf('ada')?.properties ?? {}
  const person = store.personOf('ada')
  return {
    properties,
    expected: model.properties,
    version: store.versions.get(person?.version ?? 0),
    person
  }
}

const key = fc.constantFrom('plan', 'theme')
const value = fc.constantFrom<Json>(null, 1, 'a', ['b'])
const time = fc.integer({ min: 1, max: 8 })
const kind = fc.constantFrom<Kind>('set', 'once', 'unset')
const received = fc.integer({ min: 0, max: 2 })
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({
    batch: fc.array(fc.record({ kind, key, value, at: time, received }), {
      minLength: 1,
      maxLength: 3
    })
  }),
  fc.record({ patch: fc.dictionary(key, value), now: time }),
  fc.record({ remove: key, now: time })
)

describe('captures, PATCH and delete_property in any order', () => {
  it('give the result of a simple model, and a version with that result', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const { properties, expected, version, person } = run(steps)
        expect(properties).toEqual(expected)
        expect(version).toEqual(person?.properties)
      }),
      deep(3_000)
    )
  })

  it('keep the API’s changes, however late an earlier event arrives', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 5 }),
        fc.array(fc.record({ kind, key, value, at: time, received })),
        (steps, late) => {
          // Whatever the steps are, the theme is there when it is removed.
          const theme = { kind: 'set', key: 'theme', value: 1, at: 8, received: 3 } as const
          const change: Step[] = [
            { batch: [theme] },
            { patch: { plan: 'last' }, now: 9 },
            { remove: 'theme', now: 9 }
          ]
          const before = run([...steps, ...change])
          const after = run([...steps, ...change, { batch: late }])
          expect(after.properties).toEqual(before.properties)
          expect(after.properties.plan).toBe('last')
        }
      ),
      deep(100)
    )
  })
})
