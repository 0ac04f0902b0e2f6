import { aliasedTable, and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { toIso } from '../../calendar/clock.ts'
import { DAY } from '../../calendar/units.ts'
import { query, writeBatch, writeThenRead } from '../../db/batch.ts'
import type { ControlDb } from '../../db/client.ts'
import { apiKeys, invitations, users } from '../../db/schema.ts'
import { bare, insertSelect, updateFrom } from '../../db/statements.ts'
import { AppError } from '../../errors.ts'
import { hashKey, maskKey, newApiKey } from '../key.ts'
import { createUser, sharesProject, type UserRow } from '../store.ts'
import { User } from '../user.ts'
import {
  BROWSER_KEY_DAYS,
  INVITATION_MS,
  isInvitationCode,
  MAX_INVITATIONS,
  newInvitationCode
} from './invitation.ts'

export type InvitationRow = typeof invitations.$inferSelect

/** An open invitation with the invited user, and the user whose key made it; null if a command made it. */
export type OpenInvitation = { invitation: InvitationRow; user: UserRow; createdBy: UserRow | null }

export type NewInvitation = {
  userId: number
  scopes: string[]
  projectIds: number[]
  /** The user whose key makes the invitation; without, a command makes it. */
  createdBy?: number
  /** When the key that makes the invitation expires, ms UTC; null for never. */
  expiresAt?: number | null
}

const UNKNOWN =
  'This link is incomplete, or belongs to another service. Copy it whole, or ask for a new one.'
const NEW_LINK =
  'Ask for a new one, or make one with `npm run key -- invite`; `npm start` prints one, too.'

/** Finds the user with an e-mail address, or creates one who is named after it. */
export async function inviteUser(db: ControlDb, email: string, now: Date): Promise<UserRow> {
  const [known] = await db.select().from(users).where(eq(users.email, email))
  // `grace@example.com` → `grace`
  const name = email.replace(/@.*/s, '')
  return known ?? createUser(db, User.parse({ first_name: name, email }), now)
}

/**
 * Creates an invitation for a user. The database stores the hash of its code: only the result
 * contains the code itself.
 * @throws invalid_input if `createdBy` has made too many in 24 hours
 */
export async function createInvitation(
  db: ControlDb,
  { userId, scopes, projectIds, createdBy, expiresAt: keyExpiresAt = null }: NewInvitation,
  now: Date
): Promise<{ code: string; invitation: InvitationRow }> {
  const code = newInvitationCode()
  const hash = hashKey(code)
  const createdAt = now.getTime()
  const values = {
    userId,
    hash,
    scopes: JSON.stringify(scopes),
    projectIds: JSON.stringify(projectIds),
    createdBy: createdBy ?? null,
    createdAt,
    expiresAt: Math.min(createdAt + INVITATION_MS, keyExpiresAt ?? Number.POSITIVE_INFINITY),
    keyExpiresAt
  }
  const made = sql`(select count(*) from ${invitations}
    where ${invitations.createdBy} = ${createdBy ?? null}
      and ${invitations.createdAt} > ${createdAt - INVITATION_MS})`
  await writeBatch(db, [
    insertSelect(invitations, values, sql`(select 1) where ${made} < ${MAX_INVITATIONS}`)
  ])
  const [invitation] = await db.select().from(invitations).where(eq(invitations.hash, hash))
  if (!invitation) {
    throw new AppError(
      'invalid_input',
      `A user makes at most ${MAX_INVITATIONS} invitations in 24 hours.`
    )
  }
  return { code, invitation }
}

const makers = aliasedTable(users, 'makers')

const selectInvitations = (db: ControlDb) =>
  db
    .select({ invitation: invitations, user: users, createdBy: makers })
    .from(invitations)
    .innerJoin(users, eq(users.id, invitations.userId))
    .leftJoin(makers, eq(makers.id, invitations.createdBy))

/** The invitations that can still be used. */
const isOpenAt = (now: Date) =>
  and(
    isNull(invitations.usedAt),
    isNull(invitations.withdrawnAt),
    gt(invitations.expiresAt, now.getTime())
  )

/** Lists the open invitations to one of these projects, the newest first. */
export const listOpenInvitations = (
  db: ControlDb,
  projectIds: number[],
  now: Date
): Promise<OpenInvitation[]> =>
  selectInvitations(db)
    .where(and(isOpenAt(now), sharesProject(invitations.projectIds, projectIds)))
    .orderBy(desc(invitations.id))

/** Finds an open invitation by its id, if it is to one of these projects. */
export async function findOpenInvitation(
  db: ControlDb,
  id: number,
  projectIds: number[],
  now: Date
): Promise<OpenInvitation | undefined> {
  const [found] = await selectInvitations(db).where(
    and(eq(invitations.id, id), isOpenAt(now), sharesProject(invitations.projectIds, projectIds))
  )
  return found
}

/** Withdraws an invitation: its link no longer works. */
export async function withdrawInvitation(db: ControlDb, id: number, now: Date): Promise<void> {
  await db.update(invitations).set({ withdrawnAt: now.getTime() }).where(eq(invitations.id, id))
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
  const isOpen = and(eq(invitations.hash, hashKey(code)), isOpenAt(now))
  const values = {
    userId: sql`${invitations.userId}`,
    label,
    hash: keyHash,
    mask: maskKey(key),
    scopes: sql`${invitations.scopes}`,
    projectIds: sql`${invitations.projectIds}`,
    createdBy: sql`${invitations.createdBy}`,
    createdAt: at,
    expiresAt: sql`min(${at + BROWSER_KEY_DAYS * DAY}, coalesce(${invitations.keyExpiresAt}, ${at + BROWSER_KEY_DAYS * DAY}))`
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
    query<Ended>(
      sql`select ${bare(invitations.usedAt)} as usedAt, ${bare(invitations.expiresAt)} as expiresAt,
            ${bare(invitations.withdrawnAt)} as withdrawnAt
          from ${invitations} where ${bare(invitations.hash)} = ${hashKey(code)}`
    )
  )
  if (created.length === 0) {
    throw new AppError('invalid_input', explain(found[0]), 'code')
  }
  return key
}

type Ended = Pick<InvitationRow, 'usedAt' | 'expiresAt' | 'withdrawnAt'>

function explain(invitation: Ended | undefined): string {
  if (!invitation) {
    return UNKNOWN
  }
  if (invitation.withdrawnAt !== null) {
    return `This link was withdrawn at ${toIso(invitation.withdrawnAt)}. ${NEW_LINK}`
  }
  return invitation.usedAt === null
    ? `This link could be used until ${toIso(invitation.expiresAt)}. ${NEW_LINK}`
    : `This link was used at ${toIso(invitation.usedAt)}, and works only once. ${NEW_LINK}`
}
