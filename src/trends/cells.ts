import type { Counted } from './maths/accumulator.ts'

/**
 * Cells of a part that are kept in memory; a cell is the number of a group at a point. If there are
 * more, only the totals of the groups are kept: they rank the values, and the events of the shown
 * values are then counted again.
 */
const MAX_CELLS = 400_000

/**
 * The numbers of a part: the total of each group, and the cells, unless they were too many to keep.
 */
export type Cells = { cells: Counted[] | undefined; totals: Map<number, number> }

/** Collects the numbers of a part. */
export async function collect(
  numbers: AsyncIterable<Iterable<Counted>> | Iterable<Iterable<Counted>>
): Promise<Cells> {
  const totals = new Map<number, number>()
  let cells: Counted[] | undefined = []
  for await (const some of numbers) {
    for (const cell of some) {
      totals.set(cell.group, (totals.get(cell.group) ?? 0) + cell.result)
      cells?.push(cell)
      if (cells && cells.length > MAX_CELLS) {
        cells = undefined
      }
    }
  }
  return { cells, totals }
}
