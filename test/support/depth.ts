import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** How deep random tests go: see `readDepth` in vitest.config.ts. */
    depth: { share: number; seed: number }
  }
}

/** The share of the full number of runs that random tests make: 0.1 or 1. */
export const { share, seed } = inject('depth')

/** Parameters of fast-check for a random test that makes `runs` runs at full depth. */
export const deep = (runs: number) => ({ numRuns: Math.ceil(runs * share), seed })
