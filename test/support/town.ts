import { holdErasures } from './erasures.ts'
import { newProject, type TestEvent } from './project.ts'

/** Time of the first event of these tests. */
export const AT = Date.UTC(2026, 10, 1)

/** Returns an event that merges an anonymous id into a distinct id and sets properties. */
export const identify = (distinct_id: string, anon: string, $set = {}): TestEvent => ({
  event: '$identify',
  distinct_id,
  timestamp: AT,
  properties: { $anon_distinct_id: anon, $set }
})

/** Returns `n` events of one distinct id, with three names in turn, a millisecond apart. */
export const event = (distinct_id: string, n = 1): TestEvent[] =>
  Array.from({ length: n }, (_, i) => ({ event: `event ${i % 3}`, distinct_id, timestamp: AT + i }))

/** Creates a project with Ada (two ids, 22 events) and Bob (10 events). */
export async function newTown() {
  const project = await newProject()
  await project.ingest([
    ...event('anon-ada', 10),
    identify('ada', 'anon-ada', { email: 'ada@example.com', name: 'Ada' }),
    ...event('ada', 10),
    { event: '$set', distinct_id: 'ada', timestamp: AT + 5, properties: { $set: { plan: 'pro' } } },
    ...event('bob', 10)
  ])
  const { body } = await project.call('GET', 'persons?distinct_id=ada')
  const ada: { id: number; uuid: string } = body.results[0]
  return { project, ada, ...holdErasures() }
}

export type Town = Awaited<ReturnType<typeof newTown>>

/** Requests a page of the project's erasures. */
export const status = async (town: Pick<Town, 'project' | 'call'>, query = '') =>
  (await town.call(town.project, 'GET', `persons/deletion_status${query}`)).body
