import { findSimilarName } from '../../src/input/closest.ts'
import { call } from '../api.ts'
import { project } from '../session.ts'

/** A name of an event, and how often it is stored. */
export type EventName = { name: string; count: number }

/** Most names that are offered. */
const MAX_NAMES = '1000'

/** How long a list is taken for the newest, ms. */
const FRESH_MS = 60_000

const known = new Map<string, { at: number; names: Promise<EventName[]> }>()

/** Lists the names of the project's events, the most frequent first. @throws ApiError */
export function listEvents(): Promise<EventName[]> {
  const id = String(project.value?.id)
  const found = known.get(id)
  if (found && Date.now() - found.at < FRESH_MS) {
    return found.names
  }
  const names = load()
  known.set(id, { at: Date.now(), names })
  names.catch(() => known.delete(id))
  return names
}

async function load(): Promise<EventName[]> {
  const { results } = await call<{ results: EventName[] }>('GET', 'event_definitions/', {
    query: { limit: MAX_NAMES }
  })
  return results.sort((a, b) => b.count - a.count)
}

/** Says that no event has a name, with the one that was probably meant; undefined if one has it. */
export function unknownName(
  name: string,
  all: readonly EventName[]
): { similar: string | undefined } | undefined {
  const names = all.map((one) => one.name)
  return names.includes(name) ? undefined : { similar: findSimilarName(name, names) }
}
