import { byteLength } from '../../input/json.ts'
import { StatementError } from '../statement-error.ts'
import {
  arrayOf,
  COUNT,
  FLAG,
  NULL,
  nullable,
  type SqlValue,
  TEXT,
  ValueFailure
} from '../types.ts'
import { printerOf } from './conversions.ts'
import {
  type AskedCall,
  constantText,
  expectNumbers,
  expectText,
  type FunctionDefinition,
  likeArgs,
  MANY,
  strict,
  strictly,
  strictPair,
  wrongType
} from './definition.ts'
import { likeTest } from './like.ts'

/** Defines a function of texts. */
const ofTexts = (
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

const ofText = (name: string, compute: (text: string) => SqlValue): FunctionDefinition => ({
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
  build({ args }) {
    const printers = args.map(({ type }) => printerOf(type))
    return {
      type: TEXT,
      apply(...values) {
        let text = ''
        for (const [i, print] of printers.entries()) {
          const value = values[i] ?? null
          if (value instanceof ValueFailure) {
            return value
          }
          text += value === null ? '' : print(value)
        }
        return text
      }
    }
  }
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

/** The length of a text, or the number of an array's items. */
const lengthOf: FunctionDefinition = {
  name: 'length',
  arity: [1, 1],
  build(asked) {
    const [arg] = asked.args
    if (arg?.type.base !== 'array') {
      expectText(asked, arg)
    }
    return {
      type: likeArgs(COUNT, asked.args),
      apply: strictly((value) => (Array.isArray(value) ? value.length : byteLength(String(value))))
    }
  }
}

const emptiness = (name: string, ofEmpty: 0 | 1): FunctionDefinition => ({
  name,
  arity: [1, 1],
  build(asked) {
    const [arg] = asked.args
    if (arg?.type.base !== 'array') {
      expectText(asked, arg)
    }
    return {
      type: likeArgs(FLAG, asked.args),
      apply: strictly((value) => (Object(value).length === 0 ? ofEmpty : 1 - ofEmpty))
    }
  }
})

type Fold = (text: string) => string

/** Returns the place of a text in another, from 1 on; 0 if it is absent. */
const position = (
  name: string,
  { fold, measure }: { fold: Fold; measure: (before: string) => number }
): FunctionDefinition =>
  ofTexts(name, [2, 2], COUNT, (text = '', part = '') => {
    const at = fold(text).indexOf(fold(part))
    return at < 0 ? 0 : measure(text.slice(0, at)) + 1
  })

const same: Fold = (text) => text
const countPoints = (text: string): number => [...text].length

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const ASCII = /^[\0-\x7f]*$/

/** Returns a part of a text by bytes from 1 on; a negative offset counts from the end. */
function substring(text: string, offset: number, length: number): string {
  const bytes = ASCII.test(text) ? text : encoder.encode(text)
  const begin = offset > 0 ? offset - 1 : Math.max(0, bytes.length + offset)
  if (offset === 0 || length <= 0) {
    return ''
  }
  const end = Math.min(bytes.length, begin + length)
  return typeof bytes === 'string'
    ? bytes.slice(begin, end)
    : decoder.decode(bytes.slice(begin, end))
}

/** @param rangeOf the offset and the length for the numbers among the arguments */
const part = (
  name: string,
  arity: readonly [number, number],
  rangeOf: (text: string, a: number, b: number) => [offset: number, length: number]
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
        return substring(String(text), ...rangeOf(String(text), Number(a), Number(b)))
      })
    }
  }
})

const split = (name: string): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build(asked) {
    const separator = constantText(asked, 0)
    expectText(asked, asked.args[1])
    return {
      type: arrayOf(TEXT),
      apply: (_, text = null) => {
        if (text instanceof ValueFailure) {
          return text
        }
        return text === null ? [] : String(text).split(separator)
      }
    }
  }
})

