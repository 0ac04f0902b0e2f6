import { RE2JS } from 're2js'
import type { PropertyFilter } from '../../properties/filter.ts'
import { charactersOfUnit, compilePattern, MAX_PATTERN } from '../../properties/pattern.ts'
import { sizeOf } from '../../properties/size.ts'
import { quote } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import { FLAG, nullable, TEXT } from '../types.ts'
import {
  type AskedCall,
  constantText,
  expectText,
  type FunctionDefinition,
  isTooLong,
  likeArgs,
  strictly,
  tooLong
} from './definition.ts'

/*
 * Regular expressions in the syntax of RE2, which take linear time. They are constants, and their
 * work counts against the limits of property filters.
 */

/** Characters that are replaced per unit of `Work` and instruction. */
const REPLACED = 50

/** Returns a pattern whose dot matches line breaks. @throws StatementError */
function readPattern(asked: AskedCall, flags: string): string {
  const text = constantText(asked, 1)
  const pattern = `(?${flags})${text}`
  if (!compilePattern(pattern)) {
    throw new StatementError(
      asked.args[1]?.at ?? asked.at,
      `${quote(text.slice(0, 60))} is not a regular expression of RE2, or has more than ${MAX_PATTERN} characters.`
    )
  }
  return pattern
}

/** The filter that has the same work. */
const filterOf = ({ args }: AskedCall, pattern: string): PropertyFilter => ({
  type: 'event',
  key: args[0]?.label ?? '',
  operator: 'regex',
  values: [pattern]
})

const searching = (
  name: string,
  { flags, isNegated }: { flags: string; isNegated: boolean }
): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build(asked) {
    expectText(asked, asked.args[0])
    const pattern = readPattern(asked, flags)
    const filter = filterOf(asked, pattern)
    const { work } = asked.setting
    const each = charactersOfUnit(pattern)
    return {
      type: FLAG,
      apply(text = null) {
        if (typeof text !== 'string') {
          // A pattern is not null, so a missing text does not match it.
          return text === null ? Number(isNegated) : text
        }
        work.plan(1 + text.length / each, filter, 1)
        return work.searchFor(pattern).matches(text) === isNegated ? 0 : 1
      }
    }
  }
})

/** `\1` stands for the first group, `\0` for the whole match. */
const fill = (to: string, groups: readonly (string | null | undefined)[]): string =>
  to.replace(/\\(\d)/g, (_, digit) => groups[Number(digit)] ?? '').replaceAll('\\\\', '\\')

const replacing = (name: string, isAll: boolean): FunctionDefinition => ({
  name,
  arity: [3, 3],
  build(asked) {
    expectText(asked, asked.args[0])
    const pattern = readPattern(asked, 's')
    const to = constantText(asked, 2)
    const filter = filterOf(asked, pattern)
    const compiled = RE2JS.compile(pattern)
    const { work } = asked.setting
    const cost = sizeOf(pattern) / REPLACED
    const references = to.match(/\\\d/g)?.length ?? 0
    return {
      type: likeArgs(TEXT, asked.args),
      grows: true,
      apply: strictly((given) => {
        const text = String(given)
        work.plan(1 + text.length * cost, filter, 1)
        const matcher = compiled.matcher(text)
        let replaced = ''
        let end = 0
        while (matcher.find()) {
          const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) =>
            matcher.group(i)
          )
          replaced += text.slice(end, matcher.start())
          const longest = matcher.end() - matcher.start()
          if (isTooLong(replaced.length + to.length + references * longest)) {
            return tooLong(asked)
          }
          replaced += fill(to, groups)
          end = matcher.end()
          if (!isAll) {
            break
          }
        }
        return replaced + text.slice(end)
      })
    }
  }
})

/** The first group of the first match, or the whole match without groups; '' without a match. */
const extract: FunctionDefinition = {
  name: 'extract',
  arity: [2, 2],
  build(asked) {
    expectText(asked, asked.args[0])
    const pattern = readPattern(asked, 's')
    const filter = filterOf(asked, pattern)
    const compiled = RE2JS.compile(pattern)
    const { work } = asked.setting
    const cost = sizeOf(pattern) / REPLACED
    return {
      type: nullable(TEXT, asked.args[0]?.type.isNullable),
      apply: strictly((given) => {
        const text = String(given)
        work.plan(1 + text.length * cost, filter, 1)
        const matcher = compiled.matcher(text)
        return matcher.find() ? (matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? '') : ''
      })
    }
  }
}

export const REGEXPS: readonly FunctionDefinition[] = [
  searching('match', { flags: 's', isNegated: false }),
  searching('notMatch', { flags: 's', isNegated: true }),
  searching('imatch', { flags: 'is', isNegated: false }),
  searching('notIMatch', { flags: 'is', isNegated: true }),
  replacing('replaceRegexpOne', false),
  replacing('replaceRegexpAll', true),
  extract
]
