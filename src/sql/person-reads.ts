import { columnsOf, type Field } from './expression.ts'
import type { StatementPlan } from './plan.ts'

/** Whether a statement reads more of persons than their ids. */
export function readsPersons({ selects, members }: StatementPlan): boolean {
  const subqueries = [
    ...members.map(({ plan }) => plan),
    ...selects.flatMap(({ source }) => (source.kind === 'rows' ? [source.plan] : []))
  ]
  return (
    subqueries.some(readsPersons) ||
    selects.some(
      ({ source, where, reads }) =>
        (source.kind === 'table' && source.table === 'persons') ||
        columnsOf([...(where ? [where] : []), ...reads]).some(({ field }) => isOfPerson(field))
    )
  )
}

const isOfPerson = (field: Field): boolean =>
  field.kind === 'person_created_at' ||
  ((field.kind === 'properties' || field.kind === 'property') && field.of === 'person')
