import { depthOf, type Json } from '../../input/json.ts'
import { MAX_DEPTH } from '../../input/scan.ts'
import type { Expression, FunctionCall } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import {
  arrayOf,
  COUNT,
  FLAG,
  FLOAT,
  int,
  type SqlType,
  type SqlValue,
  TEXT,
  ValueFailure
} from '../types.ts'
import { expectText, type FunctionDefinition, likeArgs, MANY } from './definition.ts'

/*
 * Functions of JSON and a path of names and indexes from 1 on. A member that is missing or has
 * another type is 0 or an empty text, not null. The JSON is a text, or the column of a property,
 * whose values were parsed.
 */

const isColumn = (arg: Expression | undefined): boolean =>
  arg?.kind === 'column' && arg.field.kind === 'property'

function parse(text: string): Json | undefined {
  try {
    const json: Json = JSON.parse(text)
    return depthOf(json) > MAX_DEPTH ? undefined : json
  } catch {
    return undefined
  }
}

/** Returns the member at a path; an index below 0 counts from the end. */
function memberOf(json: Json | undefined, path: readonly SqlValue[]): Json | undefined {
  let found = json
  for (const step of path) {
    if (typeof found !== 'object' || found === null) {
      return undefined
    }
    if (typeof step === 'number') {
      // An index also counts the members of an object, as in ClickHouse.
      found = Object.values(found).at(step > 0 ? step - 1 : step)
    } else {
      const name = String(step)
      found = !Array.isArray(found) && Object.hasOwn(found, name) ? found[name] : undefined
    }
  }
  return found
}

const ofJson = (
  name: string,
  type: SqlType,
  read: (json: Json | undefined) => SqlValue
): FunctionDefinition => ({
  name,
  arity: [1, MANY],
  build(asked) {
    const [source, ...path] = asked.args
    expectText(asked, source)
    for (const step of path) {
      if (step.type.base !== 'int') {
        expectText(asked, step)
      }
      if (step.kind === 'constant' && step.value === 0) {
        throw new StatementError(step.at, 'Indexes begin at 1.')
      }
    }
    const isParsed = isColumn(source)
    const apply: FunctionCall['apply'] = (value = null, ...steps) => {
      if (value instanceof ValueFailure || (value === null && !isParsed)) {
        return value
      }
      // The cast is safe: the column of a property has JSON values.
      const json = isParsed ? (value as Json) : parse(String(value))
      return read(memberOf(json, steps.slice(0, path.length)))
    }
    return { type: isParsed ? type : likeArgs(type, asked.args.slice(0, 1)), apply }
  }
})

const textOf = (json: Json | undefined): string => (json === undefined ? '' : JSON.stringify(json))

const numberOf = (json: Json | undefined): number => (typeof json === 'number' ? json : 0)

function sizeOf(json: Json | undefined): number {
  return typeof json === 'object' && json !== null ? Object.keys(json).length : 0
}

export const JSONS: readonly FunctionDefinition[] = [
  ofJson('JSONExtractString', TEXT, (json) => (typeof json === 'string' ? json : '')),
  ofJson('JSONExtractFloat', FLOAT, numberOf),
  ofJson('JSONExtractInt', int('Int64'), (json) => Math.trunc(numberOf(json))),
  ofJson('JSONExtractBool', FLAG, (json) => (json === true ? 1 : 0)),
  ofJson('JSONExtractRaw', TEXT, textOf),
  ofJson('JSONExtractArrayRaw', arrayOf(TEXT), (json) =>
    Array.isArray(json) ? json.map(textOf) : []
  ),
  ofJson('JSONHas', FLAG, (json) => (json === undefined ? 0 : 1)),
  ofJson('JSONLength', COUNT, sizeOf)
]
