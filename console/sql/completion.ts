import type { OwnerName, Vocabulary, VocabularyTable } from '../../src/sql/vocabulary.ts'
import { type Piece, piecesOf } from './pieces.ts'
import { ranked, type Suggestion } from './suggestion.ts'

/** The names of statements, and of a project. Those that are not loaded yet are empty. */
export type KnownNames = {
  vocabulary: Vocabulary
  events: readonly string[]
  properties: Readonly<Record<OwnerName, readonly { name: string; type: string }[]>>
}

export type Completion = {
  from: number
  until: number
  suggestions: Suggestion[]
  /** Whose properties would be offered if they were known. */
  wanted: readonly (OwnerName | 'events')[]
}

/** Offers nothing. */
export const NOTHING: Completion = { from: 0, until: 0, suggestions: [], wanted: [] }

/** Names that need no quotes. */
const PLAIN = /^[A-Za-z_$][\w$]*$/

/** Writes a name as a statement has it: in backticks where it needs quotes. */
export const writeName = (name: string): string =>
  PLAIN.test(name) ? name : `\`${escapeFor(name, '`')}\``

/** Writes a text as a statement has it. */
export const writeText = (text: string): string => `'${escapeFor(text, "'")}'`

const escapeFor = (text: string, quote: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll(quote, quote + quote)

/** Offers what can stand at the caret. */
export function complete(
  statement: string,
  caret: number,
  names: KnownNames,
  { isAsked = false } = {}
): Completion {
  const pieces = piecesOf(statement, names.vocabulary)
  const here = pieces.find(({ at, text, kind }) =>
    kind === 'space' ? false : at < caret && caret <= at + text.length
  )
  const before = pieces.filter(
    ({ at, kind, text }) =>
      kind !== 'space' && kind !== 'comment' && at + text.length <= (here?.at ?? caret)
  )
  const place: Place = { statement, caret, before, pieces, names }
  if (here?.kind === 'comment' || here?.kind === 'number') {
    return NOTHING
  }
  if (here?.kind === 'text' && isInside(here, caret)) {
    return completeText(place, here)
  }
  const isWord = here !== undefined && isName(here)
  const path = pathBefore(isWord ? before : [...before, ...(here ? [here] : [])])
  const word = isWord ? here : undefined
  if (path) {
    return completeMember(place, path, word)
  }
  return word || isAsked ? completeWord(place, word) : NOTHING
}

type Place = {
  statement: string
  caret: number
  /** What stands before the word at the caret, without spaces and comments. */
  before: readonly Piece[]
  pieces: readonly Piece[]
  names: KnownNames
}

const isName = ({ kind }: Piece): boolean =>
  kind === 'name' || kind === 'keyword' || kind === 'function'

/** Whether the caret stands between the quotes of a text. */
const isInside = ({ at, text, isOpen }: Piece, caret: number): boolean =>
  caret > at && (isOpen === true || caret < at + text.length)

/** `person.properties.` → `['person', 'properties']`; undefined unless a dot is the last. */
function pathBefore(before: readonly Piece[]): string[] | undefined {
  const path: string[] = []
  let i = before.length - 1
  while (before[i]?.text === '.' && before[i - 1] && isName(before[i - 1] as Piece)) {
    path.unshift(unquote(before[i - 1]?.text ?? ''))
    i -= 2
  }
  return path.length > 0 ? path : undefined
}

const unquote = (text: string): string => {
  const [first = ''] = text
  return /["'`]/.test(first)
    ? text
        .slice(1, text.endsWith(first) && text.length > 1 ? -1 : undefined)
        .replaceAll(first + first, first)
        .replaceAll('\\\\', '\\')
    : text
}

/** Returns the tables of the statement with their names; before one is chosen, the first of all. */
function tablesOf({ pieces, names: { vocabulary } }: Place) {
  const { tables } = vocabulary
  const found: { table: VocabularyTable; names: string[] }[] = []
  const words = pieces.filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  for (const [i, word] of words.entries()) {
    const table =
      words[i - 1]?.text.toLowerCase() === 'from'
        ? tables.find(({ name }) => name === unquote(word.text).toLowerCase())
        : undefined
    if (table) {
      const next = words[i + 1]?.text.toLowerCase() === 'as' ? words[i + 2] : words[i + 1]
      const alias = next?.kind === 'name' ? [unquote(next.text)] : []
      found.push({ table, names: [table.name, ...alias] })
    }
  }
  return found.length > 0 ? found : tables.slice(0, 1).map((table) => ({ table, names: [] }))
}

/** Names that the statement itself gives: to columns, and to subqueries. */
function ownNames(pieces: readonly Piece[]): { columns: string[]; tables: string[] } {
  const words = pieces.filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  const columns = words.flatMap(({ kind, text }, i) =>
    words[i - 1]?.text.toLowerCase() === 'as' && kind === 'name' ? [unquote(text)] : []
  )
  const tables = words.flatMap(({ kind, text }, i) =>
    words[i + 1]?.text.toLowerCase() === 'as' && words[i + 2]?.text === '(' && kind === 'name'
      ? [unquote(text)]
      : []
  )
  return { columns: [...new Set(columns)], tables: [...new Set(tables)] }
}

/** Offers the members of a path. */
function completeMember(place: Place, path: string[], word: Piece | undefined): Completion {
  const tables = tablesOf(place)
  const qualified = tables.find(({ names }) => names.includes(path[0] ?? ''))
  const rest = (qualified ? path.slice(1) : path).join('.')
  const own = qualified ? [qualified] : tables
  const prefix = rest === '' ? '' : `${rest}.`
  const columns = own.flatMap(({ table }) => [
    ...table.columns.map(({ name, type }) => ({ path: name, hint: type })),
    ...table.owners.map(({ path: owner }) => ({ path: owner, hint: 'properties' }))
  ])
  const members = columns
    .filter(({ path: column }) => column.startsWith(prefix))
    .map(({ path: column, hint }) => ({ label: column.slice(prefix.length), hint }))
  const owners = own.flatMap(({ table }) => table.owners.filter((owner) => owner.path === rest))
  const properties = owners.flatMap(({ of }) => place.names.properties[of])
  const offered = [
    ...members.map(({ label, hint }) => ({ label, hint, insert: label })),
    ...properties.map(({ name, type }) => ({ label: name, hint: type, insert: writeName(name) }))
  ]
  return toCompletion(
    place,
    word,
    offered,
    owners.map(({ of }) => of)
  )
}

/** Offers the names of events in the text that is compared with `event`, or properties in `['…']`. */
function completeText(place: Place, here: Piece): Completion {
  const { before, names, statement } = place
  const typed = unquote(here.text.slice(0, place.caret - here.at))
  const range = { from: here.at, until: here.isOpen ? endOfOpen(here) : here.at + here.text.length }
  const last = before.at(-1)?.text
  if (last === '[' && before.at(-2) && isName(before.at(-2) as Piece)) {
    const path = [...(pathBefore(before.slice(0, -2)) ?? []), unquote(before.at(-2)?.text ?? '')]
    const owners = tablesOf(place).flatMap(({ table }) =>
      table.owners.filter((owner) => path.join('.').endsWith(owner.path))
    )
    const close = statement[range.until] === ']' ? '' : ']'
    const offered = owners
      .flatMap(({ of }) => names.properties[of])
      .map(({ name, type }) => ({ label: name, hint: type, insert: writeText(name) + close }))
    return { ...range, suggestions: ranked(offered, typed), wanted: owners.map(({ of }) => of) }
  }
  if (!comparesEvent(before)) {
    return NOTHING
  }
  const offered = names.events.map((name) => ({
    label: name,
    hint: 'event',
    insert: writeText(name)
  }))
  return { ...range, suggestions: ranked(offered, typed), wanted: ['events'] }
}

/** The end of a text whose closing quote is missing: that of its line. */
const endOfOpen = ({ at, text }: Piece): number => at + (text.split(/[\n),]/)[0] ?? '').length

/** Whether a text here is compared with the column `event`: `event = '…'`, `event IN ('a', '…'`. */
function comparesEvent(before: readonly Piece[]): boolean {
  let i = before.length - 1
  while (before[i]?.kind === 'text' || before[i]?.text === ',') {
    i -= 1
  }
  const isList = before[i]?.text === '('
  const operator = before[isList ? i - 1 : i]?.text.toLowerCase() ?? ''
  const at = isList ? i - 2 : i - 1
  const column = before[at]?.text.toLowerCase() === 'not' ? before[at - 1] : before[at]
  const compares = isList ? operator === 'in' : /^(?:[=!]?=|<>|i?like)$/.test(operator)
  return compares && column !== undefined && unquote(column.text) === 'event'
}

const AFTER_ALIAS = /^(?:as|limit|offset)$/i

/** Offers columns, functions and keywords. */
function completeWord(place: Place, word: Piece | undefined): Completion {
  const { before, names, pieces } = place
  const { vocabulary } = names
  const last = before.at(-1)?.text ?? ''
  if (AFTER_ALIAS.test(last)) {
    return NOTHING
  }
  const own = ownNames(pieces)
  if (/^from$/i.test(last)) {
    const tables = [...vocabulary.tables.map(({ name }) => name), ...own.tables]
    return toCompletion(
      place,
      word,
      tables.map((name) => named(name, 'table'))
    )
  }
  if (/^interval$/i.test(before.at(-2)?.text ?? '')) {
    const units = vocabulary.units.map((unit) => cased(unit.toUpperCase(), word))
    return toCompletion(
      place,
      word,
      units.map((unit) => named(unit, 'unit'))
    )
  }
  const tables = tablesOf(place).map(({ table }) => table)
  const owners = [...new Set(tables.flatMap((table) => table.owners))]
  const comparesNow = comparesEvent(before)
  const offered = [
    ...(comparesNow
      ? names.events.map((name) => ({ label: name, hint: 'event', insert: writeText(name) }))
      : []),
    ...own.columns.map((name) => named(name, 'alias')),
    ...tables.flatMap(({ columns }) => columns).map(({ name, type }) => named(name, type)),
    ...[...new Set(owners.map(({ path }) => path))].map((path) => ({
      label: `${path}.`,
      hint: 'properties',
      insert: `${path}.`
    })),
    ...vocabulary.phrases.map((phrase) => ({
      label: cased(phrase, word),
      hint: 'keyword',
      insert: cased(phrase, word)
    })),
    ...vocabulary.functions.map(({ name, isAggregate, takesNone }) => ({
      label: `${name}()`,
      hint: isAggregate ? 'aggregate' : 'function',
      insert: place.statement[place.caret] === '(' ? name : `${name}()`,
      caret: name.length + (takesNone && !isAggregate ? 2 : 1)
    })),
    ...owners.flatMap(({ path, of }) =>
      names.properties[of].map(({ name, type }) => ({
        label: `${path}.${name}`,
        hint: type,
        insert: `${path}.${writeName(name)}`
      }))
    )
  ]
  return toCompletion(place, word, offered, comparesNow ? ['events', 'event'] : ['event'])
}

/** A name that is written as it is called. */
const named = (name: string, hint: string): Suggestion => ({
  label: name,
  hint,
  insert: name.split('.').map(writeName).join('.')
})

/** Writes a keyword like the word that was begun: small letters stay small. */
const cased = (phrase: string, word: Piece | undefined): string =>
  word && /[a-z]/.test(word.text[0] ?? '') ? phrase.toLowerCase() : phrase

function toCompletion(
  { caret }: Place,
  word: Piece | undefined,
  offered: readonly Suggestion[],
  wanted: Completion['wanted'] = []
): Completion {
  const from = word?.at ?? caret
  const until = word ? word.at + word.text.length : caret
  const typed = word ? unquote(word.text.slice(0, caret - from)) : ''
  return { from, until, suggestions: ranked(offered, typed), wanted }
}
