/** Whether gzipped bytes are intact; gzip ends with a CRC-32 and the length. */
export async function isIntactGzip(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    const lines = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
    for await (const _ of lines) {
      // Reading to the end checks the content.
    }
    return true
  } catch {
    return false
  }
}

/** Calls `act` for each item, for at most `atOnce` items at a time. */
export async function forEach<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<void>
): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) {
    await Promise.all(items.slice(at, at + atOnce).map(act))
  }
}
