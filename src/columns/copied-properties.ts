import { isObject, isSame, type Json } from '../input/json.ts'
import type { Column } from './column.ts'

/** The properties of rows as a copy has them. */
export class CopiedProperties {
  readonly #columns: ReadonlyMap<string, Column>
  readonly #cold: ReadonlySet<string> | undefined

  /**
   * @param columns by the name of the property
   * @param cold the names of the properties without a column; undefined if they are not all listed
   */
  constructor(columns: ReadonlyMap<string, Column>, cold: readonly string[] | undefined) {
    this.#columns = columns
    this.#cold = cold && new Set(cold)
  }

  /**
   * Compares a row of the columns with the properties of the row that it copies.
   * @param json an object; null stands for one without members
   * @returns `event:` and the name of a property that differs, or `cold` if one is not listed
   */
  findDifference(row: number, json: string | null): string | undefined {
    const stored: Json = JSON.parse(json ?? 'null')
    const members = isObject(stored) ? stored : {}
    for (const [name, { codes, values }] of this.#columns) {
      const copied = values[codes[row] ?? 0] ?? null
      if (!isSame(copied, Object.hasOwn(members, name) ? (members[name] ?? null) : null)) {
        return `event:${name}`
      }
    }
    const cold = this.#cold
    const isUnlisted = (name: string) => !this.#columns.has(name) && !cold?.has(name)
    return cold && Object.keys(members).some(isUnlisted) ? 'cold' : undefined
  }
}
