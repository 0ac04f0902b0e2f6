import type { Aggregate, Expression } from '../expression.ts'
import { expectNumbers, wrongType } from '../functions/definition.ts'
import { StatementError } from '../statement-error.ts'
import {
  arrayOf,
  type Base,
  COUNT,
  defaultOf,
  FLOAT,
  int,
  isNumeric,
  NULL,
  nullable,
  type SqlType,
  type SqlValue,
  ValueFailure
} from '../types.ts'
import type { GroupAccumulator, Kept } from './accumulator.ts'
import { CountDistinct, Frequent, OnlyDistinct } from './distinct.ts'
import { Extreme, Least } from './extremes.ts'
import { DistinctList, Listed } from './lists.ts'
import { Quantiles } from './quantiles.ts'
import { Spread } from './spread.ts'
import { Count, Mean, Sum } from './sums.ts'

type AskedAggregate = Pick<Aggregate, 'name' | 'parameters' | 'isDistinct' | 'args'> & {
  at: number
}

/** An aggregate: its arguments, the type of its result, and what computes it. */
export type AggregateDefinition = {
  name: string
  /** The fewest and the most arguments, without the condition of `If`. */
  arity: readonly [number, number]
  /** The fewest and the most parameters, as in `quantile(0.9)(x)`. */
  parameters?: readonly [number, number]
  /** Whether the time of a row is a further argument: it decides which row is the first. */
  isTimed?: boolean
  /** Whether it needs the texts of ids: the UUIDs of persons, and distinct ids. */
  takesTexts?: boolean
  /** @throws StatementError for arguments of the wrong type */
  typeOf: (asked: AskedAggregate) => SqlType
  accumulator: (asked: AskedAggregate, type: SqlType, kept: Kept) => GroupAccumulator
}

const baseOf = ([arg]: readonly Expression[]): Base => arg?.type.base ?? 'int'

/** The result of a group without a value: null if values can be null, or the type's default. */
const ofNone = (type: SqlType): SqlValue => (type.isNullable ? null : defaultOf(type))

const count = (name: string): AggregateDefinition => ({
  name,
  arity: [0, 1],
  typeOf: () => COUNT,
  accumulator: () => new Count()
})

const distinct = (name: string): AggregateDefinition => ({
  name,
  arity: [1, 20],
  typeOf: () => COUNT,
  accumulator: ({ args }, _, kept) =>
    new CountDistinct(args.length > 1 ? 'tuple' : baseOf(args), kept)
})

const sum: AggregateDefinition = {
  name: 'sum',
  arity: [1, 1],
  typeOf(asked) {
    expectNumbers(asked)
    const type = asked.args[0]?.type ?? NULL
    const isSigned = type.base === 'int' && !type.name.startsWith('U')
    const whole = int(isSigned ? 'Int64' : 'UInt64')
    return nullable(type.base === 'float' ? FLOAT : whole, type.isNullable)
  },
  accumulator: ({ at }, type) =>
    new Sum(
      ofNone(type),
      type.base === 'int'
        ? new ValueFailure(at, 'The sum is a whole number above 2^53: use sum(toFloat(x)).')
        : undefined
    )
}

/** An empty mean is NaN, or null if numbers can be null. */
const noMean = (type: SqlType): SqlValue => (type.isNullable ? null : Number.NaN)

const avg: AggregateDefinition = {
  name: 'avg',
  arity: [1, 1],
  typeOf(asked) {
    expectNumbers(asked)
    return nullable(FLOAT, asked.args[0]?.type.isNullable)
  },
  accumulator: (_, type) => new Mean(noMean(type))
}

/** @throws StatementError for a person's or an event's id, whose order means nothing */
function typeOfArg({ args: [arg], name, at }: AskedAggregate): SqlType {
  const type = arg?.type ?? NULL
  if (type.base === 'actor' || type.base === 'identity') {
    throw new StatementError(
      arg?.at ?? at,
      `${name}(${arg?.label ?? ''}) is not supported: use ${name}(toString(${arg?.label ?? ''})).`
    )
  }
  return type
}

const extreme = (name: string, sign: 1 | -1): AggregateDefinition => ({
  name,
  arity: [1, 1],
  typeOf: typeOfArg,
  accumulator: ({ args }, type, kept) =>
    new Least(baseOf(args), sign, { ofNone: ofNone(type), kept })
})

const argExtreme = (name: string, sign: 1 | -1): AggregateDefinition => ({
  name,
  arity: [2, 2],
  isTimed: true,
  typeOf({ args: [arg] }) {
    return arg?.type ?? NULL
  },
  accumulator: ({ args }, type, kept) =>
    new Extreme(
      args.map((arg) => arg.type.base),
      [sign, 1],
      { ofNone: ofNone(type), kept }
    )
})

const any = (name: string, sign: 1 | -1): AggregateDefinition => ({
  name,
  arity: [1, 1],
  isTimed: true,
  typeOf: ({ args: [arg] }) => arg?.type ?? NULL,
  accumulator: ({ args }, type, kept) =>
    new Extreme(
      args.map((arg) => arg.type.base),
      [sign],
      { ofNone: ofNone(type), kept }
    )
})

/** @throws StatementError unless the argument is a number or a time */
function quantileType(asked: AskedAggregate): SqlType {
  const [arg] = asked.args
  const type = arg?.type ?? NULL
  if (arg && !isNumeric(type) && type.base !== 'null' && type.base !== 'time') {
    throw wrongType(asked, arg, 'a number')
  }
  return type.base === 'time' ? type : nullable(FLOAT, type.isNullable)
}

