/*
 * The places of stored texts, which their checksums cover. So a text is damaged if it belongs to
 * another segment or chunk, or to an earlier build.
 */

/** @param parts at least a token of the segment or chunk, and the name of the text in there */
const toPlace = (...parts: readonly (string | number)[]): string => JSON.stringify(parts)

/** A segment that is built; `build` is its token. Times are ms UTC. */
export type BuiltSegment = {
  build: string
  projectId: number
  eventId: number
  since: number
  until: number
}

/** Returns the place of a segment's slots, which covers its range and number of events. */
export const placeOfSlots = (segment: BuiltSegment & { count: number }): string =>
  toPlace(
    segment.build,
    'slots',
    segment.projectId,
    segment.eventId,
    segment.since,
    segment.until,
    segment.count
  )

/** Returns the place of a segment's column. */
export const placeOfColumn = ({ build }: { build: string }, name: string): string =>
  toPlace(build, 'column', name)

/**
 * Returns the place of the list of properties without a column. It covers the names of those that
 * have a column: without a column, a property that is not listed would have no values.
 */
export const placeOfCold = ({ build }: { build: string }, withColumn: readonly string[]): string =>
  toPlace(build, 'cold', ...withColumn.toSorted())

/** A chunk of a project's identities: those with the keys from `chunk * 4096` on. */
export type ProjectChunk = { project_id: number; chunk: number }

/** A build of a chunk. */
export type BuiltChunk = ProjectChunk & { build: string }

/** Returns the place of a chunk's actors. */
export const placeOfActors = ({ project_id, chunk, build }: BuiltChunk): string =>
  toPlace(build, 'actors', project_id, chunk)

/** Returns the place of the list of a chunk's versions. */
export const placeOfVersions = ({ project_id, chunk, build }: BuiltChunk): string =>
  toPlace(build, 'versions', project_id, chunk)
