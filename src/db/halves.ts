import { isTooBig } from './client.ts'

/** Reads the rows of some items; in halves if D1 finds one answer too large. @throws if it finds that of a single item too large */
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
