import { signal } from '@preact/signals'
import { PREFIX, project, storage } from '../session.ts'

/** A statement that was run in this browser. */
export type PastStatement = { statement: string; at: string }

/** Statements that are kept of a project, and their characters together. */
const MAX_STATEMENTS = 50
const MAX_CHARACTERS = 200_000

const placeOf = (): string => `${PREFIX}statements-${project.value?.id}`

/** Counts the changes, so that a list of the statements is shown anew. */
const changes = signal(0)

/** Lists the statements that were run in this project, the newest first. */
export function listPast(): PastStatement[] {
  changes.value
  try {
    const read: unknown = JSON.parse(storage().getItem(placeOf()) ?? '[]')
    return Array.isArray(read) ? read.filter(isPast) : []
  } catch {
    return []
  }
}

const isPast = (one: unknown): one is PastStatement =>
  typeof Object(one).statement === 'string' && typeof Object(one).at === 'string'

/** Notes that a statement is run: in the tab, or on the device if it remembers the key. */
export function notePast(statement: string, now: Date): void {
  keep(addPast(listPast(), statement, now))
}

/** Puts a statement first. The oldest are dropped. */
export function addPast(past: PastStatement[], statement: string, now: Date): PastStatement[] {
  const others = past.filter((one) => one.statement !== statement)
  const all = [{ statement, at: now.toISOString() }, ...others].slice(0, MAX_STATEMENTS)
  let characters = 0
  return all.filter((one) => {
    characters += one.statement.length
    return characters <= MAX_CHARACTERS
  })
}

/** Forgets the statements of this project. */
export function clearPast(): void {
  storage().removeItem(placeOf())
  changes.value += 1
}

function keep(past: PastStatement[]): void {
  try {
    storage().setItem(placeOf(), JSON.stringify(past))
  } catch {
    // The browser has no room: the earlier statements stay.
  }
  changes.value += 1
}
