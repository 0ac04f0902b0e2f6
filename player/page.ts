/** Finds an element of the player. */
export function find<T extends Element = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (!found) {
    throw new Error(`The page has no #${id}.`)
  }
  return found as unknown as T
}
