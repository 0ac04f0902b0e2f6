/*
 * Versions as PostHog reads them: three numbers. Text after a hyphen or a plus is ignored:
 * `1.2.3-beta` is `1.2.3`. Stored versions must have all three numbers; in a filter, missing
 * numbers are 0.
 */

/** Major, minor and patch. */
export type SemVersion = readonly [number, number, number]

/**
 * One to three numbers without leading zeros, after an optional `v`. Each has at most 15 digits, so
 * that a double holds it exactly.
 */
const NUMBERS =
  /^\s*v?(0|[1-9]\d{0,14})(?:\.(0|[1-9]\d{0,14}))?(?:\.(0|[1-9]\d{0,14}))?(?:[-+]\S*)?\s*$/
/** Longest version, characters; a longer text is not a version. */
const MAX_LENGTH = 300

/** Reads one to three numbers; undefined for other texts. `v1.2-beta` → `[1, 2]` */
function numbersOf(text: string): number[] | undefined {
  const match = text.length <= MAX_LENGTH ? NUMBERS.exec(text) : null
  return match?.slice(1).flatMap((digits) => (digits === undefined ? [] : [Number(digits)]))
}

/** Reads a stored version, which must have three numbers, unlike `1.2`. */
export function parseVersion(text: string): SemVersion | undefined {
  const [major, minor, patch] = numbersOf(text) ?? []
  return major === undefined || minor === undefined || patch === undefined
    ? undefined
    : [major, minor, patch]
}

/** Whether a text is a version for a filter: `1` and `1.2` are, and mean `1.0.0` and `1.2.0`. */
export const isVersion = (text: string): boolean => numbersOf(text) !== undefined

/** Whether a text is a pattern of versions: `1.2.*`, `1.x`, `1`, or `*` for every one. */
export const isVersionPattern = (text: string): boolean =>
  ANY.test(text) || isVersion(withoutWildcard(text))

const ANY = /^[*x]$/i

const withoutWildcard = (text: string): string => text.replace(/\.[*x]$/i, '')

const compare = (a: SemVersion, b: SemVersion): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** A half-open range of versions: `from` belongs to it, `until` does not. */
type Bounds = { from: SemVersion; until: SemVersion }

const isWithin = (version: SemVersion, { from, until }: Bounds): boolean =>
  compare(version, from) >= 0 && compare(version, until) < 0

/**
 * `~1.2.3` → `1.2.3` up to `1.3.0`, `~1` → `1.0.0` up to `2.0.0`.
 * @param count how many numbers the filter gives: 1 for `~1`, although `from` has three
 */
const tilde = (from: SemVersion, count: number): Bounds => ({
  from,
  until: count === 1 ? [from[0] + 1, 0, 0] : [from[0], from[1] + 1, 0]
})

/**
 * Ends where the first number that is not 0 increases, or the patch number if all are 0: `^1.2` →
 * up to `2.0.0`, `^0.2` → up to `0.3.0`, `^0` → up to `0.0.1`.
 */
function caret(from: SemVersion): Bounds {
  const [major, minor, patch] = from
  if (major > 0) {
    return { from, until: [major + 1, 0, 0] }
  }
  return { from, until: minor > 0 ? [0, minor + 1, 0] : [0, 0, patch + 1] }
}

/** `1.2.*` → `1.2.0` up to `1.3.0`, `1.2.3` → only `1.2.3`. `count` as for `tilde`. */
const wildcard = (from: SemVersion, count: number): Bounds => ({
  from,
  until: count === 3 ? [from[0], from[1], from[2] + 1] : tilde(from, count).until
})

const ORDERS: Record<string, (order: number) => boolean> = {
  semver_eq: (order) => order === 0,
  semver_neq: (order) => order !== 0,
  semver_gt: (order) => order > 0,
  semver_gte: (order) => order >= 0,
  semver_lt: (order) => order < 0,
  semver_lte: (order) => order <= 0
}

const RANGES: Record<string, (from: SemVersion, count: number) => Bounds> = {
  semver_tilde: tilde,
  semver_caret: caret,
  semver_wildcard: wildcard
}

/**
 * Returns the test of a `semver_…` operator with one value of a filter; undefined for other
 * operators. The value must have passed `isVersion`, or `isVersionPattern` for `semver_wildcard`.
 */
export function versionTest(
  operator: string,
  value: string
): ((version: SemVersion) => boolean) | undefined {
  const isFulfilled = ORDERS[operator]
  const boundsOf = RANGES[operator]
  if (operator === 'semver_wildcard' && ANY.test(value)) {
    return () => true
  }
  const numbers = numbersOf(withoutWildcard(value)) ?? []
  const [major = 0, minor = 0, patch = 0] = numbers
  const wanted: SemVersion = [major, minor, patch]
  if (isFulfilled) {
    return (version) => isFulfilled(compare(version, wanted))
  }
  if (!boundsOf) {
    return undefined
  }
  const bounds = boundsOf(wanted, numbers.length)
  return (version) => isWithin(version, bounds)
}
