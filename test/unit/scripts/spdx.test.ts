import { expect, it } from 'vitest'
import { faultsOf } from '../../../scripts/spdx.ts'

it.each([
  [['MIT']],
  [['MIT', 'ISC']],
  [['(MPL-2.0 OR Apache-2.0)']],
  [['(Apache-2.0 AND MIT)']],
  [['(GPL-3.0-only OR MIT) AND OFL-1.1']]
])('allows %j', (licenses) => {
  expect(faultsOf(licenses)).toEqual([])
})

it.each([
  [[], ['it names no license']],
  [[undefined], ['the license "" is not allowed']],
  [['SEE LICENSE IN LICENSE'], ['the license "SEE LICENSE IN LICENSE" is not allowed']],
  [['MIT', 'AGPL-3.0-only'], ['the license "AGPL-3.0-only" is not allowed']],
  [['MIT AND GPL-3.0-only'], ['the license "GPL-3.0-only" is not allowed']],
  [['GPL-2.0-only OR GPL-3.0-only'], ['the license "GPL-2.0-only OR GPL-3.0-only" is not allowed']]
])('does not allow %j', (licenses, faults) => {
  expect(faultsOf(licenses)).toEqual(faults)
})
