import * as z from 'zod'
import { NotFoundError } from '../errors.ts'
import { allow } from '../http/auth.ts'
import { FormatQuery } from '../http/csv.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import {
  encodeCursor,
  PageQuery,
  pageOf,
  pageSchema,
  pageSize,
  readPosition
} from '../http/page.ts'
import { agree, validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { refusing, sameReason } from '../input/fields.ts'
import { Flag } from '../input/parameters.ts'
import { actorOf } from '../persons/activity/entry.ts'
import { PersonPath } from '../persons/path.ts'
import { erasePersons } from './erase.ts'
import { isGenuine, RECEIPT_EXAMPLE, ReceiptContent, signReceipt } from './receipt.ts'
import { DeletionTask, taskToJson } from './schemas.ts'
import { receiptSecret } from './secret.ts'
import { listTasks } from './store.ts'

const StatusQuery = z.object({
  ...PageQuery.shape,
  status: z
    .enum(['all', 'pending', 'queued', 'running', 'completed', 'failed'])
    .default('all')
    .meta({
      description: '`pending` is everything that is not `completed`.'
    }),
  person_uuid: z
    .guid()
    .toLowerCase()
    .optional()
    .meta({ description: 'The tasks of this deleted person.' })
})

const MAX_PERSONS = 1_000

/** A person's integer id, also as a string, or uuid. */
const Id = z.union(
  [z.int().min(0), z.string().regex(/^\d{1,15}$/), z.guid()],
  'A person’s id is an integer or a UUID.'
)

const some = <S extends z.ZodType>(item: S) =>
  z
    .array(item)
    .min(1, `Between 1 and ${MAX_PERSONS} are expected.`)
    .max(MAX_PERSONS, `Between 1 and ${MAX_PERSONS} are expected.`)

const BulkDelete = refusing(
  z
    .object({
      ids: some(Id).nullish().meta({ description: 'Uuids or integer ids.' }),
      distinct_ids: some(z.string().min(1).max(1000)).nullish(),
      delete_events: z.union([z.boolean(), Flag], 'Must be a valid boolean.').optional().meta({
        type: 'boolean',
        description: 'Whether the events go too, with the next weekly batch.'
      }),
      delete_recordings: z.union([z.boolean(), Flag], 'Must be a valid boolean.').optional().meta({
        type: 'boolean',
        description: 'Whether the recordings of their sessions go too, at once.'
      })
    })
    .refine(
      ({ ids, distinct_ids }) => Boolean(ids) !== Boolean(distinct_ids),
      'Provide either ids or distinct_ids.'
    )
    .meta({
      id: 'BulkDelete',
      examples: [{ distinct_ids: ['user-1', 'user-2'], delete_events: true }]
    }),
  {
    keep_person: 'Persons are not kept: their events go only together with them.',
    ...sameReason(
      ['id', 'uuid', 'uuids', 'person_id', 'person_ids'],
      'Persons are named by `ids` or `distinct_ids`.'
    )
  }
)

const BulkDeleted = z
  .object({
    persons_found: z.int(),
    persons_deleted: z.int(),
    events_queued_for_deletion: z.boolean(),
    recordings_queued_for_deletion: z.boolean(),
    deletion_errors: z.array(z.string()).max(0),
    results: z.array(
      z.object({
        id: z.union([z.string(), z.int()]).meta({ description: 'As it was asked for.' }),
        result: z.enum(['deleted', 'not_found']),
        person_uuid: z.guid().nullable()
      })
    )
  })
  .meta({
    id: 'BulkDeleted',
    examples: [
      {
        persons_found: 1,
        persons_deleted: 1,
        events_queued_for_deletion: true,
        recordings_queued_for_deletion: false,
        deletion_errors: [],
        results: [
          { id: 'user-1', result: 'deleted', person_uuid: '01a1f000-0000-7000-8000-00000000000a' },
          { id: 'user-2', result: 'not_found', person_uuid: null }
        ]
      }
    ]
  })

const DeleteQuery = z.object({
  delete_recordings: Flag.optional().meta({
    type: 'boolean',
    description: 'Whether the recordings of its sessions go too, at once.'
  }),
  delete_events: Flag.optional().meta({
    type: 'boolean',
    description: 'Whether the events go too, with the next weekly batch (Sunday 05:00 UTC).'
  })
})

const DELETE = describe({
  id: 'persons_delete',
  tag: 'Persons',
  summary: 'Delete a person',
  description:
    'The person, the distinct ids and the history of the properties go at once; events that were accepted until then and are still on their way do not bring them back. Without `delete_events` the events stay and count as those of one person without a name; what their own properties say stays with them, for good. Without `delete_recordings` the recordings stay too, as those of nobody. A distinct id that is used again starts a new person.',
  answers: { 204: { text: 'Deleted.' } },
  refusals: [['invalid_input', 'Must be a valid boolean.', 'delete_events']]
})

const BULK_DELETE = describe({
  id: 'persons_bulk_delete',
  tag: 'Persons',
  summary: 'Delete many persons',
  description: `Up to ${MAX_PERSONS} persons, by \`ids\` or by \`distinct_ids\`, in one transaction, as if each had been deleted by itself. Who is not there is told and no error. \`delete_events\` and \`delete_recordings\` may be in the body or in the query; in both they have to be the same.`,
  answers: { 200: { text: 'What became of each.', schema: BulkDeleted } },
  refusals: [
    ['invalid_input', 'Provide either ids or distinct_ids.'],
    ['blank', 'This field may not be blank.', 'distinct_ids__0'],
    ['max_length', 'Ensure this field has no more than 1000 characters.', 'distinct_ids__0'],
    ['invalid_input', 'Must be a valid boolean.', 'delete_events']
  ]
})

const Cursor = z.object({ before: z.int() })

const STATUS = describe({
  id: 'persons_deletion_status',
  tag: 'Persons',
  summary: 'Deletion tasks and their proofs',
  description:
    'A task for every person that was deleted with `delete_events` or `delete_recordings`, newest first. Events go every Sunday at 05:00 UTC, recordings at once.',
  answers: {
    200: { text: 'A page of tasks.', schema: pageSchema('DeletionTaskPage', DeletionTask) }
  },
  refusals: [
    [
      'invalid_choice',
      '"done" is not a valid choice. Choices: all, pending, queued, running, completed, failed.',
      'status'
    ]
  ]
})

const Verification = z.object({ valid: z.boolean(), detail: z.string() }).meta({
  id: 'ReceiptVerification',
  examples: [
    { valid: true, detail: 'This service signed the receipt, and nothing in it has been changed.' }
  ]
})

/** Taken as it is: whatever is different in it, also deep inside, spoils the signature. */
const Presented = z.looseObject({ project_id: z.int(), signature: z.string().max(200) }).meta({
  id: 'PresentedReceipt',
  description: 'A `DeletionReceipt`, unchanged.',
  examples: [RECEIPT_EXAMPLE]
})

const VERIFY = describe({
  id: 'persons_verify_deletion_receipt',
  tag: 'Persons',
  summary: 'Verify the receipt of a deletion',
  description: 'The body is a receipt as `deletion_status` shows it.',
  answers: { 200: { text: 'Whether the receipt is genuine.', schema: Verification } }
})

export const erasureRoutes = createRouter()
  .delete(
    '/persons/:id',
    DELETE,
    allow('person:write'),
    validatePath(PersonPath),
    validateQuery(DeleteQuery.extend(FormatQuery.shape)),
    async (c) => {
      const { id } = c.req.valid('param')
      const selection = 'id' in id ? { ids: [id.id] } : { uuids: [id.uuid] }
      const { delete_events: deleteEvents = false, delete_recordings: deleteRecordings = false } =
        c.req.valid('query')
      const options = { deleteEvents, deleteRecordings, actor: actorOf(c.var.user, c.var.key) }
      const erased = await erasePersons(
        c.var.db,
        c.env.ERASURE_QUEUE,
        c.var.project,
        selection,
        options,
        c.var.now
      )
      if (erased.length === 0) {
        throw new NotFoundError()
      }
      return c.body(null, 204)
    }
  )
  .post(
    '/persons/bulk_delete',
    BULK_DELETE,
    allow('person:write'),
    validateQuery(DeleteQuery),
    validateBody(BulkDelete),
    async (c) => {
      const {
        ids,
        distinct_ids: distinctIds,
        delete_events,
        delete_recordings
      } = c.req.valid('json')
      const query = c.req.valid('query')
      const deleteEvents = agree('delete_events', query.delete_events, delete_events) ?? false
      const deleteRecordings =
        agree('delete_recordings', query.delete_recordings, delete_recordings) ?? false
      const asked = (ids ?? distinctIds ?? []).map((id) => ({
        id,
        name: ids ? nameOf(id) : String(id)
      }))
      const names = asked.map(({ name }) => name)
      const selection = distinctIds
        ? { distinctIds }
        : {
            ids: names.filter(isNumber).map(Number),
            uuids: names.filter((name) => !isNumber(name))
          }
      const options = { deleteEvents, deleteRecordings, actor: actorOf(c.var.user, c.var.key) }
      const persons = await erasePersons(
        c.var.db,
        c.env.ERASURE_QUEUE,
        c.var.project,
        selection,
        options,
        c.var.now
      )
      const uuids = new Map(
        persons.flatMap(({ id, uuid, identities }) =>
          (distinctIds ? identities.map(({ distinctId }) => distinctId) : [String(id), uuid]).map(
            (name) => [name, uuid]
          )
        )
      )
      return c.json({
        persons_found: persons.length,
        persons_deleted: persons.length,
        events_queued_for_deletion: deleteEvents && persons.length > 0,
        recordings_queued_for_deletion: deleteRecordings && persons.length > 0,
        deletion_errors: [],
        results: asked.map(({ id, name }) => ({
          id,
          result: uuids.has(name) ? 'deleted' : 'not_found',
          person_uuid: uuids.get(name) ?? null
        }))
      })
    }
  )
  .get(
    '/persons/deletion_status',
    STATUS,
    allow('person:read'),
    validateQuery(StatusQuery),
    async (c) => {
      const { limit, status, person_uuid: personUuid } = c.req.valid('query')
      const size = pageSize(limit)
      const { after, offset } = readPosition(c.req.url, Cursor, c.req.valid('query'))
      const page = { limit: size + 1, offset: after ? 0 : offset, before: after?.before }
      const { rows, count } = await listTasks(
        c.var.db,
        c.var.project.id,
        { status, personUuid },
        page
      )
      const shown = rows.slice(0, size)
      const results = await Promise.all(
        shown.map(async (row) => {
          const content = row.status === 'completed' ? ReceiptContent.parse(row.receipt) : undefined
          return taskToJson(row, content ? await signReceipt(content, receiptSecret(c.env)) : null)
        })
      )
      const last = shown.at(-1)
      const position = last && ({ before: last.id } satisfies z.infer<typeof Cursor>)
      const next = position && encodeCursor(position, offset + size)
      return c.json(
        pageOf(c.req.url, {
          results,
          count,
          size,
          offset,
          hasMore: rows.length > size,
          cursor: next
        })
      )
    }
  )
  .post(
    '/persons/deletion_receipts/verify',
    VERIFY,
    allow('person:read'),
    validateBody(Presented),
    async (c) => {
      const receipt = c.req.valid('json')
      const secret = receiptSecret(c.env)
      const isOurs = receipt.project_id === c.var.project.id && (await isGenuine(receipt, secret))
      const detail = isOurs
        ? 'This service signed the receipt, and nothing in it has been changed.'
        : 'This service did not sign the receipt for this project, or it has been changed since.'
      return c.json({ valid: isOurs, detail })
    }
  )

const nameOf = (id: string | number): string => {
  const name = String(id).toLowerCase()
  return isNumber(name) ? String(Number(name)) : name
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)
