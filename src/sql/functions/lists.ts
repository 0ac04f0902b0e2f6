import { byteLength } from '../../input/json.ts'
import { constantOf, type Expression, makeConstant } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import {
  arrayOf,
  COUNT,
  FLAG,
  isSome,
  NULL,
  nullable,
  type SqlValue,
  TEXT,
  ValueFailure
} from '../types.ts'
import { comparing } from './comparisons.ts'
import {
  type AskedCall,
  commonTypeOf,
  constantText,
  expectNumbers,
  expectText,
  type FunctionDefinition,
  likeArgs,
  strictly,
  strictPair,
  wrongType
} from './definition.ts'

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

/** Returns a list that has to be constant. @throws StatementError */
function constantList(asked: AskedCall, place: number) {
  const arg = asked.args[place]
  const values = arg && constantOf(arg)
  const [item] = arg?.type.items ?? []
  if (!arg || !item || !Array.isArray(values)) {
    throw new StatementError(
      arg?.at ?? asked.at,
      `${asked.name} takes a list of constants as argument ${place + 1}: ['a', 'b'].`
    )
  }
  return values.map((value: SqlValue) => makeConstant(arg.at, value, item))
}

const constantValue = (item: Expression | undefined) => (item && constantOf(item)) ?? null

/**
 * `transform(x, ['a', 'b'], ['A', 'B'], 'other')`: without the last argument, other values stay as
 * they are.
 */
const transform: FunctionDefinition = {
  name: 'transform',
  arity: [3, 4],
  build(asked) {
    const [x, , , otherwise] = asked.args
    const from = constantList(asked, 1)
    const to = constantList(asked, 2)
    if (!x || from.length !== to.length) {
      throw new StatementError(asked.at, 'transform takes two lists of the same length.')
    }
    const keys = from.map((item) => {
      const value = constantValue(item)
      const { right } = comparing(x, item, asked.setting)
      return isSome(value) ? right(value) : null
    })
    const results = new Map<SqlValue, SqlValue>(keys.map((key, i) => [key, constantValue(to[i])]))
    const isKept = !otherwise
    return {
      type: commonTypeOf('transform', [...to, otherwise ?? x]),
      apply(value = null, _, __, other = null) {
        const result = results.get(value)
        const rest = isKept ? value : other
        return result === undefined ? rest : result
      }
    }
  }
}

export const LISTS: readonly FunctionDefinition[] = [
  lengthOf,
  emptiness('empty', 1),
  emptiness('notEmpty', 0),
  split('splitByChar'),
  split('splitByString'),
  has,
  element,
  transform
]
