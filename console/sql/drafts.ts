import { effect, signal } from '@preact/signals'
import { key } from '../session.ts'

/** A text that was typed over a statement, and not run. */
export type Draft = { over: string; text: string }

/** The drafts of this visit, by project and insight: they are there again when one comes back. */
const drafts = signal<ReadonlyMap<string, Draft>>(new Map())

// Signing out forgets the drafts, as it forgets the history.
effect(() => {
  if (key.value === undefined) {
    drafts.value = new Map()
  }
})

/** Returns what the editor shows at a place: a draft over its statement, or the statement. */
export function textAt(place: string, statement: string): string {
  const draft = drafts.value.get(place)
  return draft?.over === statement ? draft.text : statement
}

/** Keeps the draft of a place; none if the text is the statement. */
export function keepDraft(place: string, { over, text }: Draft): void {
  const others = [...drafts.value].filter(([name]) => name !== place)
  drafts.value = new Map(text === over ? others : [...others, [place, { over, text }]])
}
