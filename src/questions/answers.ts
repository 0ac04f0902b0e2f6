/*
 * What computes and draws the answers to questions, and finds the actors in them. `loadAnswers` loads
 * it, when a question is first asked.
 */

export { tableOfChart } from '../charts/numbers.ts'
export { computeSql } from '../sql/answer.ts'
export { computeActors, findPersonIds } from './actors/answer.ts'
export { findActorsOfPoint } from './actors/trend-point.ts'
export { endRange } from './drawing.ts'
export { checkEvents, computeEvents } from './events/answer.ts'
export { drawFunnelAnswer, earlierFunnel } from './funnels/chart.ts'
export { computeFunnels, listFunnelActors } from './funnels/funnel.ts'
export { drawLifecycleAnswer } from './lifecycle/chart.ts'
export { computeLifecycle, listLifecycle } from './lifecycle/lifecycle.ts'
export { drawList } from './list-chart.ts'
export { drawRetentionAnswer } from './retention/chart.ts'
export { computeRetention, listRetained } from './retention/retention.ts'
export { drawStatement } from './sql/chart.ts'
export { checkShown } from './sql/check.ts'
export { drawStickinessAnswer } from './stickiness/chart.ts'
export { computeStickiness, listStickiness } from './stickiness/stickiness.ts'
export { computeTrends } from './trends.ts'
export { compareWeb, drawWebOverview, drawWebTable } from './web/chart.ts'
export { computeWebOverview } from './web/overview.ts'
export { computeWebTable, toWebRows } from './web/stats-table.ts'
