/** The names that a statement may have, for editors of statements. */
export type Vocabulary = {
  tables: readonly VocabularyTable[]
  functions: readonly VocabularyFunction[]
  /** Clauses and operators as they are written: `GROUP BY`. */
  phrases: readonly string[]
  /** Words that are no names, in lower case. */
  keywords: readonly string[]
  /** Units of an INTERVAL. */
  units: readonly string[]
}

/** A table: its columns, and the paths below which the members of a project's objects are. */
export type VocabularyTable = {
  name: string
  columns: readonly { name: string; type: string }[]
  owners: readonly { path: string; of: OwnerName }[]
}

/** Whose properties follow a path: `event` those of `properties.x`. */
export type OwnerName = 'event' | 'person' | 'session'

export type VocabularyFunction = { name: string; isAggregate: boolean; takesNone: boolean }
