/** Licenses of packages that may be deployed unmodified with this service, by their SPDX ids. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'OFL-1.1',
  'Unlicense'
])

/**
 * Returns why the licenses of a package do not allow its use, one reason for each license.
 *
 *     ['(MPL-2.0 OR Apache-2.0)'] → []
 *     ['MIT AND GPL-3.0-only'] → ['the license "GPL-3.0-only" is not allowed']
 */
export function faultsOf(licenses: (string | undefined)[]): string[] {
  if (licenses.length === 0) {
    return ['it names no license']
  }
  return licenses
    .flatMap((license = '') => license.replaceAll(/[()]/g, '').split(/\s+AND\s+/))
    .filter((choice) => !choice.split(/\s+OR\s+/).some((id) => ALLOWED.has(id)))
    .map((choice) => `the license "${choice}" is not allowed`)
}
