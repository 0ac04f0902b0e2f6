import { type Deployment, HeldError } from '../access/hold.ts'
import type { OpenProject } from '../access/open.ts'
import { UnavailableError } from '../errors.ts'
import { type DeadMessage, mayBeOneMessage, type Reaction, retryOrDeadLetter } from './failure.ts'
import { type Invocation, isSpent } from './invocation.ts'
import { openProjectOf } from './message.ts'
import { discard } from './waiting-objects.ts'

/** The number of messages in a batch, and the outcomes of the failed messages. */
export type BatchOutcome = {
  messages: number
  retried: number
  dropped: number
  dead_lettered: number
}

const newOutcome = (batch: MessageBatch): BatchOutcome => ({
  messages: batch.messages.length,
  retried: 0,
  dropped: 0,
  dead_lettered: 0
})

/**
 * Handles messages one after the other. Acknowledges a message when `handle` has finished, and
 * leaves failures to `react`.
 */
export async function consumeEach(
  batch: MessageBatch,
  handle: (message: Message) => Promise<void>,
  react: Reaction
): Promise<BatchOutcome> {
  const outcome = newOutcome(batch)
  for (const message of batch.messages) {
    try {
      await handle(message)
      message.ack()
    } catch (error) {
      outcome[await react(message, error)] += 1
    }
  }
  return outcome
}

/**
 * A loaded message. `work` is absent when nothing is left to store. `waiting` is the key of the R2
 * object from which the sweep would resend the message; the object is deleted once the message is
 * acknowledged.
 */
export type Loaded<Content> = {
  work?: { projectId: number; content: Content }
  waiting?: string | undefined
}

/** A queue in which messages can wait. */
export type WaitingQueue = Pick<Queue, 'sendBatch'>

export type Steps<Content> = {
  /** The queue of these messages. Messages of a project that is held back wait there. */
  queue: WaitingQueue
  load(message: Message): Promise<Loaded<Content>>
  isTooMuch(contents: Content[]): boolean
  store(open: OpenProject, contents: Content[]): Promise<void>
}

type Bindings = Deployment & Pick<Env, 'BUCKET'> & { DEAD_QUEUE: Queue<DeadMessage> }

/**
 * Stores the messages of a batch together, project by project, and acknowledges each once it is
 * stored. If messages fail together, each is tried alone, so that one faulty message does not hold
 * up the others. A failed message is delivered again later, and finally becomes a dead letter; so
 * is a message for which the invocation has no queries left. A message of a project that is held
 * back waits, for as long as it takes.
 */
export async function consumeByProject<Content>(
  batch: MessageBatch,
  invocation: Invocation<Bindings>,
  steps: Steps<Content>
): Promise<BatchOutcome & { held: number }> {
  const consumer = new ProjectConsumer(batch, invocation, steps)
  for (const message of batch.messages) {
    await consumer.take(message)
  }
  return consumer.finish()
}

/** Pause before a message of a project that is held back is looked at again, seconds. */
const HELD_SECONDS = 30

/**
 * Sends a message to its queue anew. A retry would count as a failed attempt, and the message would
 * become a dead letter although it has not failed.
 */
async function putBack(message: Message, queue: WaitingQueue): Promise<void> {
  try {
    await queue.sendBatch([{ body: message.body }], { delaySeconds: HELD_SECONDS })
    message.ack()
  } catch {
    message.retry({ delaySeconds: HELD_SECONDS })
  }
}

type Item<Content> = { message: Message; content: Content; waiting: string | undefined }

class ProjectConsumer<Content> {
  readonly #invocation: Invocation<Bindings>
  readonly #steps: Steps<Content>
  readonly #react: Reaction
  readonly #outcome: BatchOutcome
  #held = 0
  readonly #projects = new Map<number, OpenProject>()
  readonly #gathered = new Map<number, Item<Content>[]>()

  constructor(batch: MessageBatch, invocation: Invocation<Bindings>, steps: Steps<Content>) {
    this.#invocation = invocation
    this.#steps = steps
    this.#react = retryOrDeadLetter(batch.queue, invocation.env.DEAD_QUEUE)
    this.#outcome = newOutcome(batch)
  }

  async take(message: Message): Promise<void> {
    try {
      const { work, waiting } = await this.#steps.load(message)
      if (work) {
        await this.#gather(work.projectId, { message, content: work.content, waiting })
      } else {
        await this.#settle([{ message, waiting }])
      }
    } catch (error) {
      await this.#fail(message, error)
    }
  }

  async finish(): Promise<BatchOutcome & { held: number }> {
    for (const projectId of this.#gathered.keys()) {
      await this.#storeGathered(projectId)
    }
    return { ...this.#outcome, held: this.#held }
  }

  async #gather(projectId: number, item: Item<Content>): Promise<void> {
    const gathered = this.#gathered.get(projectId) ?? []
    const contents = [...gathered, item].map(({ content }) => content)
    if (gathered.length > 0 && this.#steps.isTooMuch(contents)) {
      await this.#storeGathered(projectId)
      this.#gathered.set(projectId, [item])
    } else {
      this.#gathered.set(projectId, [...gathered, item])
    }
  }

  async #storeGathered(projectId: number): Promise<void> {
    const items = this.#gathered.get(projectId) ?? []
    this.#gathered.delete(projectId)
    await this.#storeOrFail(projectId, items)
  }

  async #storeOrFail(projectId: number, items: Item<Content>[]): Promise<void> {
    try {
      if (isSpent(this.#invocation.usage)) {
        throw new UnavailableError('The batch has used up its queries.')
      }
      const open = await this.#open(projectId)
      const contents = items.map(({ content }) => content)
      await this.#steps.store(open, contents)
    } catch (error) {
      const isSplit = items.length > 1 && mayBeOneMessage(error)
      for (const item of items) {
        await (isSplit ? this.#storeOrFail(projectId, [item]) : this.#fail(item.message, error))
      }
      return
    }
    await this.#settle(items)
  }

  async #open(projectId: number): Promise<OpenProject> {
    const open = this.#projects.get(projectId) ?? (await openProjectOf(projectId, this.#invocation))
    this.#projects.set(projectId, open)
    return open
  }

  /** Acknowledges messages, and deletes the objects from which the sweep would resend them. */
  async #settle(items: { message: Message; waiting: string | undefined }[]): Promise<void> {
    for (const { message } of items) {
      message.ack()
    }
    const objects = items.flatMap(({ waiting }) => waiting ?? [])
    await discard(this.#invocation.env.BUCKET, objects)
  }

  async #fail(message: Message, error: unknown): Promise<void> {
    if (error instanceof HeldError) {
      await putBack(message, this.#steps.queue)
      this.#held += 1
      return
    }
    this.#outcome[await this.#react(message, error)] += 1
  }
}
