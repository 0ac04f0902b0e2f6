import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** How deep tests go: see `readDepth` in vitest.config.ts. */
    depth: { share: number; times: number; seed: number }
  }
}

/** Share of their full number of runs that random tests make, 0.1 or 1, and the seed of these runs. */
export const { share, times, seed } = inject('depth')

/**
 * Returns fast-check's parameters for a random test with `runs` runs at full depth. The variable
 * TIMES multiplies them.
 */
export const deep = (runs: number) => ({ numRuns: Math.ceil(runs * share * times) })

/**
 * Distance between the calls to the database at which a test interrupts the product, in one attempt after the other. At full
 * depth, it interrupts each call.
 */
export const CALL_STEP = share === 1 ? 1 : 3
