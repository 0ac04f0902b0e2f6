import * as z from 'zod'
import { HOUR } from '../../calendar/units.ts'
import { canonical } from '../../encoding.ts'
import { AppError } from '../../errors.ts'
import { hmac, isSameHash } from '../../hash.ts'

/** How long the token of a dry run can be used, ms. */
export const TOKEN_MS = HOUR

const DryRun = z.object({
  /** The id that the removal will have, so that a token is used once. */
  id: z.guid(),
  /** The time of the dry run, ms UTC. */
  at: z.int(),
  /** The number of events, and the SHA-256 of their list. */
  events: z.int(),
  digest: z.string()
})
export type DryRun = z.infer<typeof DryRun>

/**
 * Returns the time of the dry run of a removal, ms UTC: the removal's id, a version 7 UUID made at
 * that time, begins with it.
 */
export const triedAt = (id: string): number =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

type Request = { secret: string; projectId: number; wanted: unknown }

/** Returns the token of a dry run, with which exactly this request can be carried out. */
export async function makeToken(dryRun: DryRun, request: Request): Promise<string> {
  const payload = JSON.stringify(dryRun)
  return `${btoa(payload)}.${await signatureOf(payload, request)}`
}

/** Reads a token. @throws invalid_input, attr `token`, for one of another request */
export async function readToken(token: string, request: Request): Promise<DryRun> {
  const [encoded = '', signature = '', ...more] = token.split('.')
  const payload = decode(encoded)
  const isOurs = more.length === 0 && isSameHash(signature, await signatureOf(payload, request))
  if (!isOurs) {
    throw new AppError(
      'invalid_input',
      'The token is not valid for this request: send these filters and properties with `dry_run`, and then with the token from the answer.',
      'token'
    )
  }
  return DryRun.parse(JSON.parse(payload))
}

/** @throws invalid_input, attr `token`, when the dry run is too long ago at `now`, ms UTC */
export function expectRecent(dryRun: DryRun, now: number): void {
  if (dryRun.at + TOKEN_MS < now) {
    throw new AppError(
      'invalid_input',
      'The token has expired: send the request with `dry_run` again.',
      'token'
    )
  }
}

const signatureOf = (payload: string, { secret, projectId, wanted }: Request): Promise<string> =>
  hmac(secret, `dry run of a removal\n${projectId}\n${canonical(wanted)}\n${payload}`)

function decode(text: string): string {
  try {
    return atob(text)
  } catch {
    return ''
  }
}
