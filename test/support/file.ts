/** The test file that runs: since when, ms UTC. */
export const file = { began: 0 }
