import type { OpenProject } from '../access/open.ts'
import { log } from '../log.ts'
import { consumeByProject, type Loaded } from '../queues/consume.ts'
import type { DeadMessage } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { readMessage } from '../queues/message.ts'
import { readSpill } from '../queues/spill.ts'
import { readObject } from '../queues/waiting-objects.ts'
import { type Incoming, incomingOf, sizeOf } from './changes.ts'
import { type CaptureOutlet, enqueueEvents } from './enqueue.ts'
import { ingestPart } from './ingest.ts'
import {
  CaptureMessage,
  MAX_PART_BYTES,
  MAX_PART_EVENTS,
  type QueuedEvents,
  SpilledMessage
} from './message.ts'
import { joinLogOf } from './suppressed-ids.ts'

/**
 * Extra transactions per invocation, after the first of each `store` call. 20 take about two
 * seconds; at about 18 statements each, they stay below D1's 1,000 queries per invocation. The
 * remaining events go back to the queue.
 */
const MAX_EXTRA_PARTS = 20

type CaptureBindings = Pick<Env, 'DB' | 'BUCKET' | 'SPILL'> & {
  CAPTURE_QUEUE: Queue<QueuedEvents>
  DEAD_QUEUE: Queue<DeadMessage>
}

/**
 * Stores accepted events, each exactly once, even if messages arrive repeatedly and in any order.
 * @returns counts of messages and events by outcome
 */
export async function consumeCapture(batch: MessageBatch, invocation: Invocation<CaptureBindings>) {
  const { CAPTURE_QUEUE: queue, BUCKET: bucket, SPILL } = invocation.env
  const storer = new Storer({ queue, bucket, spillsAll: readSpill(SPILL) }, invocation.clock)
  const outcome = await consumeByProject(batch, invocation, {
    queue,
    load: ({ body }) => load(bucket, body),
    isTooMuch,
    store: (open, contents) => storer.store(open, contents)
  })
  return { ...outcome, ...storer.summary }
}

/**
 * Reads a message, from R2 if it was spilled. A missing object leaves nothing to store: either its
 * events are stored already, or capture deleted it and refused the request because queueing seemed
 * to fail, although the message was queued.
 */
async function load(bucket: R2Bucket, body: unknown): Promise<Loaded<Incoming[]>> {
  const spill = SpilledMessage.safeParse(body).data?.spill
  const content = spill === undefined ? body : await readObject(bucket, spill)
  if (content === undefined) {
    return {}
  }
  const message = readMessage(CaptureMessage, 'a capture message', content)
  return {
    work: { projectId: message.project_id, content: incomingOf(message) },
    waiting: spill
  }
}

function isTooMuch(contents: Incoming[][]): boolean {
  const events = contents.flat()
  const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0)
  return bytes > MAX_PART_BYTES || events.length > MAX_PART_EVENTS
}

/** Stores events within the limits of one invocation and requeues the rest. */
class Storer {
  readonly summary = { stored: 0, requeued: 0 }
  readonly #outlet: CaptureOutlet
  readonly #clock: () => Date
  #extraParts = MAX_EXTRA_PARTS

  /** @param outlet receives the events left for a later invocation */
  constructor(outlet: CaptureOutlet, clock: () => Date) {
    this.#outlet = outlet
    this.#clock = clock
  }

  async store(open: OpenProject, contents: Incoming[][]): Promise<void> {
    let rest = await this.#storePart(open, contents.flat())
    while (rest.length > 0 && this.#extraParts > 0) {
      this.#extraParts -= 1
      rest = await this.#storePart(open, rest)
    }
    await this.#requeue(open.project.id, rest)
  }

  /** Stores as many events as fit in one transaction. @returns the remaining events */
  async #storePart({ project, db }: OpenProject, events: Incoming[]): Promise<Incoming[]> {
    const { stored, warnings, rest } = await ingestPart(
      db,
      project,
      events,
      joinLogOf({ db, bucket: this.#outlet.bucket, projectId: project.id, clock: this.#clock })
    )
    this.summary.stored += stored
    // One line per warning type: one request can cause thousands of warnings.
    for (const [type, sameType] of Map.groupBy(warnings, (warning) => warning.type)) {
      const event = sameType[0]?.event
      log('warn', 'ingestion warning', { project: project.id, type, event, count: sameType.length })
    }
    return rest
  }

  /**
   * Queues events as new messages: a retry of their message would count as a failed attempt,
   * although the events have not failed.
   */
  async #requeue(projectId: number, events: Incoming[]): Promise<void> {
    for (const [receivedAt, sameTime] of Map.groupBy(events, ({ received_at }) => received_at)) {
      const request = { project_id: projectId, received_at: receivedAt }
      const plain = sameTime.map(({ received_at: _, bytes: __, ...event }) => event)
      await enqueueEvents(this.#outlet, request, plain)
    }
    this.summary.requeued += events.length
  }
}
