import type { request, TestProject } from './project.ts'

/** Fields of a subscription delivered every day at 09:00 UTC. */
export const DAILY = {
  target_type: 'email',
  target_value: 'ada@example.com',
  frequency: 'daily',
  start_date: '2026-11-20T09:00:00Z'
}

/** Creates a daily subscription; `fields` replace or extend the defaults. */
export const create = async (project: TestProject, fields: object = {}) =>
  (await project.send('POST', 'subscriptions/', { ...DAILY, ...fields })).body

/** Returns status, code and attr of a refusal. */
export const refusal = ({ status, body }: Awaited<ReturnType<typeof request>>) => [
  status,
  body.code,
  body.attr
]
