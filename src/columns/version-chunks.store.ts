import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { bindRead, query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { jsonOf } from '../db/filter.ts'
import {
  actorChunks,
  personVersions,
  sequences,
  versionChunks,
  versionColumns
} from '../db/schema.ts'
import { insertSelect } from '../db/statements.ts'
import type { Json } from '../input/json.ts'
import { listedIn } from './names.store.ts'
import type { BuiltChunk, ProjectChunk } from './places.ts'
import type { EncodedColumn } from './property-columns.ts'
import { writeColumns } from './write.store.ts'

/**
 * Ratio of the versions in a chunk's range to those in the chunk, above which it is built again.
 */
const GROWTH = 1.25

/**
 * The row of `sequences` with the chunk whose versions were counted last, or -1 before the first.
 */
const COUNTED_CHUNK = 'counted_version_chunk'

const v = alias(versionChunks, 'v')
const c = alias(versionColumns, 'c')
const o = alias(versionColumns, 'o')

/** Bits of a version's id below its chunk: 24 of its number, and 12 of its identity. */
export const BITS_BELOW_CHUNK = sql.raw('36')

const isIn = ({ project_id, chunk }: ProjectChunk): SQL =>
  sql`${personVersions.id} >= cast(${chunk} as integer) << ${BITS_BELOW_CHUNK}
      and ${personVersions.id} < cast(${chunk + 1} as integer) << ${BITS_BELOW_CHUNK}
      and +${personVersions.projectId} = ${project_id}`

const isChunk = ({ project_id, chunk }: ProjectChunk): SQL =>
  sql`${versionChunks.projectId} = ${project_id} and ${versionChunks.chunk} = ${chunk}`

/** The condition that a chunk still has this build; at most one row fulfils it. */
const isBuild = (chunk: BuiltChunk): SQL =>
  sql`${isChunk(chunk)} and ${versionChunks.build} = ${chunk.build}`

/** Returns the chunks of actors whose versions have no copy yet, or no longer one. */
export async function findUncopied(db: Db): Promise<ProjectChunk[]> {
  const missing = query<ProjectChunk>(sql`
    select ${actorChunks.projectId}, ${actorChunks.chunk}
    from ${actorChunks} left join ${versionChunks}
      on ${versionChunks.projectId} = ${actorChunks.projectId} and ${versionChunks.chunk} = ${actorChunks.chunk}
      and ${versionChunks.isBuilt}
    where ${versionChunks.chunk} is null order by 2, 1`)
  return (await readBatch(db, missing))[0]
}

/**
 * Counts the versions of the next `limit` chunks, from where the last call ended. Returns those
 * with many new versions. Leaves out chunks that list no versions, because they have too many.
 */
export async function findOutgrown(db: Db, limit: number): Promise<ProjectChunk[]> {
  const counted = query<ProjectChunk & { is_outgrown: number }>(sql`
    select c.project_id, c.chunk, (
      select count(*) from ${personVersions}
      where ${personVersions.id} >= c.chunk << ${BITS_BELOW_CHUNK}
        and ${personVersions.id} < (c.chunk + 1) << ${BITS_BELOW_CHUNK}
        and +${personVersions.projectId} = c.project_id
    ) > c.count * ${GROWTH} as is_outgrown
    from (
      select ${versionChunks.projectId}, ${versionChunks.chunk}, ${versionChunks.count} from ${versionChunks}
      where ${versionChunks.isBuilt} and ${versionChunks.versions} <> ''
        and ${versionChunks.chunk} > coalesce((
          select ${sequences.value} from ${sequences} where ${sequences.name} = ${COUNTED_CHUNK}), -1)
      order by ${versionChunks.chunk}, ${versionChunks.projectId} limit ${limit}) c`)
  const [chunks] = await readBatch(db, counted)
  // -1 begins a new round. Other projects' chunks with the same number as the last one may have to
  // wait for that round.
  const next = chunks.length < limit ? -1 : (chunks.at(-1)?.chunk ?? -1)
  await db
    .insert(sequences)
    .values({ name: COUNTED_CHUNK, value: next })
    .onConflictDoUpdate({ target: sequences.name, set: { value: next } })
  return chunks.filter(({ is_outgrown }) => is_outgrown)
}

/** Begins to build a chunk. */
export async function beginVersions(db: Db, chunk: ProjectChunk): Promise<BuiltChunk> {
  const build = crypto.randomUUID()
  const content = { isBuilt: false, count: 0, versions: '', cold: null }
  await db.batch([
    db.delete(versionChunks).where(isChunk(chunk)),
    db
      .insert(versionChunks)
      .values({ projectId: chunk.project_id, chunk: chunk.chunk, build, ...content })
  ])
  return { ...chunk, build }
}

export type VersionRow = { id: number; properties: string }

/**
 * Reads a chunk's next versions, by id: at most `maxRows`, with about `maxBytes` of properties, but
 * at least one version.
 */
export async function readVersionRows(
  db: Db,
  chunk: ProjectChunk,
  after: { id: number },
  { maxRows, maxBytes }: { maxRows: number; maxBytes: number }
): Promise<{ rows: VersionRow[]; ms: number }> {
  const { id, properties } = personVersions
  const rest = sql`from ${personVersions} where ${isIn(chunk)} and ${id} > ${after.id} order by ${id}`
  const sizes = sql`
    select sum(bytes) over (order by id rows unbounded preceding) as total
    from (select ${id}, length(${properties}) as bytes ${rest} limit ${maxRows})`
  const [result] = await db.$client.run<VersionRow>([
    bindRead(sql`
      select ${id}, json(${properties}) as properties ${rest}
      limit max(1, (select count(*) from (${sizes}) where total <= ${maxBytes}))`)
  ])
  return { rows: result?.results ?? [], ms: result?.meta.duration ?? 0 }
}

/** Writes columns of a chunk, unless another run has begun to build it, or it is gone. */
export const writeVersions = (
  db: Db,
  chunk: BuiltChunk,
  columns: readonly EncodedColumn[]
): Promise<{ ms: number }> =>
  writeColumns(db, columns, ({ name, data }) =>
    insertSelect(
      versionColumns,
      { projectId: chunk.project_id, chunk: chunk.chunk, name, data },
      sql`${versionChunks} where ${isBuild(chunk)}`
    )
  )

/** The content of a chunk besides its columns. `versions` is undefined if the chunk lists none. */
export type VersionsContent = { count: number; versions: string | undefined; cold: string | null }

/** Makes a chunk readable, unless another run has begun to build it, or it is gone. */
export async function finishVersions(
  db: Db,
  chunk: BuiltChunk,
  { versions = '', ...content }: VersionsContent
): Promise<boolean> {
  const finished = await db
    .update(versionChunks)
    .set({ isBuilt: true, versions, ...content })
    .where(isBuild(chunk))
    .returning({ chunk: versionChunks.chunk })
  return finished.length > 0
}

/**
 * A chunk as it is read. `versions` and `data` are null if the reader knows them. `state` is
 * `unlisted` if the chunk lists no versions, because it has too many, `column` if the property has
 * one, `cold` if versions may have the property and there is no column, and `none` if no version
 * has it.
 */
export type ReadVersions = {
  chunk: number
  build: string
  versions: string | null
  /** The column; in the state `none`, the encoded list of the properties without a column. */
  data: string | null
  state: 'unlisted' | 'column' | 'cold' | 'none'
  /** A JSON list of the properties with a column; null in the state `column`. */
  with_column: string | null
}

/** A chunk to read, and the builds of which the reader knows the versions and the column. */
export type WantedVersions = {
  chunk: number
  versions: string | undefined
  column: string | undefined
}

/** Reads the versions of some chunks that are built, and their columns of a property. */
export async function readVersionChunks(
  db: Db,
  projectId: number,
  key: string,
  wanted: readonly WantedVersions[]
): Promise<ReadVersions[]> {
  const rows = query<ReadVersions>(sql`
    select ${v.chunk}, ${v.build},
      iif(${v.build} = w.value ->> 'versions', null, ${v.versions}) as versions,
      iif(${v.build} = w.value ->> 'column', null, coalesce(${c.data}, ${v.cold})) as data,
      case when ${v.versions} = '' then 'unlisted'
        when ${c.name} is not null then 'column'
        when ${v.cold} is null or exists (select 1 from json_each(${listedIn(v.cold)}) where value = ${key}) then 'cold'
        else 'none' end as state,
      iif(${c.name} is null and ${v.build} is not w.value ->> 'column', (
        select json_group_array(${o.name}) from ${versionColumns} ${o}
        where ${o.projectId} = ${v.projectId} and ${o.chunk} = ${v.chunk}), null) as with_column
    from json_each(${JSON.stringify(wanted)}) w
      cross join ${versionChunks} ${v}
        on ${v.projectId} = ${projectId} and ${v.chunk} = w.value ->> 'chunk' and ${v.isBuilt}
      left join ${versionColumns} ${c}
        on ${c.projectId} = ${v.projectId} and ${c.chunk} = ${v.chunk} and ${c.name} = ${key}`)
  return (await readBatch(db, rows))[0]
}

/** Returns the values of a property in some versions of persons of a project. */
export async function readVersionValues(
  db: Db,
  projectId: number,
  versions: readonly number[],
  key: string
): Promise<[id: number, value: Json][]> {
  const [[row]] = await readBatch(
    db,
    query<{ ids: string; found: string }>(sql`
      select json_group_array(${personVersions.id}) as ids,
        json_group_array(${jsonOf(sql`${personVersions.properties}`, key)}) as found
      from json_each(${JSON.stringify(versions)}) wanted cross join ${personVersions}
        on ${personVersions.id} = wanted.value and ${personVersions.projectId} = ${projectId}`)
  )
  const ids: number[] = JSON.parse(row?.ids ?? '[]')
  const values: Json[] = JSON.parse(row?.found ?? '[]')
  return ids.map((id, i) => [id, values[i] ?? null])
}

/** Lists chunks that are built, in random order. */
export async function sampleVersions(db: Db, limit: number): Promise<ProjectChunk[]> {
  const chunks = query<ProjectChunk>(sql`
    select ${versionChunks.projectId}, ${versionChunks.chunk} from ${versionChunks}
    where ${versionChunks.isBuilt} order by random() limit ${limit}`)
  return (await readBatch(db, chunks))[0]
}

/** A chunk that is built; `versions` is null if it lists none. */
export type VersionsCopy = BuiltChunk & {
  versions: string | null
  cold: string | null
  columns: EncodedColumn[]
}

/** Reads a chunk that is built, and all of its columns; undefined if there is none. */
export async function openVersions(db: Db, chunk: ProjectChunk): Promise<VersionsCopy | undefined> {
  const [[stored], columns] = await readBatch(
    db,
    query<Pick<VersionsCopy, 'build' | 'versions' | 'cold'>>(sql`
      select ${versionChunks.build}, nullif(${versionChunks.versions}, '') as versions,
        ${versionChunks.cold}
      from ${versionChunks} where ${isChunk(chunk)} and ${versionChunks.isBuilt}`),
    query<EncodedColumn>(sql`
      select ${versionColumns.name}, ${versionColumns.data} from ${versionColumns}
      where ${versionColumns.projectId} = ${chunk.project_id}
        and ${versionColumns.chunk} = ${chunk.chunk}`)
  )
  return stored && { ...chunk, ...stored, columns }
}
