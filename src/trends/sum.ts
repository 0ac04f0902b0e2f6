/**
 * A sum that adds up its rounding errors separately (Neumaier), which makes the total almost exact:
 * 0.1 + 0.2 + 0.3 + 0.3 is 0.9.
 */
export class CompensatedSum {
  #sum = 0
  #lost = 0

  add(value: number): void {
    const sum = this.#sum + value
    this.#lost +=
      Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum
    this.#sum = sum
  }

  get total(): number {
    return Number.isFinite(this.#sum) ? this.#sum + this.#lost : this.#sum
  }
}

/** Adds up numbers almost exactly. */
export function sum(data: readonly number[]): number {
  const all = new CompensatedSum()
  for (const value of data) {
    all.add(value)
  }
  return all.total
}
