import { byteLength } from '../../input/json.ts'
import { COUNT, charactersIn, FLAG, type SqlValue, TEXT, ValueFailure } from '../types.ts'
import { printerOf } from './conversions.ts'
import {
  constantText,
  expectNumbers,
  expectText,
  type FunctionDefinition,
  isTooLong,
  likeArgs,
  MANY,
  strict,
  strictly,
  tooLong
} from './definition.ts'
import { likeTest } from './like.ts'

/** Defines a function of texts. */
export const ofTexts = (
  name: string,
  arity: readonly [number, number],
  type: typeof TEXT,
  compute: (...texts: string[]) => SqlValue
): FunctionDefinition => ({
  name,
  arity,
  build(asked) {
    for (const arg of asked.args) {
      expectText(asked, arg)
    }
    const { length } = asked.args
    return {
      type: likeArgs(type, asked.args),
      apply: strict((...texts) => compute(...texts.slice(0, length).map(String)))
    }
  }
})

/** Defines a function of one text, which has a text. */
export const ofText = (name: string, compute: (text: string) => SqlValue): FunctionDefinition => ({
  name,
  arity: [1, 1],
  build(asked) {
    expectText(asked, asked.args[0])
    return {
      type: likeArgs(TEXT, asked.args),
      apply: strictly((text) => compute(String(text)))
    }
  }
})

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (found) => found.toLowerCase())
const upperAscii = (text: string): string => text.replace(/[a-z]+/g, (found) => found.toUpperCase())

const LIKE_RESULTS = { like: [0, 1], notLike: [1, 0] } as const

/** A missing text is unlike every pattern. */
const like = (
  name: string,
  { isExact, isNegated }: { isExact: boolean; isNegated: boolean }
): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build(asked) {
    expectText(asked, asked.args[0])
    const pattern = constantText(asked, 1)
    const [miss, hit] = isNegated ? LIKE_RESULTS.notLike : LIKE_RESULTS.like
    const test = likeTest(isExact ? pattern : pattern.toLowerCase())
    return {
      type: FLAG,
      apply(text = null) {
        if (typeof text !== 'string') {
          return text instanceof ValueFailure ? text : miss
        }
        return test(isExact ? text : text.toLowerCase()) ? hit : miss
      }
    }
  }
})

/** Joins values as texts; null is an empty text. */
const concat: FunctionDefinition = {
  name: 'concat',
  arity: [2, MANY],
  build(asked) {
    const printers = asked.args.map(({ type }) => printerOf(type))
    return {
      type: TEXT,
      grows: true,
      apply(...values) {
        let text = ''
        for (const [i, print] of printers.entries()) {
          const value = values[i] ?? null
          if (value instanceof ValueFailure) {
            return value
          }
          if (isTooLong(text.length + charactersIn(value))) {
            return tooLong(asked)
          }
          text += value === null ? '' : print(value)
        }
        return text
      }
    }
  }
}

/** Replaces the first occurrence of a text in another, or all of them. */
const replacing = (name: string, isAll: boolean): FunctionDefinition => ({
  name,
  arity: [3, 3],
  build(asked) {
    for (const arg of asked.args) {
      expectText(asked, arg)
    }
    return {
      type: likeArgs(TEXT, asked.args),
      grows: true,
      apply: strict((...values) => {
        const [text = '', from = '', to = ''] = values.map(String)
        const parts = isAll ? splitAll(text, from) : splitOnce(text, from)
        const length = text.length + (parts.length - 1) * (to.length - from.length)
        return isTooLong(length) ? tooLong(asked) : parts.join(to)
      })
    }
  }
})

/** An empty separator occurs nowhere. */
const splitAll = (text: string, separator: string): string[] =>
  separator === '' ? [text] : text.split(separator)

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Removes characters at the ends: spaces, or those of a second argument. */
const trim = (name: string, ends: { left: boolean; right: boolean }): FunctionDefinition =>
  ofTexts(name, [1, 2], TEXT, (text = '', characters = ' ') => {
    let [from, until] = [0, text.length]
    while (ends.left && from < until && characters.includes(text[from] ?? '')) {
      from += 1
    }
    while (ends.right && until > from && characters.includes(text[until - 1] ?? '')) {
      until -= 1
    }
    return text.slice(from, until)
  })

type Fold = (text: string) => string

