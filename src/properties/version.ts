/*
 * Versions as PostHog reads them: three numbers. What follows a hyphen or a plus says nothing, so that `1.2.3-beta` is
 * `1.2.3`. What is stored has to have all three; in a filter the missing ones are 0.
 */

/** Major, minor and patch. */
export type Version = readonly [number, number, number]

/** Up to three numbers without zeros before them, perhaps after a `v`; 15 digits are kept exactly. */
const NUMBERS =
  /^\s*v?(0|[1-9]\d{0,14})(?:\.(0|[1-9]\d{0,14}))?(?:\.(0|[1-9]\d{0,14}))?(?:[-+]\S*)?\s*$/
/** Longer text is no version. */
const MAX_LENGTH = 300

/** The numbers that a text has; undefined for anything but a version. */
function numbersOf(text: string): number[] | undefined {
  const match = text.length <= MAX_LENGTH ? NUMBERS.exec(text) : null
  return match?.slice(1).flatMap((digits) => (digits === undefined ? [] : [Number(digits)]))
}

/** A version as it is stored: `1.2` is none. */
export function parseVersion(text: string): Version | undefined {
  const [major, minor, patch] = numbersOf(text) ?? []
  return major === undefined || minor === undefined || patch === undefined
    ? undefined
    : [major, minor, patch]
}

/** Whether a filter can compare with it: `1` and `1.2` are `1.0.0` and `1.2.0`. */
export const isVersion = (text: string): boolean => numbersOf(text) !== undefined

/** Whether it stands for versions that begin alike: `1.2.*`, `1.x`, `1`, and `*` for all. */
export const isVersionPattern = (text: string): boolean =>
  ANY.test(text) || isVersion(withoutWildcard(text))

const ANY = /^[*x]$/i

const withoutWildcard = (text: string): string => text.replace(/\.[*x]$/i, '')

/** Negative when the first is the lower one, 0 when they are the same. */
const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** The versions from one on and before another. */
type Bounds = { from: Version; until: Version }

const isWithin = (version: Version, { from, until }: Bounds): boolean =>
  compare(version, from) >= 0 && compare(version, until) < 0

/** `~1.2.3` and `~1.2` are before `1.3.0`, `~1` is before `2.0.0`. */
const tilde = (from: Version, count: number): Bounds => ({
  from,
  until: count === 1 ? [from[0] + 1, 0, 0] : [from[0], from[1] + 1, 0]
})

/** Before the next of the first number that is not 0: `^1.2` is before `2.0.0`, `^0.2` before `0.3.0`, `^0` before `0.0.1`. */
function caret(from: Version): Bounds {
  const [major, minor, patch] = from
  if (major > 0) {
    return { from, until: [major + 1, 0, 0] }
  }
  return { from, until: minor > 0 ? [0, minor + 1, 0] : [0, 0, patch + 1] }
}

/** `1.2.*` is before `1.3.0`, `1.*` before `2.0.0`. */
const wildcard = (from: Version, count: number): Bounds => ({
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

const RANGES: Record<string, (from: Version, count: number) => Bounds> = {
  semver_tilde: tilde,
  semver_caret: caret,
  semver_wildcard: wildcard
}

/**
 * Returns what a `semver_…` operator asks of a version, with this value of a filter; undefined for other operators. The
 * value has to be one that `isVersion` or, for a wildcard, `isVersionPattern` takes.
 */
export function versionTest(
  operator: string,
  value: string
): ((version: Version) => boolean) | undefined {
  const isFulfilled = ORDERS[operator]
  const boundsOf = RANGES[operator]
  if (operator === 'semver_wildcard' && ANY.test(value)) {
    return () => true
  }
  const numbers = numbersOf(withoutWildcard(value)) ?? []
  const [major = 0, minor = 0, patch = 0] = numbers
  const wanted: Version = [major, minor, patch]
  if (isFulfilled) {
    return (version) => isFulfilled(compare(version, wanted))
  }
  if (!boundsOf) {
    return undefined
  }
  const bounds = boundsOf(wanted, numbers.length)
  return (version) => isWithin(version, bounds)
}
