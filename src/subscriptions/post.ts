import { OutboundError, sendOutbound } from '../outbound.ts'
import { judge, judgeFault, type Sent } from './outcome.ts'

/** Time that a receiver has to respond, ms. */
const TIMEOUT_MS = 10_000
/** Bytes of a response that are read. */
const MAX_ANSWER = 1_000_000

/**
 * Posts a message and returns the outcome. A status of 2xx is a success; its body is not read. With `reads`, the body of a
 * refusal is part of the reported error.
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  { allow, reads = false }: { allow: string; reads?: boolean }
): Promise<Sent> {
  try {
    const isRefusal = (status: number) => status >= 300
    const limits = {
      allow,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER,
      reads: reads ? isRefusal : () => false
    }
    const answer = await sendOutbound({ url, method: 'POST', headers, body }, limits)
    const words = reads ? new TextDecoder().decode(answer.body) : ''
    return judge(answer.status, words, answer.headers.get('Retry-After'))
  } catch (error) {
    if (error instanceof OutboundError) {
      return judgeFault(error)
    }
    throw error
  }
}
