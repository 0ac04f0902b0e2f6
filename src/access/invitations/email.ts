import { describeMoment } from '../../calendar/words.ts'
import type { Email } from '../../email.ts'
import { button, emailPage, paragraph } from '../../html/email.ts'
import { escapeHtml, isolated } from '../../html/escape.ts'
import { isolate } from '../../input/show.ts'
import type { Role } from '../roles.ts'
import type { ProjectRow, UserRow } from '../store.ts'
import { BROWSER_KEY_DAYS } from './invitation.ts'

/** What an invitation says: who invites whom to which projects, and until when. */
type Invited = {
  link: string
  role: Role
  to: string
  /** The user whose key made the invitation; without, an operator of the service made it. */
  inviting?: Pick<UserRow, 'firstName' | 'email'> | undefined
  projects: Pick<ProjectRow, 'name' | 'timezone'>[]
  expiresAt: number
}

/** What a role may do, in words. */
const ROLE_WORDS: Record<Role, string> = {
  viewer: 'see dashboards, charts and lists, but no person, event or recording',
  editor: 'build and share charts, and see persons, events and recordings',
  privacy: 'do what an editor does, edit and erase persons, and delete events',
  admin: 'do everything, also with keys and invitations'
}

/** Writes the e-mail of an invitation. */
export function toInvitation({
  link,
  role,
  to,
  inviting,
  projects: [first, ...others],
  expiresAt
}: Invited): Email {
  const name = first?.name ?? ''
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  const subject = `You are invited to ${isolate(name)}${more}`
  const until = describeMoment(expiresAt, first?.timezone ?? 'UTC')
  const once = `The link works once, until ${until}, and gives the browser that opens it a key of its own for at most ${BROWSER_KEY_DAYS} days.`
  const may = `As ${role}, you may ${ROLE_WORDS[role]}.`
  const by = inviting ? `${inviting.firstName} (${inviting.email})` : 'The operator of the service'
  const why = `Sent to ${to}, because ${inviting ? inviting.email : 'the operator of the service'} has invited you. If you do not know why, ignore this e-mail: nothing happens until the link is opened.`
  return {
    subject,
    headers: {},
    attachments: [],
    text: [subject, `${isolate(by)} invites you. ${may}`, link, once, `-- \n${why}`].join('\n\n'),
    html: emailPage({
      title: `You are invited to ${name}${more}`,
      preview: `${isolate(by)} invites you. ${may}`,
      above: 'Edge Analytics',
      notes: [],
      sections: [
        paragraph(`${isolated(by)} invites you. ${escapeHtml(may)}`),
        button('Open the console', link),
        paragraph(escapeHtml(once))
      ],
      foot: escapeHtml(why)
    })
  }
}
