import { expect, it } from 'vitest'
import { runScript } from '../../support/processes.ts'

/** The numbers in the rows of a part's table. */
function figures(output: string, part: string): number[] {
  const [, text = ''] = output.split(`## ${part}\n`)
  const [table = ''] = text.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('|'))
  const cells = rows.slice(2).flatMap((row) => row.split('|').slice(2))
  return cells.flatMap((cell) => cell.replaceAll(',', '').match(/\d+(\.\d+)?/g) ?? []).map(Number)
}

it('measures every part of the bench: each figure is there and above zero', async () => {
  const { code, stdout, stderr } = await runScript('bench', ['--smoke'], {})

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const counts = [
    'size',
    'http',
    'export',
    'capture',
    'purge',
    'trend',
    'deliveries',
    'similar'
  ].map((part) => figures(stdout, part).filter((figure) => figure > 0).length)
  expect(counts).toEqual([4, 32, 9, 8, 7, 46, 7, 9])
  expect(figures(stdout, 'growth')).toHaveLength(30)
})
