import { signal } from '@preact/signals'
import { key, type OwnKey, project, signedInAgain } from './session.ts'

/** An answer that is not a success, or none at all: its status is then 0. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The field or parameter that is at fault; empty for none. */
  readonly attr: string
  readonly request: string

  constructor(message: string, { status = 0, code = '', attr = '', request = '' } = {}) {
    super(message)
    this.status = status
    this.code = code
    this.attr = attr
    this.request = request
  }
}

/** The number of requests on their way. */
export const pending = signal(0)

type Sent = {
  query?: Record<string, string | undefined>
  body?: object
  signal?: AbortSignal | undefined
}

/**
 * Calls a path of the project in the address, such as `persons/`, or a whole path, which begins
 * with `/`. If the key is refused, waits until someone has signed in again, and repeats the request.
 * @throws ApiError
 */
export const call = async <T>(method: string, to: string, sent: Sent = {}): Promise<T> =>
  parse(await callAgain(method, to, sent))

/** Calls a path of the project that answers no JSON. @throws ApiError */
export const callText = (method: string, to: string, sent: Sent = {}): Promise<string> =>
  callAgain(method, to, sent)

async function callAgain(method: string, to: string, sent: Sent): Promise<string> {
  const address = to.startsWith('/') ? to : `/api/projects/${project.value?.id}/${to}`
  for (;;) {
    const given = key.value
    try {
      return await request(method, address, given, sent)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) {
        throw error
      }
      // Someone may have signed in again while the request was on its way.
      if (key.value === given) {
        await signedInAgain()
      }
      sent.signal?.throwIfAborted()
    }
  }
}

const parse = <T>(text: string): T => (text === '' ? undefined : JSON.parse(text)) as T

/** Asks the service what a key may do. @throws ApiError for a key that is not valid */
export const describeKey = async (given: string): Promise<OwnKey> =>
  parse(await request('GET', '/api/personal_api_keys/@current/', given))

/** Revokes the key of this browser. */
export const revokeOwnKey = async (): Promise<void> => {
  await request('DELETE', '/api/personal_api_keys/@current/', key.value)
}

/** Exchanges the code of an invitation for a key with this label. @throws ApiError */
export const redeem = async (code: string, label: string): Promise<{ value: string }> =>
  parse(await request('POST', '/api/invitations/redeem/', undefined, { body: { code, label } }))

/** The public keys of receipts. @throws ApiError */
export const listReceiptKeys = async (): Promise<{ keys: { kid: string; x: string }[] }> =>
  parse(await request('GET', '/.well-known/receipt-keys.json', undefined))

async function request(
  method: string,
  address: string,
  bearer: string | undefined,
  { query = {}, body, signal: cancelled }: Sent = {}
): Promise<string> {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(set as [string, string][]).toString()
  pending.value += 1
  try {
    const response = await fetch(address + (search && `?${search}`), {
      method,
      headers: {
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
        ...(body && { 'Content-Type': 'application/json' })
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(cancelled && { signal: cancelled })
    })
    const text = await response.text()
    if (!response.ok) {
      throw explain(response, text)
    }
    return text
  } catch (error) {
    cancelled?.throwIfAborted()
    throw error instanceof ApiError ? error : new ApiError('The service cannot be reached.')
  } finally {
    pending.value -= 1
  }
}

function explain(response: Response, text: string): ApiError {
  const request = response.headers.get('X-Request-Id') ?? ''
  const { status } = response
  try {
    const { detail, code, attr } = JSON.parse(text) as Record<'detail' | 'code' | 'attr', string>
    return new ApiError(detail, { status, code, attr: attr ?? '', request })
  } catch {
    return new ApiError(`The service has answered ${status}.`, { status, request })
  }
}
