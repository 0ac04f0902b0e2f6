import { AppError } from '../errors.ts'
import { isSame } from '../input/json.ts'
import { FormulaError, readFormula } from './formula.ts'
import type { TrendsNode } from './node-fields.ts'
import { MAX_FORMULAS, type TrendQuery } from './query.ts'

type Written = { at: string; text: string; name?: string | null | undefined }

/**
 * Reads the formulas of a node with this number of series.
 * @throws query_too_large; invalid_input, attr the field
 */
export function readFormulas(
  { trendsFilter }: Pick<TrendsNode, 'trendsFilter'>,
  series: number
): TrendQuery['formulas'] {
  const written = listFormulas(trendsFilter)
  if (written.length > MAX_FORMULAS) {
    throw new AppError(
      'query_too_large',
      `A trend has at most ${MAX_FORMULAS} formulas.`,
      'formulas'
    )
  }
  return written.map(({ at, text, name }) => {
    try {
      return { at, text, name: name || undefined, calculate: readFormula(text, series) }
    } catch (error) {
      if (error instanceof FormulaError) {
        throw new AppError('invalid_input', error.message, at)
      }
      throw error
    }
  })
}

/**
 * Lists the formulas of the newest of the three fields that has any.
 * @throws invalid_input, attr an older field, if its formulas differ
 */
function listFormulas({ formulaNodes, formulas, formula }: TrendsNode['trendsFilter']): Written[] {
  const at = (...path: (string | number)[]) => ['trendsFilter', ...path].join('__')
  // The newest field first.
  const given: { field: string; list: Written[] }[] = [
    {
      field: 'formulaNodes',
      list: (formulaNodes ?? []).map((node, i) => ({
        at: at('formulaNodes', i, 'formula'),
        text: node.formula,
        name: node.custom_name
      }))
    },
    {
      field: 'formulas',
      list: (formulas ?? []).map((text, i) => ({ at: at('formulas', i), text }))
    },
    { field: 'formula', list: formula ? [{ at: at('formula'), text: formula }] : [] }
  ].filter(({ list }) => list.length > 0)
  const [newest, ...older] = given
  const textsOf = (list: Written[] = []) => list.map(({ text }) => text)
  const other = older.find(({ list }) => !isSame(textsOf(list), textsOf(newest?.list)))
  if (other) {
    throw new AppError(
      'invalid_input',
      `\`${other.field}\` and \`${newest?.field}\` have different formulas: send one of them.`,
      at(other.field)
    )
  }
  return newest?.list ?? []
}
