import * as z from 'zod'
import { USER_EXAMPLE, UserJson } from '../access/user.ts'
import { ANNOTATION_SCOPES, CREATION_TYPES } from '../db/schema.ts'
import { refusing, sameReason } from '../input/fields.ts'

/** Characters of an annotation. */
const MAX_CONTENT = 8_192

const Id = z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable()

/** The writable fields of an annotation. Fields that are left out stay as they are. */
export const AnnotationInput = refusing(
  z
    .object({
      content: z.string().max(MAX_CONTENT).nullish().meta({ description: 'The text.' }),
      date_marker: z.string().max(100).nullish().meta({
        description:
          'The time that the text is about, ISO 8601; without an offset, on the clock of the project. Charts show the text at the bucket that contains it, and not at all without it.'
      }),
      scope: z.enum(ANNOTATION_SCOPES).optional().meta({
        description:
          'Where charts show the annotation: on the insight `dashboard_item`, on the insights of the dashboard `dashboard_id` when they are drawn with the dashboard, or on all insights of the project; there are no organizations. A new annotation is for an insight by default.'
      }),
      dashboard_item: Id.optional().meta({ description: 'The id of the insight.' }),
      dashboard_id: Id.optional().meta({ description: 'The id of the dashboard.' }),
      creation_type: z.enum(CREATION_TYPES).optional().meta({
        description: '`GIT` for annotations that a program makes, such as a deployment.'
      }),
      is_emoji: z
        .boolean()
        .optional()
        .meta({ description: 'Whether the text has to be a single emoji.' }),
      deleted: z
        .boolean()
        .optional()
        .meta({ description: '`true` hides the annotation, `false` restores it.' })
    })
    .meta({
      id: 'AnnotationInput',
      examples: [
        { content: 'v2.1 released', date_marker: '2026-03-02T09:00:00Z', scope: 'project' }
      ]
    }),
  {
    ...sameReason(['tags', 'tag'], 'Annotations have no tags.'),
    emoji: 'Not supported: send the emoji as `content`.',
    hidden_in_user_interface: 'Not supported: charts show every annotation that is not deleted.',
    ...sameReason(['insight', 'insight_id'], 'Send the insight as `dashboard_item`.'),
    dashboard: 'Send the dashboard as `dashboard_id`.',
    ...sameReason(['text', 'name'], 'Send the text as `content`.'),
    ...sameReason(['date', 'timestamp'], 'Send the time as `date_marker`.')
  }
)
export type AnnotationInput = z.infer<typeof AnnotationInput>

export const AnnotationJson = z
  .object({
    id: z.int(),
    content: z.string().nullable(),
    date_marker: z.iso.datetime().nullable(),
    creation_type: z.enum(CREATION_TYPES),
    dashboard_item: z.int().nullable(),
    dashboard_id: z.int().nullable(),
    dashboard_name: z.string().nullable(),
    insight_short_id: z.string().nullable(),
    insight_name: z.string().nullable(),
    insight_derived_name: z.string().nullable(),
    created_by: UserJson,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    deleted: z.boolean(),
    scope: z.enum(ANNOTATION_SCOPES),
    is_emoji: z.boolean()
  })
  .meta({
    id: 'Annotation',
    examples: [
      {
        id: 5,
        content: 'v2.1 released',
        date_marker: '2026-03-02T09:00:00Z',
        creation_type: 'USR',
        dashboard_item: null,
        dashboard_id: null,
        dashboard_name: null,
        insight_short_id: null,
        insight_name: null,
        insight_derived_name: null,
        created_by: USER_EXAMPLE,
        created_at: '2026-03-02T09:01:12.345Z',
        updated_at: '2026-03-02T09:01:12.345Z',
        deleted: false,
        scope: 'project',
        is_emoji: false
      }
    ]
  })
export type AnnotationJson = z.infer<typeof AnnotationJson>
