import type { Usage } from '../db/client.ts'

/** What one invocation works with: the bindings it needs, what its databases have cost so far, and the clock. */
export type Invocation<Bindings = Env> = { env: Bindings; usage: Usage; clock: () => Date }

/** Queries after which a consumer begins nothing new; D1 allows 1,000 per invocation, the rest finishes what is begun. */
const MAX_QUERIES = 800

/** Whether the invocation has made so many queries that it should leave the rest to another one. */
export const isSpent = ({ queries }: Usage, maxQueries = MAX_QUERIES): boolean =>
  queries >= maxQueries
