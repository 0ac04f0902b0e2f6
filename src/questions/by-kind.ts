import { AppError } from '../errors.ts'
import { isObject, type JsonObject } from '../input/json.ts'
import { show } from '../input/show.ts'

/**
 * Returns a node, and what a table has for its `kind`.
 * @throws required and invalid_choice, attr the path of the node or of its `kind`
 */
export function findByKind<Entry>(
  table: Readonly<Record<string, Entry>>,
  node: unknown,
  pathOf: (nodePath: string) => string
): { node: JsonObject; entry: Entry } {
  if (node === undefined || node === null) {
    throw new AppError('required', 'This field is required.', pathOf(''))
  }
  if (!isObject(node)) {
    throw new AppError('invalid_input', 'Expected an object.', pathOf(''))
  }
  const { kind } = node
  if (kind === undefined) {
    throw new AppError('required', 'This field is required.', pathOf('kind'))
  }
  const entry = typeof kind === 'string' && Object.hasOwn(table, kind) ? table[kind] : undefined
  if (!entry) {
    throw new AppError(
      'invalid_choice',
      `${show(kind)} is not a valid choice. Choices: ${Object.keys(table).join(', ')}.`,
      pathOf('kind')
    )
  }
  return { node, entry }
}
