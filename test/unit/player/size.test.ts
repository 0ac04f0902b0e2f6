import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildPlayer } from '../../../scripts/player.ts'

/** Bytes as sent, gzipped. The frame contains rrweb, most of its size. */
const BUDGETS = { 'player.js': 14_000, 'player.css': 2_500, 'frame.js': 70_000, 'frame.css': 200 }

it('the player is light', async () => {
  const { files } = await buildPlayer()

  for (const [name, budget] of Object.entries(BUDGETS)) {
    const [kind, end] = name.split('.')
    const [path = '', content = ''] =
      [...files].find(([file]) => file.startsWith(`player/${kind}-`) && file.endsWith(`.${end}`)) ??
      []
    expect(path).not.toBe('')
    expect([name, gzipSync(content).length]).toEqual([
      name,
      expect.toSatisfy((size) => size <= budget)
    ])
  }
})
