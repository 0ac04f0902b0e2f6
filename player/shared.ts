import type { LoadPart } from './read.ts'

/** Returns what loads a shared recording from its address, without a key. */
export const loadShared =
  (address: string): LoadPart =>
  async (key) => {
    const query = key === undefined ? '' : `?blob_key=${key}`
    const answer = await fetch(`${address}/snapshots${query}`, {
      headers: { Accept: 'application/json' }
    })
    if (!answer.ok) {
      throw new Error(
        answer.status === 404
          ? 'This recording is no longer shared.'
          : 'This recording cannot be loaded now. Try again later.'
      )
    }
    return answer.text()
  }
