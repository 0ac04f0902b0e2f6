import fc from 'fast-check'

/** Words that belong nowhere, or that a statement must not get anything by. */
const ODD = [
  'FROM',
  'FROM events',
  'FROM persons',
  'FROM sessions',
  'FROM system.tables',
  '(SELECT 1 AS n)',
  'UNION ALL SELECT',
  'GROUP BY 1',
  'OR 1 = 1',
  'team_id',
  'project_id',
  '-1',
  '1e400',
  '99999999999999',
  "''",
  "'''; DROP TABLE events; --'",
  "'é😀'",
  'NULL',
  'nan',
  '[]',
  '{a}',
  '/*',
  '"',
  '\\'
]

const wordsOf = (statement: string): string[] => statement.match(/\w+|'[^']*'|\s+|\S/g) ?? []

/** Words of one kind can often replace each other. */
const kindOf = (word: string): string => {
  if (/^\d/.test(word)) {
    return 'number'
  }
  return /^\w/.test(word) ? 'name' : word.slice(0, 1)
}

/** Generates statements in which some words are replaced by others, left out or repeated. */
export function mutated(statements: readonly string[]): fc.Arbitrary<string> {
  const words = [...new Set(statements.flatMap(wordsOf))].filter((word) => word.trim() !== '')
  const byKind = Map.groupBy(words, kindOf)
  const change = fc.record({
    at: fc.nat(80),
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant('exchange') },
      { weight: 1, arbitrary: fc.constantFrom('replace', 'remove', 'insert') }
    ),
    place: fc.nat(10_000),
    word: fc.oneof(fc.constantFrom(...words), fc.constantFrom(...ODD))
  })
  return fc
    .tuple(fc.constantFrom(...statements), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([statement, changes]) => {
      const parts = wordsOf(statement)
      for (const { at, kind, place, word } of changes) {
        const i = 1 + (at % parts.length)
        const alike = byKind.get(kindOf(parts[i] ?? '')) ?? []
        const other = alike[place % alike.length] ?? parts[i] ?? ''
        const added = { exchange: other, remove: '', replace: ` ${word} `, insert: ` ${word} ` }
        parts.splice(i, kind === 'insert' ? 0 : 1, added[kind as keyof typeof added])
      }
      return parts.join('')
    })
}
