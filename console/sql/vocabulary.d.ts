/** Computed from the sources of the service when the console is built: see scripts/console.ts. */
declare module 'sql-vocabulary' {
  export const VOCABULARY: import('../../src/sql/vocabulary.ts').Vocabulary
}
