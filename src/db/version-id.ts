/*
 * The id of a version of a person: its lower 24 bits are the number of the version within its identity, the bits above are the
 * key of the identity.
 */

/** Version ids per identity. */
export const VERSIONS = 2 ** 24

/** Returns the id of an identity's version: identity 3, version 5 → 50331653. */
export const versionId = (identity: number, number: number): number => identity * VERSIONS + number

/** Returns the key of the identity that a version belongs to. */
export const identityOf = (id: number): number => Math.floor(id / VERSIONS)

/** Returns the number of a version within its identity. */
export const numberOf = (id: number): number => id % VERSIONS
