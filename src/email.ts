import { cut, onOneLine } from './input/show.ts'
import type { Sent } from './outbound.ts'

export type Email = {
  subject: string
  html: string
  text: string
  headers: Record<string, string>
  attachments: EmailAttachment[]
}

/** Error codes of Cloudflare's e-mail service after which another attempt may succeed. */
const TRANSIENT = [
  'E_RATE_LIMIT_EXCEEDED',
  'E_DAILY_LIMIT_EXCEEDED',
  'E_INTERNAL_SERVER_ERROR',
  'E_DELIVERY_FAILED'
]
/** Characters of a subject. */
const MAX_SUBJECT = 200

/** The sender of a deployment that has not been given an address. */
const NO_SENDER = 'reports@example.com'

/** Returns why a deployment cannot send e-mails, and what to do; null if it can. */
export const mailFaultOf = ({
  EMAIL,
  EMAIL_FROM
}: Pick<Env, 'EMAIL_FROM'> & { EMAIL?: SendEmail }): string | null =>
  EMAIL && EMAIL_FROM !== NO_SENDER
    ? null
    : 'E-mail is not set up here: messages reach no mailbox. Whoever runs this service sets EMAIL_FROM to an address of a domain that may send.'

/**
 * Sends an e-mail to one address. Without a binding, or when the binding refuses it, returns the
 * reason.
 */
export async function sendEmail(
  binding: SendEmail | undefined,
  from: string,
  to: string,
  { subject, ...email }: Email
): Promise<Sent> {
  if (!binding) {
    return { kind: 'permanent', error: 'This deployment has no send_email binding.' }
  }
  try {
    const sender = { name: 'Edge Analytics', email: from }
    await binding.send({
      from: sender,
      to,
      subject: cut(onOneLine(subject), MAX_SUBJECT),
      ...email
    })
    return { kind: 'sent' }
  } catch (error) {
    const said =
      error instanceof Error
        ? error.message.slice(0, 300)
        : 'The e-mail service failed without a reason.'
    const code = readCode(error)
    // Only an error with a code says that the service did not accept the e-mail.
    if (code === undefined) {
      return { kind: 'uncertain', error: said }
    }
    return { kind: TRANSIENT.includes(code) ? 'transient' : 'permanent', error: `${code}: ${said}` }
  }
}

function readCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('E_') ? code : undefined
}
