import { expect, it } from 'vitest'
import { share } from '../../support/depth.ts'
import { runScript } from '../../support/processes.ts'

/** Parts of the bench by how many figures above zero a trial of them prints. */
const FIGURES = {
  size: 4,
  http: 32,
  export: 9,
  capture: 8,
  purge: 7,
  trend: 46,
  deliveries: 7,
  similar: 9
}

/** Trials that take many seconds: they are made at full depth only. */
const LONG = ['costs', 'kill', 'soak']

/** The numbers in the rows of a part's table. */
function figures(output: string, part: string): number[] {
  const [, text = ''] = output.split(`## ${part}\n`)
  const [table = ''] = text.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('|'))
  const cells = rows.slice(2).flatMap((row) => row.split('|').slice(2))
  return cells.flatMap((cell) => cell.replaceAll(',', '').match(/\d+(\.\d+)?/g) ?? []).map(Number)
}

it('measures every part of the bench: each figure is there and above zero', async () => {
  const parts = [...Object.keys(FIGURES), 'growth', ...(share === 1 ? LONG : [])]

  const { code, stdout, stderr } = await runScript('bench', ['--smoke', ...parts], {})

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const found = Object.keys(FIGURES).map((part) => [
    part,
    figures(stdout, part).filter((figure) => figure > 0).length
  ])
  expect(Object.fromEntries(found)).toEqual(FIGURES)
  expect(figures(stdout, 'growth')).toHaveLength(30)
})
