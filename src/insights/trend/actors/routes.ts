import * as z from 'zod'
import { allow } from '../../../access/auth.ts'
import { AppError } from '../../../errors.ts'
import { affordPages, csvResponse, FormatQuery, flatten, wantsCsv } from '../../../http/csv.ts'
import { createRouter } from '../../../http/env.ts'
import { CsvPageQuery, pageOf, pageSize } from '../../../http/page.ts'
import { nameIgnored, validateBody, validateQuery } from '../../../http/validation.ts'
import type { JsonObject } from '../../../input/json.ts'
import { Whole } from '../../../input/parameters.ts'
import { readKnownActors } from '../../../persons/actors.store.ts'
import { listedPersonToJson, personToJson } from '../../../persons/store.ts'
import { showActor } from '../../../questions/actors/actor.ts'
import { countBehind } from '../../../trends/actors-of-point.ts'
import { TrendFields } from '../../../trends/fields.ts'
import { readFields } from '../../../trends/forms.ts'
import type { ActorCount } from '../../../trends/point.ts'
import { readTrend } from '../../../trends/request.ts'
import { UrlParameters } from '../../../trends/url-parameters.ts'
import { recordingsOf } from './recordings.ts'
import { ACTORS } from './reference.ts'
import type { ActorJson } from './schemas.ts'

const PointQuery = z.object({
  ...CsvPageQuery.omit({ cursor: true }).shape,
  ...FormatQuery.shape,
  series: Whole.default(0).meta({
    description: 'The place of the series in the trend, from 0 on; 0 by default.'
  }),
  bucket: z.string().max(100).meta({
    example: '0',
    description:
      'The bucket: one of the `days` of the trend’s answer, or its place in `data`, from 0 on. Displays without a time axis have one bucket, 0.'
  }),
  breakdown_value: z.string().max(10_000).optional().meta({
    description:
      'The value of the breakdown, as in `breakdown_value` of the trend’s answer; a list as JSON. Required for a trend with a breakdown.'
  }),
  compare_label: z.enum(['current', 'previous']).default('current').meta({
    description: 'Which period of a comparison the bucket belongs to.'
  }),
  breakdown_offset: Whole.default(0).meta({
    description:
      'The `offset` of the trend’s page, which decides the values that its "Other" contains; 0 by default.'
  })
})

const ActorsQuery = z.object({ ...PointQuery.shape, ...UrlParameters.shape })

const CSV_PART = 1_000

export const trendActorRoutes = createRouter().post(
  '/insights/trend/actors',
  ACTORS,
  allow('person:read'),
  validateQuery(ActorsQuery),
  validateBody(TrendFields),
  async (c) => {
    const { project, db, now } = c.var
    const { format, limit, offset, ...asked } = c.req.valid('query')
    const ignoredFields: string[] = []
    // The cast is safe: the body was parsed from JSON, but the schema's type is wider.
    const fields = readFields(c.req.url, c.req.valid('json') as JsonObject)
    const query = readTrend(fields, project, now, ignoredFields)
    nameIgnored(c, ignoredFields)
    if (!query) {
      throw new AppError('required', 'This field is required.', 'events')
    }
    const point = {
      series: asked.series,
      bucket: asked.bucket,
      isPrevious: asked.compare_label === 'previous',
      value: asked.breakdown_value,
      offset: asked.breakdown_offset
    }
    const behind = await countBehind(db, project, { query, point, now })
    const list = new URL(`/api/projects/${project.id}/session_recordings/`, c.req.url).href
    const isTable = wantsCsv(c, format)
    const show = isTable ? personToJson : listedPersonToJson
    const read = async (counts: ActorCount[]): Promise<ActorJson[]> => {
      const known = await readKnownActors(
        { db, project },
        {
          ids: counts.flatMap(({ actor }) => (actor > 0 ? [actor] : [])),
          keys: counts.flatMap(({ actor }) => (actor < 0 ? [-actor] : [])),
          hasAllIds: isTable
        }
      )
      return counts.map((counted) => {
        const actor = showActor(counted, known, show)
        return { ...actor, recordings: recordingsOf(actor, { list, range: behind }) }
      })
    }
    const count = behind.counts.length
    if (isTable) {
      const wanted = behind.counts.slice(offset, offset + (limit ?? count))
      // The persons are read twice: the header needs the properties of all before the first row is
      // written.
      const columns = await columnsOf(affordPages(inParts(wanted, read), c.var.usage, 1))
      return csvResponse(c, 'actors', columns, inParts(wanted, read))
    }
    const size = pageSize(limit)
    const results = await read(behind.counts.slice(offset, offset + size))
    const hasMore = offset + size < count
    return c.json(pageOf(c.req.url, { results, count, size, offset, hasMore }))
  }
)

async function* inParts(
  counts: ActorCount[],
  read: (some: ActorCount[]) => Promise<ActorJson[]>
): AsyncGenerator<JsonObject[]> {
  for (let from = 0; from < counts.length; from += CSV_PART) {
    // The cast is safe: an actor consists of JSON, but the type of its properties is wider.
    yield (await read(counts.slice(from, from + CSV_PART))) as JsonObject[]
  }
}

async function columnsOf(parts: AsyncIterable<JsonObject[]>): Promise<string[]> {
  const columns = new Set([
    'count',
    'created_at',
    'distinct_ids',
    'id',
    'name',
    'recordings',
    'type',
    'uuid'
  ])
  for await (const actors of parts) {
    for (const { properties = {} } of actors) {
      for (const key of flatten({ properties }).keys()) {
        columns.add(key)
      }
    }
  }
  return [...columns].sort()
}
