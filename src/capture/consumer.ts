import * as z from 'zod'
import { type Db, findConflict, openDb, type Usage } from '../db/client.ts'
import { UnavailableError } from '../errors.ts'
import { byteLength } from '../input/json.ts'
import { log } from '../log.ts'
import { findProjects, type ProjectRow } from '../projects/store.ts'
import { type DeadMessage, giveBack, PoisonError } from '../queues/attempt.ts'
import { discard, readObject } from '../queues/waiting-objects.ts'
import type { Incoming } from './changes.ts'
import { type CaptureOutlet, enqueueEvents } from './enqueue.ts'
import { ingestPart } from './ingest.ts'
import { CaptureMessage, MAX_PART_BYTES, MAX_PART_EVENTS, SpilledMessage } from './message.ts'

/**
 * Transactions of one invocation beside the first of each project's events: together about two seconds of the database,
 * and with about 18 statements each below the 1,000 of an invocation. What is left goes back into the queue.
 */
const MAX_EXTRA_PARTS = 20

export type CaptureBindings = {
  /** Where events go that another invocation is to store. */
  outlet: CaptureOutlet
  control: D1Database
  /** The database that a project's row names. */
  database: (name: string) => D1Database
  bucket: R2Bucket
  deadQueue: Queue<DeadMessage>
}

/** A message with its events at hand, and the object they came from if they lay in the bucket. */
type Item = { message: Message; content: CaptureMessage; bytes: number; spill: string | undefined }

/**
 * Stores what capture accepted. Each message is acknowledged by itself once its events are stored; one that cannot be
 * stored is tried again later, and in the end goes to the dead-letter queue with the reason. Messages may come twice
 * and in any order. @returns what became of them
 */
export async function consumeCapture(
  batch: MessageBatch<unknown>,
  bindings: CaptureBindings,
  usage: Usage
) {
  const consumer = new Consumer(bindings, usage)
  for (const message of batch.messages) {
    await consumer.take(message)
  }
  return { messages: batch.messages.length, ...(await consumer.finish()) }
}

class Consumer {
  readonly #bindings: CaptureBindings
  readonly #usage: Usage
  /** Per project, what will be stored at once. */
  readonly #waiting = new Map<number, Item[]>()
  readonly #projects = new Map<number, { project: ProjectRow; db: Db }>()
  readonly #summary = { stored: 0, requeued: 0, retried: 0, buried: 0 }
  #extraParts = MAX_EXTRA_PARTS

  constructor(bindings: CaptureBindings, usage: Usage) {
    this.#bindings = bindings
    this.#usage = usage
  }

  async take(message: Message): Promise<void> {
    try {
      const item = await this.#load(message)
      if (!item) {
        return message.ack()
      }
      const { project_id } = item.content
      const waiting = this.#waiting.get(project_id) ?? []
      if (waiting.length > 0 && isTooMuch([...waiting, item])) {
        await this.#store(project_id)
      }
      this.#waiting.set(project_id, [...(this.#waiting.get(project_id) ?? []), item])
    } catch (error) {
      await this.#giveBack(message, error)
    }
  }

  async finish() {
    for (const projectId of [...this.#waiting.keys()]) {
      await this.#store(projectId)
    }
    return this.#summary
  }

  /** Undefined for a spilled message whose object is gone: it is removed only after its events are stored. */
  async #load(message: Message): Promise<Item | undefined> {
    const spill = SpilledMessage.safeParse(message.body).data?.spill
    const content =
      spill === undefined ? message.body : await readObject(this.#bindings.bucket, spill)
    if (content === undefined) {
      return undefined
    }
    return {
      message,
      content: parse(CaptureMessage, content),
      bytes: byteLength(JSON.stringify(content)),
      spill
    }
  }

  async #store(projectId: number): Promise<void> {
    const items = this.#waiting.get(projectId) ?? []
    this.#waiting.delete(projectId)
    try {
      await this.#ingest(projectId, items)
    } catch (error) {
      const mayBeOneMessage = !(
        error instanceof UnavailableError ||
        error instanceof PoisonError ||
        findConflict(error)
      )
      // One message's fault must not become its neighbours': each is tried by itself.
      for (const item of items) {
        if (mayBeOneMessage && items.length > 1) {
          await this.#ingest(projectId, [item]).catch((own) => this.#giveBack(item.message, own))
        } else {
          await this.#giveBack(item.message, error)
        }
      }
    }
  }

  async #ingest(projectId: number, items: Item[]): Promise<void> {
    const events = items.flatMap(({ content: { events, received_at } }) =>
      events.map((event) => ({ ...event, received_at }))
    )
    let rest = await this.#ingestPart(projectId, events)
    while (rest.length > 0 && this.#extraParts > 0) {
      this.#extraParts -= 1
      rest = await this.#ingestPart(projectId, rest)
    }
    await this.#requeue(projectId, rest)
    for (const { message } of items) {
      message.ack()
    }

    const spills = items.flatMap(({ spill }) => spill ?? [])
    await discard(this.#bindings.bucket, spills)
  }

  /** @returns the events that are left */
  async #ingestPart(projectId: number, events: Incoming[]): Promise<Incoming[]> {
    const { project, db } = await this.#project(projectId)
    const { stored, warnings, rest } = await ingestPart(db, project, events)
    this.#summary.stored += stored
    // One line for each kind: a single request may hold thousands of such events.
    for (const [type, own] of Map.groupBy(warnings, (warning) => warning.type)) {
      const event = own[0]?.event
      log('warn', 'ingestion warning', { project: projectId, type, event, count: own.length })
    }
    return rest
  }

  /** Has events stored by a later invocation, as messages of their own: no attempt of theirs has failed. */
  async #requeue(projectId: number, events: Incoming[]): Promise<void> {
    for (const [receivedAt, own] of Map.groupBy(events, ({ received_at }) => received_at)) {
      const request = { project_id: projectId, received_at: receivedAt }
      const plain = own.map(({ received_at: _, ...event }) => event)
      await enqueueEvents(this.#bindings.outlet, request, plain)
    }
    this.#summary.requeued += events.length
  }

  async #project(projectId: number): Promise<{ project: ProjectRow; db: Db }> {
    const known = this.#projects.get(projectId)
    if (known) {
      return known
    }
    const [project] = await findProjects(openDb(this.#bindings.control, this.#usage).db, [
      projectId
    ])
    if (!project) {
      throw new PoisonError(`There is no project ${projectId}.`)
    }
    const { db } = openDb(this.#bindings.database(project.database), this.#usage)
    this.#projects.set(projectId, { project, db })
    return { project, db }
  }

  async #giveBack(message: Message, error: unknown): Promise<void> {
    this.#summary[await giveBack(message, this.#bindings.deadQueue, error)] += 1
  }
}

const isTooMuch = (items: Item[]): boolean =>
  items.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_PART_BYTES ||
  items.reduce((sum, { content }) => sum + content.events.length, 0) > MAX_PART_EVENTS

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) {
    return result.data
  }
  throw new PoisonError(`Not a capture message: ${z.prettifyError(result.error).slice(0, 300)}`)
}
