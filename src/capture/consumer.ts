import { byteLength } from '../input/json.ts'
import { log } from '../log.ts'
import type { OpenProject } from '../projects/open.ts'
import { consumeByProject, type Loaded } from '../queues/consume.ts'
import type { DeadMessage } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { readMessage } from '../queues/message.ts'
import { readObject } from '../queues/waiting-objects.ts'
import type { Incoming } from './changes.ts'
import { type CaptureOutlet, enqueueEvents, readSpill } from './enqueue.ts'
import { ingestPart } from './ingest.ts'
import {
  CaptureMessage,
  MAX_PART_BYTES,
  MAX_PART_EVENTS,
  type QueueMessage,
  SpilledMessage
} from './message.ts'

/**
 * Transactions of one invocation beside the first of each project's events: together about two seconds of the database,
 * and with about 18 statements each below the 1,000 of an invocation. Events beyond them go back into the queue.
 */
const MAX_EXTRA_PARTS = 20

type CaptureBindings = Pick<Env, 'DB' | 'BUCKET' | 'SPILL'> & {
  CAPTURE_QUEUE: Queue<QueueMessage>
  DEAD_QUEUE: Queue<DeadMessage>
}

/** The content of a message, and its size as JSON. */
type Sized = { message: CaptureMessage; bytes: number }

/**
 * Stores what capture accepted: messages may come twice and in any order, their events are stored once.
 * @returns what became of the messages and events
 */
export async function consumeCapture(batch: MessageBatch, invocation: Invocation<CaptureBindings>) {
  const { CAPTURE_QUEUE: queue, BUCKET: bucket, SPILL } = invocation.env
  const storer = new Storer({ queue, bucket, spillsAll: readSpill(SPILL) })
  const outcome = await consumeByProject(batch, invocation, {
    load: ({ body }) => load(bucket, body),
    isTooMuch,
    store: (open, contents) => storer.store(open, contents)
  })
  return { ...outcome, ...storer.summary }
}

/** Reads a message. An object that is gone leaves nothing to store: it is removed only after its events are stored. */
async function load(bucket: R2Bucket, body: unknown): Promise<Loaded<Sized>> {
  const spill = SpilledMessage.safeParse(body).data?.spill
  const content = spill === undefined ? body : await readObject(bucket, spill)
  if (content === undefined) {
    return {}
  }
  const message = readMessage(CaptureMessage, 'a capture message', content)
  const bytes = byteLength(JSON.stringify(content))
  return { work: { projectId: message.project_id, content: { message, bytes } }, waiting: spill }
}

const isTooMuch = (contents: Sized[]): boolean =>
  contents.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_PART_BYTES ||
  contents.reduce((sum, { message }) => sum + message.events.length, 0) > MAX_PART_EVENTS

/** Stores events, as many as one invocation may. */
class Storer {
  readonly summary = { stored: 0, requeued: 0 }
  readonly #outlet: CaptureOutlet
  #extraParts = MAX_EXTRA_PARTS

  /** @param outlet takes the events that another invocation is to store */
  constructor(outlet: CaptureOutlet) {
    this.#outlet = outlet
  }

  async store(open: OpenProject, contents: Sized[]): Promise<void> {
    const events = contents.flatMap(({ message }) =>
      message.events.map((event) => ({ ...event, received_at: message.received_at }))
    )
    let rest = await this.#storePart(open, events)
    while (rest.length > 0 && this.#extraParts > 0) {
      this.#extraParts -= 1
      rest = await this.#storePart(open, rest)
    }
    await this.#requeue(open.project.id, rest)
  }

  /** Stores one transaction's worth. @returns the events that are left */
  async #storePart({ project, db }: OpenProject, events: Incoming[]): Promise<Incoming[]> {
    const { stored, warnings, rest } = await ingestPart(db, project, events)
    this.summary.stored += stored
    // One line for each kind: a single request may hold thousands of such events.
    for (const [type, own] of Map.groupBy(warnings, (warning) => warning.type)) {
      const event = own[0]?.event
      log('warn', 'ingestion warning', { project: project.id, type, event, count: own.length })
    }
    return rest
  }

  /** Has a later invocation store events, as messages of their own: none of their attempts has failed. */
  async #requeue(projectId: number, events: Incoming[]): Promise<void> {
    for (const [receivedAt, own] of Map.groupBy(events, ({ received_at }) => received_at)) {
      const request = { project_id: projectId, received_at: receivedAt }
      const plain = own.map(({ received_at: _, ...event }) => event)
      await enqueueEvents(this.#outlet, request, plain)
    }
    this.summary.requeued += events.length
  }
}
