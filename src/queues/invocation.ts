import type { Usage } from '../db/client.ts'

/**
 * The context of one invocation: the bindings that it needs, the cost of its database queries so
 * far, and the clock.
 */
export type Invocation<Bindings = Env> = { env: Bindings; usage: Usage; clock: () => Date }

/**
 * Queries after which a consumer begins no new work. D1 allows 1,000 per invocation; the rest is
 * for finishing work in progress.
 */
export const MAX_QUERIES = 800

/**
 * Whether the invocation, or the work that has a share of its queries, has made so many queries
 * that it should leave the rest to another invocation.
 */
export const isSpent = ({ queries, share }: Usage, maxQueries = MAX_QUERIES): boolean =>
  queries >= Math.min(share, maxQueries)
