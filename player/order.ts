/** An addition of a node, as rrweb records it: below `parentId`, before `nextId`. */
export type Add = {
  parentId: number
  nextId?: number | null
  previousId?: number | null
  /** The id of a parent for a node whose `parentId` is not on the page. */
  elseId?: number
  /** Whether the node takes the place of the node that has its id. */
  replaces?: boolean
  node: { id: number; type: number; isShadow?: boolean }
}

/**
 * Orders additions so that each comes after the additions of its parent and of the node before which it belongs. rrweb loses
 * nodes if it has to wait for many others.
 */
export function inOrder(adds: Add[]): Add[] {
  const byId = new Map(adds.map((add) => [add.node.id, add]))
  const ordered = new Set<Add>()
  const begun = new Set<Add>()
  for (const first of adds) {
    // Not recursive: a table of many rows is a chain as long as the table.
    const chain = [first]
    while (chain.length > 0) {
      const add = chain[chain.length - 1] as Add
      const before = [add.parentId, add.nextId]
        .map((id) => byId.get(id ?? Number.NaN))
        .find((needed) => needed && !begun.has(needed))
      begun.add(add)
      if (before) {
        chain.push(before)
      } else {
        ordered.add(add)
        chain.pop()
      }
    }
  }
  return [...ordered]
}
