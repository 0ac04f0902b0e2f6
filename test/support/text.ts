/** A text of `a` and `b` at random; the same for the same seed. */
export function randomText(length: number, seed = 0): string {
  let state = seed
  const letters = Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state < 2 ** 30 ? 'a' : 'b'
  })
  return letters.join('')
}
