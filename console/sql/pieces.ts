import { StatementError } from '../../src/sql/statement-error.ts'
import { type SqlToken, tokenize } from '../../src/sql/tokens.ts'
import type { Vocabulary } from '../../src/sql/vocabulary.ts'

/** A part of a statement. */
export type Piece = {
  kind: 'keyword' | 'function' | 'name' | 'text' | 'number' | 'symbol' | 'comment' | 'space'
  text: string
  at: number
  /** Set if a text, a name in quotes or a comment lacks its end. */
  isOpen?: true
}

/** Words that are not names: keywords, and the units of an interval. */
type Words = { keywords: ReadonlySet<string>; units: ReadonlySet<string> }

/** Divides any text into the parts of a statement, also one that is not complete. */
export function piecesOf(statement: string, { keywords, units }: Vocabulary): Piece[] {
  const words = {
    keywords: new Set(keywords),
    units: new Set(units.flatMap((unit) => [unit, `${unit}s`]))
  }
  const pieces: Piece[] = []
  let from = 0
  // Each turn ends after a fault, so that a text with many needs no deep stack.
  while (from < statement.length) {
    for (const piece of piecesUntilFault(statement.slice(from), words)) {
      pieces.push({ ...piece, at: from + piece.at })
    }
    const last = pieces.at(-1)
    from = last ? last.at + last.text.length : statement.length
  }
  return pieces
}

/** Divides a text until its first fault, which is the last piece; all of it if it has none. */
function piecesUntilFault(text: string, words: Words): Piece[] {
  const { tokens, end } = tokensOf(text)
  const pieces: Piece[] = []
  let at = 0
  for (const [i, token] of tokens.entries()) {
    pieces.push(...piecesBetween(text.slice(at, token.at), at))
    pieces.push({ kind: kindOf(tokens, i, words), text: token.text, at: token.at })
    at = token.at + token.text.length
  }
  pieces.push(...piecesBetween(text.slice(at, end), at))
  return end === text.length ? pieces : [...pieces, faultyPiece(text, end)]
}

/** Reads the tokens before the first fault. @returns them, and the offset of the fault */
function tokensOf(statement: string): { tokens: SqlToken[]; end: number } {
  let end = statement.length
  for (;;) {
    try {
      const tokens = tokenize(statement.slice(0, end))
      return { tokens: tokens.slice(0, -1), end }
    } catch (error) {
      // A fault before the end shortens what is read, so this ends.
      if (!(error instanceof StatementError) || error.at >= end) {
        throw error
      }
      end = error.at
    }
  }
}

/** Returns the piece at a fault: a text or a comment without an end goes on to the end. */
function faultyPiece(statement: string, at: number): Piece {
  const rest = statement.slice(at)
  const [first = ''] = rest
  if (/^['"`]/.test(first)) {
    return { kind: first === "'" ? 'text' : 'name', text: rest, at, isOpen: true }
  }
  if (rest.startsWith('/*')) {
    return { kind: 'comment', text: rest, at, isOpen: true }
  }
  const length = /^[\w$.]+/.exec(rest)?.[0].length ?? 1
  return { kind: 'symbol', text: rest.slice(0, length), at }
}

/** Divides what stands between two tokens: spaces and comments. */
const piecesBetween = (text: string, from: number): Piece[] =>
  [...text.matchAll(/\s+|(?:--|\/\/)[^\n]*|\/\*[\s\S]*?\*\//g)].map(({ 0: part, index }) => ({
    kind: part.trim() === '' ? 'space' : 'comment',
    text: part,
    at: from + index
  }))

function kindOf(tokens: readonly SqlToken[], i: number, words: Words): Piece['kind'] {
  const kind = tokens[i]?.kind
  if (kind === 'text' || kind === 'number' || kind === 'symbol') {
    return kind
  }
  return kind === 'name' ? kindOfWord(tokens, i, words) : 'name'
}

function kindOfWord(
  tokens: readonly SqlToken[],
  i: number,
  { keywords, units }: Words
): Piece['kind'] {
  const word = tokens[i]?.value.toLowerCase() ?? ''
  if (tokens[i - 1]?.text === '.') {
    return 'name'
  }
  const isKeyword = keywords.has(word)
  if (tokens[i + 1]?.text === '(' && (!isKeyword || ALSO_FUNCTIONS.has(word))) {
    return 'function'
  }
  const isUnit = units.has(word) && tokens[i - 2]?.value.toLowerCase() === 'interval'
  return isKeyword || isUnit ? 'keyword' : 'name'
}

/** Keywords that are functions where a parenthesis follows. */
const ALSO_FUNCTIONS = new Set(['left', 'right', 'any'])

/** Divides pieces into the lines of the statement, without their ends. */
export function linesOf(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]]
  for (const piece of pieces) {
    let { at } = piece
    for (const [i, text] of piece.text.split('\n').entries()) {
      if (i > 0) {
        lines.push([])
      }
      if (text !== '') {
        lines.at(-1)?.push({ ...piece, text, at })
      }
      at += text.length + 1
    }
  }
  return lines
}
