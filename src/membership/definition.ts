import { type FilterGroup, isGroup, isOpposite, type PropertyFilter } from '../properties/filter.ts'

/** How often an actor did something. */
export type Times = { operator: 'gte' | 'lte' | 'gt' | 'lt' | 'exact'; count: number }

/** Events of a name that match filters, in a span of time, ms UTC; `until` is not in it. */
export type Behavior = {
  kind: 'behavior'
  event: string
  filters: FilterGroup
  since: number
  until: number
  times: Times
  /** Whether the first of these events of all time has to lie in the span. */
  isFirst: boolean
}

/** Who is in a cohort, as its filters say; `cohort` names another cohort. */
export type Definition =
  | { kind: 'group'; type: 'AND' | 'OR'; nodes: Definition[] }
  | { kind: 'not'; node: Definition }
  | { kind: 'person'; filter: PropertyFilter }
  | { kind: 'cohort'; id: string }
  | Behavior

/** A definition in which the definitions of other cohorts stand for their ids. */
export type Inlined =
  | { kind: 'group'; type: 'AND' | 'OR'; nodes: Inlined[] }
  | { kind: 'not'; node: Inlined }
  | { kind: 'person'; filter: PropertyFilter }
  | { kind: 'members'; id: number }
  | Behavior

/** Returns the definition of who fulfils filters on persons. */
export const definitionOf = ({ type, values }: FilterGroup): Definition => ({
  kind: 'group',
  type,
  nodes: values.map((node) => (isGroup(node) ? definitionOf(node) : toLeaf(node)))
})

/** Returns the definition of who fulfils a filter by a property of persons or by a cohort. */
export function toLeaf(filter: PropertyFilter): Definition {
  if (filter.type !== 'cohort') {
    return { kind: 'person', filter }
  }
  const membership: Definition = { kind: 'cohort', id: filter.key }
  return isOpposite(filter.operator) ? { kind: 'not', node: membership } : membership
}

/** Returns the ids of the cohorts that a definition names. */
export function cohortsIn(definition: Definition): string[] {
  switch (definition.kind) {
    case 'group':
      return definition.nodes.flatMap(cohortsIn)
    case 'not':
      return cohortsIn(definition.node)
    case 'cohort':
      return [definition.id]
    default:
      return []
  }
}

/** Lists the innermost nodes of a definition. */
export function leavesIn(node: Inlined): Inlined[] {
  if (node.kind === 'group') {
    return node.nodes.flatMap(leavesIn)
  }
  return node.kind === 'not' ? leavesIn(node.node) : [node]
}

/** Whether persons and members of static cohorts tell everything: no event has to be read. */
export const isStored = (node: Inlined): boolean =>
  leavesIn(node).every(({ kind }) => kind !== 'behavior')

/** Whether an actor who did something this often fulfils a condition. */
export function isFulfilled({ operator, count }: Times, actual: number): boolean {
  switch (operator) {
    case 'gte':
      return actual >= count
    case 'gt':
      return actual > count
    case 'lte':
      return actual <= count
    case 'lt':
      return actual < count
    default:
      return actual === count
  }
}