/** Whether an array has a value. */
const has: FunctionDefinition = {
  name: 'has',
  arity: [2, 2],
  build(asked) {
    const [list] = asked.args
    if (list && list.type.base !== 'array') {
      throw wrongType(asked, list, 'an array')
    }
    return {
      type: FLAG,
      apply: strictPair((values, value) =>
        Array.isArray(values) && values.includes(value) ? 1 : 0
      )
    }
  }
}

/** `x[1]`, `(1, 'a').2` */
const element: FunctionDefinition = {
  name: 'arrayElement',
  arity: [2, 2],
  build(asked) {
    const [list, index] = asked.args
    const { type } = list ?? { type: NULL }
    if (!list || (type.base !== 'array' && type.base !== 'tuple')) {
      throw wrongType(asked, list ?? asked.args[0] ?? missing(asked), 'an array')
    }
    expectNumbers({ name: 'An index', args: index ? [index] : [] })
    const place = index?.kind === 'constant' ? Number(index.value) : undefined
    if (place === 0) {
      throw new StatementError(index?.at ?? asked.at, 'Indexes begin at 1.')
    }
    const item =
      type.base === 'tuple' ? (type.items?.[(place ?? 1) - 1] ?? NULL) : (type.items?.[0] ?? NULL)
    const otherwise: SqlValue = item.base === 'text' && !item.isNullable ? '' : null
    return {
      type: nullable(item, otherwise === null),
      apply: strictPair((values, at) => {
        const i = Number(at)
        const found = Array.isArray(values) ? values.at(i > 0 ? i - 1 : i) : undefined
        return found ?? otherwise
      })
    }
  }
}

const missing = ({ at, name }: AskedCall): never => {
  throw new StatementError(at, `${name} takes 2 arguments.`)
}

/** `https://user@www.example.com:8080/a?b#c` → `www.example.com` */
const domainOf = (url: string): string =>
  /^(?:[a-z][a-z\d+.-]*:)?\/\/(?:[^/?#@]*@)?([^/?#:]*)/i.exec(url)?.[1] ?? ''

const pathOf = (url: string): string =>
  /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? ''

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
  lengthOf,
  ofTexts('lengthUTF8', [1, 1], COUNT, (text = '') => countPoints(text)),
  emptiness('empty', 1),
  emptiness('notEmpty', 0),
  position('position', { fold: same, measure: byteLength }),
  position('positionUTF8', { fold: same, measure: countPoints }),
  position('positionCaseInsensitive', { fold: lowerAscii, measure: byteLength }),
  ofTexts('startsWith', [2, 2], FLAG, (text = '', start = '') => (text.startsWith(start) ? 1 : 0)),
  ofTexts('endsWith', [2, 2], FLAG, (text = '', end = '') => (text.endsWith(end) ? 1 : 0)),
  part('substring', [2, 3], (_, offset, length) => [offset, length]),
  part('left', [2, 2], (_, length) => [1, length]),
  part('right', [2, 2], (text, length) => [-Math.min(length, byteLength(text)) || 0, length]),
  ofTexts('replaceOne', [3, 3], TEXT, (text = '', from = '', to = '') =>
    text.replace(from, () => to)
  ),
  ofTexts('replaceAll', [3, 3], TEXT, (text = '', from = '', to = '') =>
    from === '' ? text : text.replaceAll(from, () => to)
  ),
  ofTexts('replace', [3, 3], TEXT, (text = '', from = '', to = '') =>
    from === '' ? text : text.replaceAll(from, () => to)
  ),
  split('splitByChar'),
  split('splitByString'),
  has,
  element,
  ofText('domain', domainOf),
  ofText('domainWithoutWWW', (url) => domainOf(url).replace(/^www\./, '')),
  ofText('path', pathOf),
  ofText('cutQueryString', (url) => url.replace(/\?[^#]*/, '')),
  ofText('cutQueryStringAndFragment', (url) => url.replace(/[?#].*/s, ''))
]
