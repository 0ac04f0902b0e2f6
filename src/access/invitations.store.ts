import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { toIso } from '../calendar/clock.ts'
import { DAY } from '../calendar/units.ts'
import { query, writeThenRead } from '../db/batch.ts'
import type { ControlDb } from '../db/client.ts'
import { apiKeys, invitations } from '../db/schema.ts'
import { bare, insertSelect, updateFrom } from '../db/statements.ts'
import { AppError } from '../errors.ts'
import {
  BROWSER_KEY_DAYS,
  INVITATION_MS,
  isInvitationCode,
  newInvitationCode
} from './invitation.ts'
import { hashKey, maskKey, newApiKey } from './key.ts'

export type InvitationRow = typeof invitations.$inferSelect

export type NewInvitation = { userId: number; scopes: string[]; projectIds: number[] }

const UNKNOWN =
  'This link is incomplete, or belongs to another service. Copy it whole, or ask for a new one.'
const NEW_LINK =
  'Ask for a new one, or make one with `npm run key -- invite`; `npm start` prints one, too.'

/**
 * Creates an invitation for a user. The database stores the hash of its code: only the result
 * contains the code itself.
 */
export async function createInvitation(
  db: ControlDb,
  input: NewInvitation,
  now: Date
): Promise<{ code: string; expiresAt: Date }> {
  const code = newInvitationCode()
  const expiresAt = new Date(now.getTime() + INVITATION_MS)
  await db.insert(invitations).values({
    ...input,
    hash: hashKey(code),
    createdAt: now.getTime(),
    expiresAt: expiresAt.getTime()
  })
  return { code, expiresAt }
}

/**
 * Exchanges the code of an invitation for a new key, once, however many browsers try.
 * @param label the name of the key
 * @returns the key itself, which is not stored
 * @throws invalid_input, attr `code`, for a code that is unknown, used or expired
 */
export async function redeemInvitation(
  db: ControlDb,
  { code, label }: { code: string; label: string },
  now: Date
): Promise<string> {
  if (!isInvitationCode(code)) {
    throw new AppError('invalid_input', UNKNOWN, 'code')
  }
  const key = newApiKey()
  const keyHash = hashKey(key)
  const at = now.getTime()
  const isOpen = and(
    eq(invitations.hash, hashKey(code)),
    isNull(invitations.usedAt),
    gt(invitations.expiresAt, at)
  )
  const values = {
    userId: sql`${invitations.userId}`,
    label,
    hash: keyHash,
    mask: maskKey(key),
    scopes: sql`${invitations.scopes}`,
    projectIds: sql`${invitations.projectIds}`,
    createdAt: at,
    expiresAt: at + BROWSER_KEY_DAYS * DAY
  }
  const [created, found] = await writeThenRead(
    db,
    [
      insertSelect(apiKeys, values, sql`${invitations} where ${isOpen}`),
      updateFrom(invitations, { set: { usedAt: at }, where: sql`${isOpen}` })
    ],
    query<{ id: number }>(
      sql`select ${apiKeys.id} from ${apiKeys} where ${apiKeys.hash} = ${keyHash}`
    ),
    query<{ usedAt: number | null; expiresAt: number }>(
      sql`select ${bare(invitations.usedAt)} as usedAt, ${bare(invitations.expiresAt)} as expiresAt
          from ${invitations} where ${bare(invitations.hash)} = ${hashKey(code)}`
    )
  )
  if (created.length === 0) {
    throw new AppError('invalid_input', explain(found[0]), 'code')
  }
  return key
}

function explain(invitation: Pick<InvitationRow, 'usedAt' | 'expiresAt'> | undefined): string {
  if (!invitation) {
    return UNKNOWN
  }
  return invitation.usedAt === null
    ? `This link could be used until ${toIso(invitation.expiresAt)}. ${NEW_LINK}`
    : `This link was used at ${toIso(invitation.usedAt)}, and works only once. ${NEW_LINK}`
}
