import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const SAMPLE_MS = 25

const Targets = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const Usage = z.object({
  result: z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) })
})

/**
 * Connects to the inspector of a worker, by its name, to measure its isolate's memory as the 128 MB limit counts it: the heap, and
 * the array buffers outside the heap.
 */
export async function watchHeap(inspector: URL, worker: string) {
  const targets = Targets.parse(await (await fetch(`http://${inspector.host}/json`)).json())
  const target = targets.find(({ id }) => id.endsWith(`:${worker}`))
  if (!target) {
    const others = targets.map(({ id }) => id).join(', ')
    throw new Error(
      `The inspector does not list the worker ${worker}. It lists: ${others || 'none'}.`
    )
  }
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((open, fail) => {
    socket.addEventListener('open', open)
    socket.addEventListener('error', fail)
  })
  const ask = (method: string) =>
    new Promise<unknown>((done) => {
      socket.addEventListener('message', ({ data }) => done(JSON.parse(data)), { once: true })
      socket.send(JSON.stringify({ id: 1, method }))
    })
  return {
    /** Runs `work`. @returns its result, and the peak of the sampled memory in bytes */
    async during<T>(work: () => Promise<T>) {
      let isDone = false
      let peak = 0
      const finished = work().finally(() => (isDone = true))
      // Without a handler, a failure during the loop would be an unhandled rejection. The `await` below reports it.
      finished.catch(() => {})
      while (!isDone) {
        const { usedSize, backingStorageSize } = Usage.parse(
          await ask('Runtime.getHeapUsage')
        ).result
        peak = Math.max(peak, usedSize + backingStorageSize)
        await sleep(SAMPLE_MS)
      }
      return { peak, result: await finished }
    },
    end: () => socket.close()
  }
}
