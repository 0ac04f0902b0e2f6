/*
 * The id of a version of a person. An identity stands for one distinct id, and a person may have
 * several. Each version belongs to the identity whose event or change has made it: the lower 24
 * bits are the number of the version within its identity, the bits above are the key of that
 * identity, which is at least 1.
 */

/** Version ids per identity. */
export const VERSIONS = 2 ** 24

/** Returns the id of an identity's version: identity 3, version 5 → 50331653. */
export const versionId = (identity: number, version: number): number =>
  identity * VERSIONS + version

/** Returns the key of the identity that a version belongs to. */
export const identityOf = (id: number): number => Math.floor(id / VERSIONS)

/** Returns the number of a version within its identity. */
export const numberOf = (id: number): number => id % VERSIONS

/**
 * Shortens the id of the version that an event refers to. A version of the event's own identity, as
 * nearly all are, becomes its number; any other keeps its id. Numbers are below `VERSIONS`, and ids
 * are not, because keys of identities are at least 1.
 */
export const toShort = (id: number, identity: number): number =>
  identityOf(id) === identity ? numberOf(id) : id

/** Returns the version's id to which an identity's event refers: the inverse of `toShort`. */
export const toId = (short: number, identity: number): number =>
  short < VERSIONS ? versionId(identity, short) : short