const noQuantile = (type: SqlType): SqlValue =>
  type.isNullable || type.base !== 'time' ? noMean(type) : 0

const quantile = (
  name: string,
  levelsOf: (asked: AskedAggregate) => readonly number[],
  parameters?: readonly [number, number]
): AggregateDefinition => ({
  name,
  arity: [1, 1],
  ...(parameters && { parameters }),
  typeOf(asked) {
    for (const level of levelsOf(asked)) {
      if (!(level >= 0 && level <= 1)) {
        throw new StatementError(asked.at, `${name} takes a level from 0 to 1: ${name}(0.9)(x).`)
      }
    }
    const type = quantileType(asked)
    return name === 'quantiles' ? arrayOf({ ...type, isNullable: false }) : type
  },
  accumulator: (asked, type, kept) =>
    new Quantiles(levelsOf(asked), {
      isList: type.base === 'array',
      ofNone: type.base === 'array' ? Number.NaN : noQuantile(type),
      kept
    })
})

/** Values that topK lists at most. */
const MAX_TOP = 1_000

const topK: AggregateDefinition = {
  name: 'topK',
  takesTexts: true,
  arity: [1, 1],
  parameters: [1, 1],
  typeOf(asked) {
    const [limit = 0] = asked.parameters
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_TOP) {
      throw new StatementError(asked.at, `topK takes a number from 1 to ${MAX_TOP}: topK(5)(x).`)
    }
    return arrayOf({ ...typeOfArg(asked), isNullable: false })
  },
  accumulator: ({ args, parameters: [limit = 0] }, _, kept) =>
    new Frequent(baseOf(args), limit, kept)
}

const groupArray: AggregateDefinition = {
  name: 'groupArray',
  takesTexts: true,
  arity: [1, 1],
  parameters: [0, 1],
  isTimed: true,
  typeOf: listType,
  accumulator: ({ args, parameters: [limit], isDistinct }, _, kept) =>
    new (isDistinct ? DistinctList : Listed)(baseOf(args), limit, kept)
}

const groupUniqArray: AggregateDefinition = {
  name: 'groupUniqArray',
  takesTexts: true,
  arity: [1, 1],
  parameters: [0, 1],
  typeOf: listType,
  accumulator: ({ args, parameters: [limit] }, _, kept) =>
    new DistinctList(baseOf(args), limit, kept)
}

/** @throws StatementError for a parameter that is no number of values */
function listType(asked: AskedAggregate): SqlType {
  const [limit = 1] = asked.parameters
  if (!Number.isInteger(limit) || limit < 1) {
    throw new StatementError(
      asked.at,
      `${asked.name} takes the number of values to keep: ${asked.name}(5)(x).`
    )
  }
  return arrayOf({ ...typeOfArg(asked), isNullable: false })
}

/** @param less what the number of values is lowered by: 1 for a sample, 0 for a population */
const spread = (name: string, less: 0 | 1, isRoot: boolean): AggregateDefinition => ({
  ...avg,
  name,
  accumulator: (_, type) => new Spread(noMean(type), { less, isRoot })
})

const ALL: readonly AggregateDefinition[] = [
  count('count'),
  distinct('uniq'),
  distinct('uniqExact'),
  distinct('countDistinct'),
  sum,
  avg,
  extreme('min', 1),
  extreme('max', -1),
  any('any', 1),
  any('anyLast', -1),
  argExtreme('argMin', 1),
  argExtreme('argMax', -1),
  quantile('quantile', ({ parameters }) => parameters, [1, 1]),
  quantile('quantiles', ({ parameters }) => parameters, [1, 20]),
  quantile('median', () => [0.5]),
  topK,
  groupArray,
  groupUniqArray,
  spread('stddevSamp', 1, true),
  spread('stddevPop', 0, true),
  spread('varSamp', 1, false),
  spread('varPop', 0, false)
]

const AGGREGATES: ReadonlyMap<string, AggregateDefinition> = new Map(
  ALL.map((definition) => [definition.name.toLowerCase(), definition])
)

/** The names of all aggregates; each also exists with `If` at its end. */
export const AGGREGATE_NAMES: readonly string[] = ALL.flatMap(({ name }) => [name, `${name}If`])

/**
 * Finds an aggregate by its name, in any case. `isIf` tells that its last argument is a condition.
 */
export function findAggregate(
  name: string
): { definition: AggregateDefinition; isIf: boolean } | undefined {
  const lower = name.toLowerCase()
  const definition = AGGREGATES.get(lower)
  if (definition) {
    return { definition, isIf: false }
  }
  const base = lower.endsWith('if') ? AGGREGATES.get(lower.slice(0, -2)) : undefined
  return base && { definition: base, isIf: true }
}

/** Returns what computes an aggregate. */
export function accumulatorOf(
  { type, at, ...aggregate }: Expression & Aggregate,
  kept: Kept
): GroupAccumulator {
  const found = findAggregate(aggregate.name)
  if (!found) {
    throw new Error(`${aggregate.name} is no aggregate.`)
  }
  const inner = found.definition.accumulator({ ...aggregate, at }, type, kept)
  const [arg] = aggregate.args
  const isDistinct = inner instanceof CountDistinct || inner instanceof DistinctList
  return aggregate.isDistinct && arg && !isDistinct
    ? new OnlyDistinct(arg.type.base, inner, kept)
    : inner
}
