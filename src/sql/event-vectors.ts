import type { Batch } from '../columns/batch.ts'
import type { Column as StoredColumn } from '../columns/column.ts'
import { Filter } from '../columns/filter.ts'
import { versionsOf } from '../columns/versions.ts'
import { AppError } from '../errors.ts'
import type { Json } from '../input/json.ts'
import { uuidFromHex } from '../input/uuid.ts'
import type { Field } from './expression.ts'
import { readEventNames, readVersionBodies } from './lookups.store.ts'
import { type AskedRows, type TableReading, textsOf } from './table-rows.ts'
import type { SqlValue } from './types.ts'
import { constant, dictionary, flat, type Vector } from './vector.ts'

/** Versions of persons of which a statement reads all properties. */
const BODIES_AT_ONCE = 500

/** Characters of all properties of the persons of a batch, all of which are in memory at once. */
const MAX_BODIES = 20_000_000

/** Reads the columns of batches as vectors. */
export class EventVectors {
  readonly #reading: TableReading
  readonly #names: ReadonlyMap<number, string>

  private constructor(reading: TableReading, names: ReadonlyMap<number, string>) {
    this.#reading = reading
    this.#names = names
  }

  /** Looks up what some fields of all events need. */
  static async begin(reading: TableReading, fields: readonly Field[]): Promise<EventVectors> {
    const { db, projectId } = reading.knowledge.scan
    const hasNames = fields.some(({ kind }) => kind === 'event')
    const names = hasNames ? await readEventNames(db, projectId) : new Map<number, string>()
    return new EventVectors(reading, names)
  }

  /** Reads some columns of a batch, by their keys. */
  async readAll(batch: Batch, columns: AskedRows['columns']): Promise<Map<string, Vector>> {
    const read = new Map<string, Vector>()
    for (const { key, field } of columns) {
      read.set(key, await this.#read(batch, field))
    }
    return read
  }

  async #read(batch: Batch, field: Field): Promise<Vector> {
    const { knowledge, ids } = this.#reading
    switch (field.kind) {
      case 'event':
        return mapColumn(batch.names, (id) => this.#names.get(Number(id)) ?? '')
      case 'event_id':
        return mapColumn(batch.names, Number)
      case 'timestamp':
        return flat(batch.times)
      case 'session':
        return mapColumn(batch.sessions, (id) => (id === null ? '' : String(id)))
      case 'property':
        return toVector(await knowledge.values.of(batch, { type: field.of, key: field.key }))
      case 'text': {
        const property = { type: 'event', key: field.key } as const
        const { codes, values } = await knowledge.values.of(batch, property)
        return dictionary(
          codes,
          values.map((value) => (typeof value === 'string' ? value : ''))
        )
      }
      case 'uuid':
        return flat((batch.uuids ?? []).map(uuidFromHex))
      case 'properties':
        return field.of === 'event' ? flat(batch.bodies ?? []) : this.#readPersons(batch)
      case 'identity':
        return flat(batch.identities)
      case 'distinct_id': {
        const texts = await ids.distinctIdsOf(batch.identities)
        return textsOf(batch.identities, (key) => texts.get(key) ?? null)
      }
      case 'actor':
        // The list is only good until the next `forget`, as the chunk is.
        return flat(await knowledge.actorsOf(batch.identities))
      case 'person_uuid': {
        const actors = await knowledge.actorsOf(batch.identities)
        const uuids = await ids.uuidsOf(actors)
        return textsOf(actors, (number) => uuids.get(number) ?? null)
      }
      case 'person_created_at': {
        const actors = await knowledge.actorsOf(batch.identities)
        const times = await ids.createdOf(actors)
        return flat(Array.from(actors, (number) => times.get(number) ?? null))
      }
      case 'filters': {
        const { deciders, work, values } = knowledge
        const mask = await new Filter(field.group, deciders, work).maskOf(batch, values)
        return mask ? flat(mask) : constant(1)
      }
      default:
        throw new Error(`Events have no column ${field.kind}.`)
    }
  }

  /**
   * Reads all properties of the persons of events, as of the events.
   * @throws query_too_large, attr `rows`
   */
  async #readPersons(batch: Batch): Promise<Vector> {
    const { db, projectId } = this.#reading.knowledge.scan
    const versions = versionsOf(batch)
    const asked = [...new Set(versions)].flatMap((id) => id ?? [])
    const bodies = new Map<number, string>()
    let characters = 0
    for (let from = 0; from < asked.length; from += BODIES_AT_ONCE) {
      const some = asked.slice(from, from + BODIES_AT_ONCE)
      for (const [id, body] of await readVersionBodies(db, projectId, some)) {
        bodies.set(id, body)
        characters += body.length
      }
      if (characters > MAX_BODIES) {
        throw new AppError(
          'query_too_large',
          'The persons of these events have too many properties: name a property, such as person.properties.email.',
          'rows'
        )
      }
    }
    return flat(versions.map((id) => bodies.get(id ?? 0) ?? '{}'))
  }
}

// The cast is safe: what reads the JSON values of a property takes any JSON.
const toVector = ({ codes, values }: StoredColumn): Vector =>
  dictionary(codes, values as readonly SqlValue[])

function mapColumn(column: StoredColumn | undefined, map: (value: Json) => SqlValue) {
  if (!column) {
    throw new Error('A wanted column was not read.')
  }
  return dictionary(column.codes, column.values.map(map))
}
