import { expect, it } from 'vitest'
import { share } from '../../support/depth.ts'
import { runScript } from '../../support/processes.ts'

/** Parts of the bench by how many figures above zero a trial of them prints. */
const FIGURES = { size: 4, http: 32, capture: 8, trend: 46 }
const MORE_FIGURES = { export: 9, purge: 7, deliveries: 7, similar: 9 }

/** Parts of which a trial takes many seconds, or whose figures may be zero. */
const LONG = ['costs', 'growth', 'kill', 'soak']

/** The numbers in the rows of a part's table. */
function figures(output: string, part: string): number[] {
  const [, text = ''] = output.split(`## ${part}\n`)
  const [table = ''] = text.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('|'))
  const cells = rows.slice(2).flatMap((row) => row.split('|').slice(2))
  return cells.flatMap((cell) => cell.replaceAll(',', '').match(/\d+(\.\d+)?/g) ?? []).map(Number)
}

it('measures parts of the bench, at full depth all: each figure is there and above zero', async () => {
  const expected = share === 1 ? { ...FIGURES, ...MORE_FIGURES } : FIGURES
  const parts = [...Object.keys(expected), ...(share === 1 ? LONG : [])]

  const { code, stdout, stderr } = await runScript('bench', ['--smoke', ...parts], {})

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const found = Object.keys(expected).map((part) => [
    part,
    figures(stdout, part).filter((figure) => figure > 0).length
  ])
  expect(Object.fromEntries(found)).toEqual(expected)
  expect(figures(stdout, 'growth')).toHaveLength(share === 1 ? 30 : 0)
})
