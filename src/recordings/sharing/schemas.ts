import * as z from 'zod'
import { refusing, sameReason } from '../../input/fields.ts'
import { RecordingJson, Source } from '../schemas.ts'

export const SharingJson = z
  .object({
    created_at: z.iso.datetime(),
    enabled: z.boolean(),
    access_token: z
      .string()
      .meta({ description: 'While `enabled`, `/shared/{access_token}` works without a key.' }),
    url: z
      .url()
      .meta({ description: 'The address to share. It works without a key while `enabled`.' })
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

export const SharingUpdateJson = refusing(
  z.object({ enabled: z.boolean() }).meta({ id: 'SharingUpdate', examples: [{ enabled: true }] }),
  {
    ...sameReason(
      ['password_required', 'password', 'share_passwords', 'settings'],
      'Links have no password and no settings: anyone with the link can see the recording.'
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

/** A recording as anyone with the link sees it: without the person and the viewers. */
export const SharedRecordingJson = RecordingJson.omit({
  person: true,
  distinct_id: true,
  viewed: true,
  viewers: true
})
  .extend({
    sources: z
      .array(Source)
      .meta({ description: 'The parts, for `/shared/{access_token}/snapshots`.' })
  })
  .meta({ id: 'SharedRecording' })
export type SharedRecordingJson = z.infer<typeof SharedRecordingJson>
