import { OutboundError, type Sent, sendOutbound } from '../outbound.ts'
import { judge, judgeFault } from './outcome.ts'

/** Time that a receiver has to respond, ms. */
const TIMEOUT_MS = 10_000
/** Largest body of a response that is read, bytes. */
const MAX_ANSWER = 1_000_000

/**
 * Posts a message and returns the outcome. A status of 2xx is a success, whatever the body, which
 * is not read. With `reads`, the error quotes the body of a refusal, unless the body is too large.
 * @param allow the setting `OUTBOUND_ALLOW`
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  { allow, now, reads = false }: { allow: string; now: Date; reads?: boolean }
): Promise<Sent> {
  // Noted as soon as they are known, because a body that is too large throws.
  let known = { status: 0, retryAfter: null as string | null }
  try {
    const limits = {
      allow,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER,
      reads(status: number, headers: Headers) {
        known = { status, retryAfter: headers.get('Retry-After') }
        return reads && status >= 300
      }
    }
    const answer = await sendOutbound({ url, method: 'POST', headers, body }, limits)
    const words = reads ? new TextDecoder().decode(answer.body) : ''
    const refusal = {
      status: answer.status,
      body: words,
      retryAfter: answer.headers.get('Retry-After')
    }
    return judge(refusal, now.getTime())
  } catch (error) {
    if (error instanceof OutboundError && error.kind === 'too_large') {
      return judge({ ...known, body: '' }, now.getTime())
    }
    if (error instanceof OutboundError) {
      return judgeFault(error)
    }
    throw error
  }
}
