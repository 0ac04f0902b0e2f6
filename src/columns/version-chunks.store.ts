import { type SQL, sql } from 'drizzle-orm'
import { bindRead, query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { jsonOf } from '../db/filter.ts'
import type { Json } from '../input/json.ts'
import type { ProjectChunk } from './actor-chunks.store.ts'
import type { EncodedColumn } from './property-columns.ts'

/** How many times as many versions as a chunk has there may be before it is built again. */
const GROWTH = 1.25

/** The row of `sequences` with the chunk whose versions are counted next. */
const COUNTED_CHUNK = 'counted_version_chunk'

/** The ids of the versions of a chunk: the key of the identity is in the bits from 24 on. */
const isIn = ({ project_id, chunk }: ProjectChunk): SQL =>
  sql`id >= cast(${chunk} as integer) << 36 and id < cast(${chunk + 1} as integer) << 36 and +project_id = ${project_id}`

const isChunk = ({ project_id, chunk }: ProjectChunk): SQL =>
  sql`project_id = ${project_id} and chunk = ${chunk}`

/** Returns the chunks of actors whose versions are not copied yet, or no longer. */
export async function findMissing(db: Db): Promise<ProjectChunk[]> {
  const missing = query<ProjectChunk>(sql`
    select a.project_id, a.chunk from actor_chunks a
      left join version_chunks v on v.project_id = a.project_id and v.chunk = a.chunk and v.is_built
    where v.chunk is null order by a.chunk, a.project_id`)
  return (await readBatch(db, missing))[0]
}

/** Returns the next chunks, from where the last call ended, whose versions have become many more; at most `limit` are counted. */
export async function findOutgrown(db: Db, limit: number): Promise<ProjectChunk[]> {
  const counted = query<ProjectChunk & { is_outgrown: number }>(sql`
    select c.project_id, c.chunk, (
      select count(*) from person_versions
      where id >= c.chunk << 36 and id < (c.chunk + 1) << 36 and +project_id = c.project_id
    ) > c.count * ${GROWTH} as is_outgrown
    from (
      select project_id, chunk, count from version_chunks
      where is_built and cold is not null
        and chunk > coalesce((select value from sequences where name = ${COUNTED_CHUNK}), -1)
      order by chunk, project_id limit ${limit}) c`)
  const [chunks] = await readBatch(db, counted)
  // The next call begins again after the last chunk. Projects that share this chunk may have to wait until then.
  const next = chunks.length < limit ? -1 : (chunks.at(-1)?.chunk ?? -1)
  await writeBatch(db, [
    sql`insert into sequences (name, value) values (${COUNTED_CHUNK}, ${next})
        on conflict (name) do update set value = excluded.value`
  ])
  return chunks.filter(({ is_outgrown }) => is_outgrown)
}

/** Begins to build a chunk; nothing is read from it until it is finished. */
export const beginChunk = (db: Db, chunk: ProjectChunk, build: string) =>
  writeBatch(db, [
    sql`delete from version_chunks where ${isChunk(chunk)}`,
    sql`insert into version_chunks (project_id, chunk, build, is_built, count, versions, cold)
        values (${chunk.project_id}, ${chunk.chunk}, ${build}, 0, 0, '', null)`
  ])

export type VersionRow = { id: number; properties: string }

/** Reads the next versions of a chunk, in order: `maxRows` at most, and about `maxBytes` of properties, but one at least. */
export async function readVersions(
  db: Db,
  chunk: ProjectChunk,
  after: number,
  { maxRows, maxBytes }: { maxRows: number; maxBytes: number }
): Promise<{ versions: VersionRow[]; ms: number }> {
  const rest = sql`from person_versions where ${isIn(chunk)} and id > ${after} order by id`
  const sizes = sql`select sum(length(properties)) over (order by id rows unbounded preceding) as total
    from (select id, properties ${rest} limit ${maxRows})`
  const [result] = await db.$client.run<VersionRow>([
    bindRead(sql`
      select id, json(properties) as properties ${rest}
      limit max(1, (select count(*) from (${sizes}) where total <= ${maxBytes}))`)
  ])
  return { versions: result?.results ?? [], ms: result?.meta.duration ?? 0 }
}

/** Writes columns of a chunk, unless somebody else has begun to build it, or it is gone. */
export const writeColumns = (
  db: Db,
  { project_id, chunk }: ProjectChunk,
  build: string,
  columns: readonly EncodedColumn[]
) =>
  writeBatch(
    db,
    columns.map(
      ({ name, data }) => sql`
        insert into version_columns (project_id, chunk, name, data)
        select ${project_id}, ${chunk}, ${name}, ${data}
        where exists (select 1 from version_chunks where ${isChunk({ project_id, chunk })} and build = ${build})`
    )
  )

/** Lets a chunk be read, unless somebody else has begun to build it, or it is gone. */
export const finishChunk = (
  db: Db,
  chunk: ProjectChunk,
  build: string,
  { count, versions, cold }: { count: number; versions: string; cold: string | null }
) =>
  writeBatch(db, [
    sql`update version_chunks set is_built = 1, count = ${count}, versions = ${versions}, cold = ${cold}
        where ${isChunk(chunk)} and build = ${build}`
  ])

/**
 * A chunk as it is read. `versions` and `data` are null if they are known. The property has a column, or is cold: some versions
 * have it and there is no column, or none of the versions has it.
 */
export type ReadChunk = {
  chunk: number
  build: string
  versions: string | null
  data: string | null
  state: 'column' | 'cold' | 'none'
}

/** A chunk to read, and the builds of which the versions and the property are known. */
export type WantedChunk = {
  chunk: number
  versions: string | undefined
  column: string | undefined
}

/** Reads which versions some chunks of a project have, and a property of these. Chunks that are not built are left out. */
export async function readChunks(
  db: Db,
  projectId: number,
  key: string,
  wanted: readonly WantedChunk[]
): Promise<ReadChunk[]> {
  const rows = query<ReadChunk>(sql`
    select v.chunk, v.build,
      iif(v.build = w.value ->> 'versions', null, v.versions) as versions,
      iif(v.build = w.value ->> 'column', null, c.data) as data,
      case when c.name is not null then 'column'
        when v.cold is null or exists (select 1 from json_each(v.cold) where value = ${key}) then 'cold'
        else 'none' end as state
    from json_each(${JSON.stringify(wanted)}) w
      cross join version_chunks v
        on v.project_id = ${projectId} and v.chunk = w.value ->> 'chunk' and v.is_built
      left join version_columns c on c.project_id = v.project_id and c.chunk = v.chunk and c.name = ${key}`)
  return (await readBatch(db, rows))[0]
}

/** Returns the values of a property in some versions of persons of a project. */
export async function readValues(
  db: Db,
  projectId: number,
  versions: readonly number[],
  key: string
): Promise<{ ids: number[]; values: Json[] }> {
  const [[row]] = await readBatch(
    db,
    query<{ ids: string; found: string }>(sql`
      select json_group_array(v.id) as ids, json_group_array(${jsonOf(sql`v.properties`, key)}) as found
      from json_each(${JSON.stringify(versions)}) wanted cross join person_versions v
        on v.id = wanted.value and v.project_id = ${projectId}`)
  )
  return { ids: JSON.parse(row?.ids ?? '[]'), values: JSON.parse(row?.found ?? '[]') }
}

/** Lists chunks that are built, in random order. */
export const sampleChunks = async (db: Db, limit: number): Promise<ProjectChunk[]> => {
  const chunks = query<ProjectChunk>(sql`
    select project_id, chunk from version_chunks where is_built order by random() limit ${limit}`)
  return (await readBatch(db, chunks))[0]
}

export type StoredChunk = { build: string; versions: string; cold: string | null }

/** Reads a chunk that is built, and all of its columns; undefined if there is none. */
export async function readChunk(
  db: Db,
  chunk: ProjectChunk
): Promise<{ stored: StoredChunk; columns: EncodedColumn[] } | undefined> {
  const [[stored], columns] = await readBatch(
    db,
    query<StoredChunk>(sql`
      select build, versions, cold from version_chunks where ${isChunk(chunk)} and is_built`),
    query<EncodedColumn>(sql`select name, data from version_columns where ${isChunk(chunk)}`)
  )
  return stored && { stored, columns }
}

/** Removes a chunk unless it is built again already, so that the next run builds it. @returns whether it was there */
export async function removeChunk(db: Db, chunk: ProjectChunk, build: string): Promise<boolean> {
  const [removed] = await writeBatch(db, [
    sql`delete from version_chunks where ${isChunk(chunk)} and build = ${build} returning chunk`
  ])
  return (removed?.results.length ?? 0) > 0
}
