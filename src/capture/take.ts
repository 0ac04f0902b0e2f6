import { EARLIEST } from '../calendar/dates.ts'
import type { Dropped } from '../input/dropped.ts'
import { log } from '../log.ts'
import { readSpill } from '../queues/spill.ts'
import { type Changed, warnOfChanges } from './changed-values.ts'
import { findSalt } from './cookieless/salts.ts'
import { addressOf, anonymizeAll } from './cookieless/visitor.ts'
import { enqueueEvents } from './enqueue.ts'
import type { CapturedEvent } from './event.ts'
import { addOrigins } from './origin.ts'
import type { CaptureProject } from './project-cache.ts'

/**
 * A capture request. It arrived at `now`, ms UTC; `changed` has the paths in its JSON to what
 * parsing could not keep as it was sent, such as a number that is too long. An import comes from a
 * machine that says nothing about the visitors.
 */
export type Arrival = {
  project: CaptureProject
  request: Request
  now: number
  changed: Changed
  isImport: boolean
}

/**
 * Enqueues the events of one request and returns each of them, accepted or dropped, in the same
 * order. Accepted events are durable when this returns. Logs the changes in `changed`, and
 * implausible times, as warnings.
 * @throws unavailable, and then no event is accepted
 */
export async function takeEvents(
  env: Env,
  { project, request, now, changed, isImport }: Arrival,
  read: readonly (CapturedEvent | Dropped)[]
): Promise<(CapturedEvent | Dropped)[]> {
  warnOfChanges(project.id, read, changed)
  const described = isImport ? read : await addOrigins(read, request, project.settings.location)
  const visit = {
    projectId: project.id,
    timezone: project.timezone,
    address: addressOf(request.headers),
    userAgent: request.headers.get('User-Agent') ?? ''
  }
  const outcomes = await anonymizeAll(described, visit, (day) => findSalt(env.BUCKET, day, now))
  const accepted = outcomes.filter((outcome): outcome is CapturedEvent => 'event' in outcome)
  warnOfTimes(project.id, accepted)
  if (accepted.length > 0) {
    const { CAPTURE_QUEUE: queue, BUCKET: bucket, SPILL } = env
    await enqueueEvents(
      { queue, bucket, spillsAll: readSpill(SPILL) },
      { project_id: project.id, received_at: now },
      accepted
    )
  }
  return outcomes
}

function warnOfTimes(project: number, events: readonly CapturedEvent[]): void {
  const early = events.filter(({ timestamp }) => timestamp < EARLIEST)
  const [first] = early
  if (first) {
    const count = early.length
    log('warn', 'ingestion warning', {
      project,
      type: 'implausible_time',
      event: first.uuid,
      count
    })
  }
}
