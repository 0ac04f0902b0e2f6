import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** How deep random tests go: see `readDepth` in vitest.config.ts. */
    depth: { share: number; seed: number }
  }
}

/** Share of the full number of runs of random tests: 0.1 or 1. */
export const { share, seed } = inject('depth')

/** Returns fast-check's parameters for a random test with `runs` runs at full depth. */
export const deep = (runs: number) => ({ numRuns: Math.ceil(runs * share) })
