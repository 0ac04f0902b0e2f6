import * as z from 'zod'
import type { users } from '../db/schema.ts'

/** The roles of users in their organization; the roles of invitations are in `roles.ts`. */
export const JOBS = [
  'engineering',
  'data',
  'product',
  'founder',
  'leadership',
  'marketing',
  'sales',
  'other'
] as const

/** The fields of a user that an operator sets; the others are generated. */
export const User = z.object({
  first_name: z.string().trim().min(1).max(150),
  last_name: z.string().trim().max(150).default(''),
  email: z.email().max(254),
  distinct_id: z.string().min(1).max(200).optional(),
  is_email_verified: z.boolean().nullable().default(null),
  hedgehog_config: z.record(z.string(), z.unknown()).nullable().default(null),
  role_at_organization: z.enum(JOBS).nullable().default(null)
})
export type User = z.infer<typeof User>

/** A change of a user. Fields that are left out stay as they are. */
export const UserChange = z.object({
  first_name: User.shape.first_name.optional(),
  last_name: z.string().trim().max(150).optional(),
  email: User.shape.email.optional(),
  distinct_id: User.shape.distinct_id,
  is_email_verified: z.boolean().nullable().optional(),
  hedgehog_config: z.record(z.string(), z.unknown()).nullable().optional(),
  role_at_organization: z.enum(JOBS).nullable().optional()
})
export type UserChange = z.infer<typeof UserChange>

export const USER_EXAMPLE = {
  id: 1,
  uuid: '01a1f000-0000-7000-8000-000000000001',
  distinct_id: '01a1f000-0000-7000-8000-000000000001',
  first_name: 'Grace',
  last_name: 'Hopper',
  email: 'grace@example.com',
  is_email_verified: true,
  hedgehog_config: {},
  role_at_organization: 'engineering' as const
}

export const UserJson = z
  .object({
    id: z.int(),
    uuid: z.guid(),
    distinct_id: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    email: z.string(),
    is_email_verified: z.boolean(),
    hedgehog_config: z.record(z.string(), z.unknown()),
    role_at_organization: z.enum(JOBS)
  })
  .meta({ id: 'User', examples: [USER_EXAMPLE] })
export type UserJson = z.infer<typeof UserJson>

/**
 * Returns the nine fields of a user that `created_by` shows. Fields that were never set are false,
 * empty or `other`.
 */
export const userToJson = (row: typeof users.$inferSelect): UserJson => ({
  id: row.id,
  uuid: row.uuid,
  distinct_id: row.distinctId,
  first_name: row.firstName,
  last_name: row.lastName,
  email: row.email,
  is_email_verified: row.isEmailVerified ?? false,
  hedgehog_config: row.hedgehogConfig ?? {},
  role_at_organization: JOBS.find((role) => role === row.roleAtOrganization) ?? 'other'
})
