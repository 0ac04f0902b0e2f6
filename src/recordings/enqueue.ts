import { UnavailableError } from '../errors.ts'
import { within } from '../pause.ts'
import { PUT_MS } from '../queues/waiting-objects.ts'
import { markerOf, objectOf, type RecordingPart } from './part.ts'
import type { Snapshots } from './snapshot.ts'

/** A queue takes so many messages at once. */
export const MAX_PARTS = 100

/**
 * Puts snapshots into the bucket and their names into the queue, all or none of them: returning means that they are
 * durable. What was sent before is not written again. A marker goes before each part, so that the sweep finds a part
 * whose message is lost.
 * @throws unavailable when queue or bucket cannot take them
 */
export async function enqueueSnapshots(
  queue: Queue<RecordingPart>,
  bucket: R2Bucket,
  projectId: number,
  snapshots: Snapshots[]
): Promise<void> {
  try {
    const messages = snapshots.map(({ part }) => ({ body: { project_id: projectId, ...part } }))
    const markers = messages.map(({ body }) => bucket.put(markerOf(body), JSON.stringify(body)))
    await within(PUT_MS, Promise.all(markers))
    for (const { part, lines } of snapshots) {
      const key = objectOf(projectId, part.session_id, part.part_id)
      const content = await gzip(lines)
      await within(PUT_MS, bucket.put(key, content, { onlyIf: { etagDoesNotMatch: '*' } }))
    }
    await queue.sendBatch(messages)
  } catch (error) {
    throw new UnavailableError('transient error, please retry', error)
  }
}

const gzip = (text: string): Promise<ArrayBuffer> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
