import { expect, it } from 'vitest'
import { share } from '../../support/depth.ts'
import { runScript } from '../../support/processes.ts'

/** How many figures above zero a smoke run prints, by part of the bench. */
const FIGURES = { http: 32, capture: 8 }
const MORE_FIGURES = {
  size: 5,
  trend: 93,
  questions: 45,
  statements: 40,
  charts: 9,
  export: 9,
  purge: 7,
  deliveries: 7,
  similar: 9
}

/** Parts whose smoke run takes many seconds, or whose figures may be zero. */
const LONG = ['costs', 'latency', 'growth', 'seal', 'kill', 'soak']

/** Returns the numbers in the table of a part. */
function figures(output: string, part: string): number[] {
  const [, text = ''] = output.split(`## ${part}\n`)
  const [table = ''] = text.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('|'))
  const cells = rows.slice(2).flatMap((row) => row.split('|').slice(2))
  return cells.flatMap((cell) => cell.replaceAll(',', '').match(/\d+(\.\d+)?/g) ?? []).map(Number)
}

it('a smoke run of the bench measures two parts, and at full depth all of them', async () => {
  const expected = share === 1 ? { ...FIGURES, ...MORE_FIGURES } : FIGURES
  const parts = [...Object.keys(expected), ...(share === 1 ? LONG : [])]

  const { code, stdout, stderr } = await runScript('bench', ['--smoke', ...parts], {})

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const found = Object.keys(expected).map((part) => [
    part,
    figures(stdout, part).filter((figure) => figure > 0).length
  ])
  expect(Object.fromEntries(found)).toEqual(expected)
  expect(figures(stdout, 'growth')).toHaveLength(share === 1 ? 119 : 0)
})

it.each([['typo'], ['--typo']])(
  'the bench prints its usage in one line for %s',
  async (argument) => {
    const { code, stdout, stderr } = await runScript('bench', [argument], {})

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Usage: npm run bench -- .*\. Parts: size, http, .*\.\n$/)
  }
)