/** Returns the place of a text in another, from 1 on; 0 if it is absent. */
const position = (
  name: string,
  { fold, measure }: { fold: Fold; measure: Measure }
): FunctionDefinition => ({
  name,
  arity: [2, 3],
  build(asked) {
    const [text, part, ...from] = asked.args
    expectText(asked, text)
    expectText(asked, part)
    expectNumbers({ name, args: from })
    return {
      type: likeArgs(COUNT, asked.args),
      apply: strict((...values) => {
        const [whole, wanted] = values.map(String)
        return find(fold(whole ?? ''), fold(wanted ?? ''), measure, Number(values[2] ?? 1))
      })
    }
  }
})

type Measure = (text: string) => number

function find(text: string, part: string, measure: Measure, from: number): number {
  const start = from > 1 ? indexOf(text, from, measure) : 0
  const at = start > text.length ? -1 : text.indexOf(part, start)
  return at < 0 ? 0 : measure(text.slice(0, at)) + 1
}

/** Returns the index at which a place from 1 on begins, after the end if there is none. */
function indexOf(text: string, place: number, measure: Measure): number {
  let [index, seen] = [0, 0]
  for (const character of text) {
    if (seen >= place - 1) {
      return index
    }
    index += character.length
    seen += measure(character)
  }
  return seen >= place - 1 ? index : text.length + 1
}

const same: Fold = (text) => text
const countPoints = (text: string): number => [...text].length

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const ASCII = /^[\0-\x7f]*$/

/** Returns the indexes of a part from 1 on; a negative offset counts from the end. */
function rangeOf(size: number, offset: number, length: number): [begin: number, end: number] {
  const begin = offset > 0 ? offset - 1 : size + offset
  return offset === 0 || length <= 0 ? [0, 0] : [Math.max(0, begin), Math.max(0, begin + length)]
}

/** Returns a part of a text by bytes. */
function substring(text: string, offset: number, length: number): string {
  if (ASCII.test(text)) {
    return text.slice(...rangeOf(text.length, offset, length))
  }
  const bytes = encoder.encode(text)
  return decoder.decode(bytes.slice(...rangeOf(bytes.length, offset, length)))
}

/** Returns a part of a text by code points. */
function substringOfPoints(text: string, offset: number, length: number): string {
  const points = [...text]
  return points.slice(...rangeOf(points.length, offset, length)).join('')
}

/** Defines a function of a text and of one or two numbers. */
const part = (
  name: string,
  arity: readonly [number, number],
  cut: (text: string, a: number, b: number) => string
): FunctionDefinition => ({
  name,
  arity,
  build(asked) {
    expectText(asked, asked.args[0])
    expectNumbers({ name, args: asked.args.slice(1) })
    const { length } = asked.args
    return {
      type: likeArgs(TEXT, asked.args),
      apply: strict((...values) => {
        const [text = '', a = 0, b = Number.POSITIVE_INFINITY] = values.slice(0, length)
        return cut(String(text), Number(a), Number(b))
      })
    }
  }
})

export const TEXTS: readonly FunctionDefinition[] = [
  ofText('lower', lowerAscii),
  ofText('upper', upperAscii),
  ofText('lowerUTF8', (text) => text.toLowerCase()),
  ofText('upperUTF8', (text) => text.toUpperCase()),
  like('like', { isExact: true, isNegated: false }),
  like('notLike', { isExact: true, isNegated: true }),
  like('ilike', { isExact: false, isNegated: false }),
  like('notILike', { isExact: false, isNegated: true }),
  concat,
  trim('trim', { left: true, right: true }),
  trim('trimLeft', { left: true, right: false }),
  trim('trimRight', { left: false, right: true }),
  ofTexts('lengthUTF8', [1, 1], COUNT, (text = '') => countPoints(text)),
  position('position', { fold: same, measure: byteLength }),
  position('positionUTF8', { fold: same, measure: countPoints }),
  position('positionCaseInsensitive', { fold: lowerAscii, measure: byteLength }),
  position('positionCaseInsensitiveUTF8', {
    fold: (text) => text.toLowerCase(),
    measure: countPoints
  }),
  ofTexts('startsWith', [2, 2], FLAG, (text = '', start = '') => (text.startsWith(start) ? 1 : 0)),
  ofTexts('endsWith', [2, 2], FLAG, (text = '', end = '') => (text.endsWith(end) ? 1 : 0)),
  part('substring', [2, 3], substring),
  part('substringUTF8', [2, 3], substringOfPoints),
  part('left', [2, 2], (text, length) => substring(text, 1, length)),
  part('right', [2, 2], (text, length) =>
    substring(text, -Math.min(length, byteLength(text)), length)
  ),
  replacing('replaceOne', false),
  replacing('replaceAll', true),
  replacing('replace', true)
]
