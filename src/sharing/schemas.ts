import * as z from 'zod'
import { refusing, sameReason } from '../input/fields.ts'

export const SharingJson = z
  .object({
    created_at: z.iso.datetime(),
    enabled: z.boolean(),
    access_token: z.string().meta({
      description: 'While `enabled` is true, `/shared/{access_token}` works without a key.'
    }),
    url: z
      .url()
      .meta({ description: 'The link to share. It works without a key while `enabled` is true.' })
  })
  .meta({
    id: 'SharingConfiguration',
    examples: [
      {
        created_at: '2026-11-21T05:15:31.657Z',
        enabled: true,
        access_token: '1-0PZ4hVxGd8mKJ5s2WcYkTqRtB7nLaXfUe',
        url: 'https://analytics.example.com/shared/1-0PZ4hVxGd8mKJ5s2WcYkTqRtB7nLaXfUe'
      }
    ]
  })
export type SharingJson = z.infer<typeof SharingJson>

/** The sharing configuration of an object that may not have a token yet. */
export const SharingStateJson = z
  .object({
    created_at: SharingJson.shape.created_at.nullable(),
    enabled: z.boolean(),
    access_token: SharingJson.shape.access_token.nullable(),
    url: SharingJson.shape.url.nullable()
  })
  .meta({
    id: 'NewSharingConfiguration',
    description:
      'All fields except `enabled` are null until sharing is turned on or off, or the token replaced, for the first time.',
    examples: [{ created_at: null, enabled: false, access_token: null, url: null }]
  })
export type SharingStateJson = z.infer<typeof SharingStateJson>

export const SharingUpdateJson = refusing(
  z.object({ enabled: z.boolean() }).meta({ id: 'SharingUpdate', examples: [{ enabled: true }] }),
  {
    ...sameReason(
      ['password_required', 'password', 'share_passwords', 'settings'],
      'Links have no password and no settings: anyone with a link can open it.'
    ),
    ...sameReason(
      [
        'expires',
        'expires_after',
        'expires_at',
        'expires_in',
        'expiration',
        'expiration_date',
        'expiry',
        'ttl',
        'valid_until'
      ],
      'Links do not expire: turn sharing off with `enabled`, or replace the link with `POST …/sharing/refresh/`.'
    )
  }
)
