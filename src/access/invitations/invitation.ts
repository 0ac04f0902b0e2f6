import { DAY } from '../../calendar/units.ts'
import { randomBase62 } from '../key.ts'

/** Days for which a key is valid that a browser gets for an invitation. */
export const BROWSER_KEY_DAYS = 30

/** Time within which an invitation can be used, ms. */
export const INVITATION_MS = DAY

/** Invitations that a user makes within `INVITATION_MS`: each may send an e-mail. */
export const MAX_INVITATIONS = 100

/** Makes the code of an invitation: 192 random bits. It is stored as a hash only. */
export const newInvitationCode = (): string => randomBase62(24)

/** Whether a text can be the code of an invitation. */
export const isInvitationCode = (text: string): boolean => /^[0-9A-Za-z]{33}$/.test(text)

/**
 * Returns the link of an invitation. The code is in the fragment, which browsers send to no server.
 * @param origin of the service: `https://analytics.example.com`
 */
export const invitationLink = (origin: string, code: string): string =>
  `${origin}/console/#code=${code}`
