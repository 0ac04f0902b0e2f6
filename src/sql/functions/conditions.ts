import { StatementError } from '../statement-error.ts'
import { defaultOf, FLAG, isTrue, NULL, nullable, ValueFailure } from '../types.ts'
import { compareValues } from './compare.ts'
import {
  commonTypeOf,
  expectCondition,
  type FunctionDefinition,
  likeArgs,
  MANY,
  strictly
} from './definition.ts'

/** `if(a, b, c)`, `multiIf(a, b, c, d, e)`: a null condition does not hold. */
const choose = (name: string, most: number): FunctionDefinition => ({
  name,
  arity: [3, most],
  build({ at, args }) {
    if (args.length % 2 === 0) {
      throw new StatementError(at, `${name} takes an odd number of arguments: the last is ELSE.`)
    }
    const last = args.length - 1
    const branches = args.filter((_, i) => i % 2 === 1 || i === last)
    for (let i = 0; i < last; i += 2) {
      const condition = args[i]
      if (condition) {
        expectCondition(name, condition)
      }
    }
    return {
      type: commonTypeOf(name, branches),
      apply(...values) {
        for (let i = 0; i < last; i += 2) {
          const condition = values[i]
          if (condition instanceof ValueFailure) {
            return condition
          }
          if (isTrue(condition)) {
            return values[i + 1] ?? null
          }
        }
        return values[last] ?? null
      }
    }
  }
})

/** AND and OR with three values; a value that decides the result hides a failure. */
const join = (name: 'and' | 'or'): FunctionDefinition => ({
  name,
  arity: [1, MANY],
  build({ args }) {
    for (const arg of args) {
      expectCondition(name.toUpperCase(), arg)
    }
    const decisive = name === 'or'
    return {
      type: likeArgs(FLAG, args),
      apply(...values) {
        const own = values.slice(0, args.length)
        if (own.some((value) => typeof value === 'number' && isTrue(value) === decisive)) {
          return Number(decisive)
        }
        const failure = own.find((value) => value instanceof ValueFailure)
        return failure ?? (own.includes(null) ? null : Number(!decisive))
      }
    }
  }
})

const not: FunctionDefinition = {
  name: 'not',
  arity: [1, 1],
  build({ args }) {
    for (const arg of args) {
      expectCondition('NOT', arg)
    }
    return { type: likeArgs(FLAG, args), apply: strictly((value) => (isTrue(value) ? 0 : 1)) }
  }
}

const testNull = (name: string, ofNull: 0 | 1): FunctionDefinition => ({
  name,
  arity: [1, 1],
  build: () => ({
    type: FLAG,
    apply: (value = null) => {
      if (value instanceof ValueFailure) {
        return value
      }
      return value === null ? ofNull : 1 - ofNull
    }
  })
})

/** Returns the first argument that is not null. */
const coalesce = (name: string, arity: readonly [number, number]): FunctionDefinition => ({
  name,
  arity,
  build({ args }) {
    const isNullable = args.every(({ type }) => type.isNullable)
    return {
      type: { ...commonTypeOf(name, args), isNullable },
      apply: (...values) => values.slice(0, args.length).find((value) => value !== null) ?? null
    }
  }
})

const nullIf: FunctionDefinition = {
  name: 'nullIf',
  arity: [2, 2],
  build({ args }) {
    const [first] = args
    const { base } = commonTypeOf('nullIf', args)
    return {
      type: nullable(first?.type ?? NULL),
      apply(a = null, b = null) {
        if (a === null || a instanceof ValueFailure) {
          return a
        }
        if (b instanceof ValueFailure) {
          return b
        }
        return b !== null && compareValues(base, a, b) === 0 ? null : a
      }
    }
  }
}

const assumeNotNull: FunctionDefinition = {
  name: 'assumeNotNull',
  arity: [1, 1],
  build({ args: [arg] }) {
    const type = { ...(arg?.type ?? NULL), isNullable: false }
    return { type, apply: (value = null) => value ?? defaultOf(type) }
  }
}

/** `least(a, b)`, `greatest(a, b)` */
const pick = (name: string, sign: 1 | -1): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build({ args }) {
    const type = commonTypeOf(name, args)
    return {
      type,
      apply(a = null, b = null) {
        if (a === null || a instanceof ValueFailure) {
          return a
        }
        if (b === null || b instanceof ValueFailure) {
          return b
        }
        return sign * compareValues(type.base, a, b) <= 0 ? a : b
      }
    }
  }
})

export const CONDITIONS: readonly FunctionDefinition[] = [
  choose('if', 3),
  choose('multiIf', MANY),
  join('and'),
  join('or'),
  not,
  testNull('isNull', 1),
  testNull('isNotNull', 0),
  coalesce('coalesce', [1, MANY]),
  coalesce('ifNull', [2, 2]),
  nullIf,
  assumeNotNull,
  pick('least', 1),
  pick('greatest', -1)
]
