import { z } from 'zod'
import { retryWhileBusy } from './busy.ts'
import { isDisconnected } from './faults.ts'
import { callOperator, type Dispatch } from './operator.ts'

const Described = z.object({
  key: z.string(),
  size: z.number(),
  etag: z.string(),
  uploaded: z.coerce.date()
})
const Page = z.object({
  objects: z.array(Described),
  delimitedPrefixes: z.array(z.string()),
  truncated: z.boolean(),
  cursor: z.string().optional()
})

type Call = {
  method: 'head' | 'get' | 'put' | 'list' | 'delete'
  target?: string | string[]
  options?: object | undefined
}

/**
 * Opens the bucket of the operator's worker, with only the methods and the fields of objects that the service uses. The
 * simulator's own bucket object starts a thread, and blocks the process during each call.
 */
export function openBucket(dispatch: Dispatch): R2Bucket {
  const send = async (call: Call, content: BodyInit = '') => {
    const body = new Blob([JSON.stringify(call), '\n', await new Response(content).arrayBuffer()])
    const bytes = new Uint8Array(await body.arrayBuffer())
    // A `put` is not repeated: if it was carried out, its conditions would refuse the repetition.
    const isTemporary = (error: unknown) => call.method !== 'put' && isDisconnected(error)
    const response = await retryWhileBusy(() => callOperator(dispatch, '/bucket', bytes), {
      isTemporary
    })
    if (!response.ok) {
      throw new Error(await response.text())
    }
    return response
  }
  const read = async (...args: Parameters<typeof send>): Promise<unknown> =>
    JSON.parse(await (await send(...args)).text())

  const bucket = {
    head: async (target: string) =>
      Described.nullable().parse(await read({ method: 'head', target })),
    async get(target: string) {
      const response = await send({ method: 'get', target })
      const found = response.headers.get('Object')
      return found === null
        ? null
        : Object.assign(
            new Response(await response.arrayBuffer()),
            Described.parse(JSON.parse(decodeURIComponent(found)))
          )
    },
    put: async (target: string, content: BodyInit, options?: R2PutOptions) =>
      Described.nullable().parse(await read({ method: 'put', target, options }, content)),
    list: async (options?: R2ListOptions) => Page.parse(await read({ method: 'list', options })),
    delete: async (target: string | string[]) => void (await read({ method: 'delete', target }))
  }
  // The cast is safe for the service's code, which uses these methods and fields only.
  return bucket as unknown as R2Bucket
}
