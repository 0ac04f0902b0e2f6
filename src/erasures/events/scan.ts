import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { type EventFilters, EventScan, type ZonedProject } from '../../events/scan.ts'
import type { EventRow } from '../../events/store.ts'
import { isObject, type JsonObject } from '../../input/json.ts'

/** Maximum number of events that one scan reads; 100,000 take some seconds. */
export const MAX_EXAMINED = 100_000
/** Maximum number of events read in one piece of a scan. */
const READ_AT_ONCE = 1_000

export type Wanted = {
  filters: EventFilters
  /** The names of the properties to remove; null if the events themselves are removed. */
  properties: readonly string[] | null
}

/** The events that a removal would remove now, or whose properties it would remove. */
export type FoundEvents = {
  /** Their uuids, 32 hexadecimal digits each, newest first. */
  uuids: string[]
  /** The number of events by name. */
  names: Map<string, number>
  persons: number
  sessions: number
  /** The times of the oldest and the newest event, ms UTC; undefined without events. */
  oldest: number | undefined
  newest: number | undefined
}

/**
 * Finds the events that match, by the rules of the list of events and of trends. Reads only.
 * @throws query_too_large, attr the filter under its name in this operation
 */
export async function findEvents(
  db: Db,
  project: ZonedProject,
  { filters, properties }: Wanted,
  now: Date
): Promise<FoundEvents> {
  try {
    return await scanAll(db, project, { filters, properties }, now)
  } catch (error) {
    const attr = error instanceof AppError ? error.attr : null
    const name = NAMES[attr ?? '']
    throw error instanceof AppError && name
      ? new AppError(error.code, error.message.replaceAll(`\`${attr}\``, `\`${name}\``), name)
      : error
  }
}

/** Names of filters in this operation, by the names that the list of events gives them. */
const NAMES: Record<string, string> = { event: 'events', properties: 'property_filters' }

async function scanAll(
  db: Db,
  project: ZonedProject,
  { filters, properties }: Wanted,
  now: Date
): Promise<FoundEvents> {
  const scan = await EventScan.begin(db, project, filters, { first: READ_AT_ONCE, now })
  const tally = new Tally()
  for (let examined = 0; ; ) {
    const piece = await scan.next(READ_AT_ONCE)
    if (!piece) {
      return tally.found()
    }
    examined += piece.examined
    if (examined > MAX_EXAMINED) {
      throw new AppError(
        'query_too_large',
        `More than ${MAX_EXAMINED} events would have to be searched: narrow the range with \`after\` and \`before\`, and delete range by range.`,
        'after'
      )
    }
    tally.add(piece.matching.filter((row) => properties === null || hasOneOf(row, properties)))
  }
}

/** Collects the events of a scan, which finds the newest first. */
class Tally {
  readonly #uuids: string[] = []
  readonly #names = new Map<string, number>()
  readonly #persons = new Set<number>()
  readonly #sessions = new Set<string>()
  #oldest: number | undefined
  #newest: number | undefined

  add(rows: EventRow[]): void {
    for (const { uuid, event, person_id, session_id, timestamp } of rows) {
      this.#uuids.push(uuid)
      this.#names.set(event, (this.#names.get(event) ?? 0) + 1)
      this.#newest ??= timestamp
      this.#oldest = timestamp
      if (person_id !== null) {
        this.#persons.add(person_id)
      }
      if (session_id !== null) {
        this.#sessions.add(session_id)
      }
    }
  }

  found(): FoundEvents {
    return {
      uuids: this.#uuids,
      names: this.#names,
      persons: this.#persons.size,
      sessions: this.#sessions.size,
      oldest: this.#oldest,
      newest: this.#newest
    }
  }
}

function hasOneOf({ properties }: EventRow, names: readonly string[]): boolean {
  const own: JsonObject = JSON.parse(properties)
  const objects = [own, own.$set, own.$set_once].filter(isObject)
  return objects.some((object) => names.some((name) => Object.hasOwn(object, name)))
}
