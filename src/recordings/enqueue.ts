import { createObject, putObject } from '../bucket.ts'
import { UnavailableError } from '../errors.ts'
import { PUT_MS } from '../queues/waiting-objects.ts'
import { within } from '../turns.ts'
import { markerOf, objectOf, type RecordingPart } from './part.ts'
import type { NewPart } from './snapshot.ts'

/** Maximum number of parts in one request: Cloudflare Queues accept 100 messages in one call. */
export const MAX_PARTS = 100

/**
 * Writes the snapshots of parts to R2 and queues a message for each part. The parts are durable
 * when this returns. After an error the client must send all of them again, although some may be
 * stored already. The snapshots of a part that was sent before are not written again. Each part has
 * a marker in R2, by which the sweep finds a part whose message was lost.
 * @throws unavailable when the queue or the R2 bucket does not accept a part
 */
export async function enqueueSnapshots(
  queue: Queue<RecordingPart>,
  bucket: R2Bucket,
  projectId: number,
  snapshots: NewPart[]
): Promise<void> {
  try {
    const messages = snapshots.map(({ part }) => ({ body: { project_id: projectId, ...part } }))
    const markers = messages.map(({ body }) =>
      putObject(bucket, markerOf(body), JSON.stringify(body))
    )
    await within(PUT_MS, Promise.all(markers))
    for (const { part, lines } of snapshots) {
      const key = objectOf(projectId, part.session_id, part.part_id)
      const content = await gzip(lines)
      await within(PUT_MS, createObject(bucket, key, content))
    }
    await queue.sendBatch(messages)
  } catch (error) {
    throw new UnavailableError('transient error, please retry', error)
  }
}

const gzip = (text: string): Promise<ArrayBuffer> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
