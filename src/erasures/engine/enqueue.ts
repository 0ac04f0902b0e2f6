import { describeError } from '../../errors.ts'
import { log } from '../../log.ts'
import { type Sender, sendAll } from '../../queues/send.ts'
import { type ErasureMessage, messagesFor } from './message.ts'

/** Sends the messages of new erasures. A failure is only logged: the sweep finds them. */
export async function enqueueErasures(
  queue: Sender<ErasureMessage>,
  projectId: number,
  ids: number[]
): Promise<void> {
  try {
    await sendAll(queue, messagesFor(ids.map((id) => ({ id, project_id: projectId }))))
  } catch (error) {
    log('warn', 'erasures wait for the sweep', {
      project: projectId,
      erasures: ids,
      error: describeError(error)
    })
  }
}
