import type { Field } from '../expression.ts'
import { type Kinds, type Schema, type TableName, toColumn } from '../schema.ts'
import { ACTOR, BOOL, exactTime, IDENTITY, type SqlType } from '../types.ts'
import { propertyColumn } from './members.ts'

const COLUMNS = ['id', 'created_at', 'properties', 'is_identified']

/** The table `persons`: a row for each person, as the person is now. */
export function personsSchema(
  alias: string | undefined,
  zone: string,
  kinds: Kinds
): Schema & { table: TableName } {
  const single = new Map<string, [Field, SqlType]>([
    ['id', [{ kind: 'actor' }, ACTOR]],
    ['created_at', [{ kind: 'timestamp' }, exactTime(zone)]],
    ['is_identified', [{ kind: 'is_identified' }, BOOL]],
    ['pdi.distinct_id', [{ kind: 'identity' }, IDENTITY]]
  ])
  return {
    table: 'persons',
    names: [alias ?? 'persons'],
    columns: [...COLUMNS, 'properties.x', 'pdi.distinct_id'],
    all: COLUMNS,
    time: 'created_at',
    find(steps, label) {
      const [first, ...rest] = steps
      const at = first?.at ?? 0
      if (first?.name === 'properties') {
        return propertyColumn({ of: 'person', steps: rest, at, label }, kinds)
      }
      const [field, type] = single.get(steps.map(({ name }) => name).join('.')) ?? []
      return field && type && toColumn(at, field, type, label)
    }
  }
}
