import { isTooBig } from './client.ts'

/**
 * Reads the rows of some items. If the answer is too large for D1, reads each half of the items on
 * its own.
 * @throws the error of `read`, also if the answer for a single item is too large
 */
export async function inHalves<Item, Row>(
  items: readonly Item[],
  read: (some: readonly Item[]) => Promise<Row[]>
): Promise<Row[]> {
  try {
    return await read(items)
  } catch (error) {
    if (!isTooBig(error) || items.length < 2) {
      throw error
    }
    const middle = Math.ceil(items.length / 2)
    return [
      ...(await inHalves(items.slice(0, middle), read)),
      ...(await inHalves(items.slice(middle), read))
    ]
  }
}
