/** Returns a random text of `a` and `b`; the same seed gives the same text. */
export function randomText(length: number, seed = 0): string {
  let state = seed
  const letters = Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state < 2 ** 30 ? 'a' : 'b'
  })
  return letters.join('')
}

/** Parses JSON. A malformed text gives undefined, which fits no schema. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns a version 7 UUID that ends with a number: `00000000-0000-7000-8000-000000000042`. */
export const numberedUuid = (n: number): string =>
  `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
