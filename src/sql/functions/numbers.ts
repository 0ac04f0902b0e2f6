import { FLOAT, int, isNumeric, type SqlType, type SqlValue, ValueFailure } from '../types.ts'
import {
  type AskedCall,
  constantInteger,
  expectNumbers,
  type FunctionDefinition,
  likeArgs,
  strictly,
  strictPair
} from './definition.ts'

const INT64 = int('Int64')

/** The type of a sum, difference or product: whole if both numbers are. */
const wholeType = ({ args }: AskedCall): SqlType =>
  args.every(({ type }) => type.base !== 'float') ? INT64 : FLOAT

/** A whole number that JavaScript cannot hold exactly fails instead of being rounded. */
const exact = (at: number, isWhole: boolean, value: number): SqlValue =>
  isWhole && Number.isFinite(value) && !Number.isSafeInteger(value)
    ? new ValueFailure(at, 'The result is a whole number above 2^53: use toFloat.')
    : value

const arithmetic = (
  name: string,
  compute: (a: number, b: number) => number
): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build(asked) {
    expectNumbers(asked)
    const { at, args } = asked
    const type = wholeType(asked)
    const isWhole = type.base === 'int'
    return {
      type: likeArgs(type, args),
      apply: strictPair((a, b) => exact(at, isWhole, compute(Number(a), Number(b))))
    }
  }
})

const divide: FunctionDefinition = {
  name: 'divide',
  arity: [2, 2],
  build(asked) {
    expectNumbers(asked)
    return {
      type: likeArgs(FLOAT, asked.args),
      apply: strictPair((a, b) => Number(a) / Number(b))
    }
  }
}

/** Division that truncates towards zero. Whole numbers cannot be divided by zero. */
const whole = (
  name: string,
  compute: (a: number, b: number) => number,
  isAlwaysWhole: boolean
): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build(asked) {
    expectNumbers(asked)
    const { at, args } = asked
    const type = isAlwaysWhole ? INT64 : wholeType(asked)
    return {
      type: likeArgs(type, args),
      apply: strictPair((a, b) =>
        Number(b) === 0 && type.base === 'int'
          ? new ValueFailure(at, `Division by zero in ${name}: use nullIf(x, 0), or /.`)
          : // Adding 0 makes 0 of -0.
            compute(Number(a), Number(b)) + 0
      )
    }
  }
})

const negate: FunctionDefinition = {
  name: 'negate',
  arity: [1, 1],
  build(asked) {
    expectNumbers(asked)
    return {
      type: likeArgs(wholeType(asked), asked.args),
      apply: strictly((value) => 0 - Number(value))
    }
  }
}

/** Rounds half to even: 2.5 → 2, 3.5 → 4. */
function roundToEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) {
    return Math.round(value)
  }
  return floor % 2 === 0 ? floor : floor + 1
}

/** Most digits that a number can be rounded to. */
const MAX_DIGITS = 15

/** `round(x, n)`: to n digits after the point, or before it if n is negative. */
const rounding = (name: string, round: (value: number) => number): FunctionDefinition => ({
  name,
  arity: [1, 2],
  build(asked) {
    const [arg] = asked.args
    expectNumbers({ name, args: asked.args.slice(0, 1) })
    const digits = Math.min(MAX_DIGITS, Math.max(-MAX_DIGITS, constantInteger(asked, 1, 0)))
    const isWhole = arg?.type.base !== 'float'
    const factor = 10 ** Math.abs(digits)
    return {
      type: likeArgs(arg && isWhole && isNumeric(arg.type) ? arg.type : FLOAT, asked.args),
      apply: strictly((given) => {
        const value = Number(given)
        if (!Number.isFinite(value) || (isWhole && digits >= 0)) {
          return value
        }
        return (digits >= 0 ? round(value * factor) / factor : round(value / factor) * factor) + 0
      })
    }
  }
})

const unary = (
  name: string,
  compute: (value: number) => number,
  keepsWhole = false
): FunctionDefinition => ({
  name,
  arity: [1, 1],
  build(asked) {
    expectNumbers(asked)
    const type = keepsWhole && wholeType(asked).base === 'int' ? INT64 : FLOAT
    return {
      type: likeArgs(type, asked.args),
      apply: strictly((value) => compute(Number(value)))
    }
  }
})

const power = (name: string): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build(asked) {
    expectNumbers(asked)
    return {
      type: likeArgs(FLOAT, asked.args),
      apply: strictPair((a, b) => Number(a) ** Number(b))
    }
  }
})

export const NUMBERS: readonly FunctionDefinition[] = [
  arithmetic('plus', (a, b) => a + b),
  arithmetic('minus', (a, b) => a - b),
  arithmetic('multiply', (a, b) => a * b),
  divide,
  whole('intDiv', (a, b) => Math.trunc(a / b), true),
  whole('modulo', (a, b) => a % b, false),
  negate,
  rounding('round', roundToEven),
  rounding('floor', Math.floor),
  rounding('ceil', Math.ceil),
  rounding('trunc', Math.trunc),
  unary('abs', Math.abs, true),
  unary('sign', Math.sign, true),
  unary('sqrt', Math.sqrt),
  unary('exp', Math.exp),
  unary('ln', Math.log),
  unary('log', Math.log),
  unary('log2', Math.log2),
  unary('log10', Math.log10),
  power('pow'),
  power('power')
]
