import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { LogFile } from '../../../scripts/log.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')

it('rotates when full, and keeps five files', () => {
  const folder = newFolder()
  const file = join(folder, 'service.log')
  const log = new LogFile(file, 100)

  for (let n = 1; n <= 70; n += 1) {
    log.write(`line ${String(n).padStart(4, '0')}\n`)
  }

  expect(readdirSync(folder).sort()).toEqual([
    'service.log',
    'service.log.1',
    'service.log.2',
    'service.log.3',
    'service.log.4'
  ])
  const names = ['service.log.4', 'service.log.3', 'service.log.2', 'service.log.1', 'service.log']
  const kept = names.flatMap((name) => linesOf(join(folder, name)))
  expect(kept.at(-1)).toBe('line 0070')
  expect(kept).toEqual(
    Array.from(
      { length: kept.length },
      (_, i) => `line ${String(71 - kept.length + i).padStart(4, '0')}`
    )
  )
  for (const name of names) {
    expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(110)
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  }
})

it('appends to the file of an earlier process', () => {
  const file = join(newFolder(), 'service.log')
  new LogFile(file).write('before\n')
  new LogFile(file).write('after\n')

  expect(linesOf(file)).toEqual(['before', 'after'])
})

it('drops lines that it cannot write, and reports how many', () => {
  const file = join(newFolder(), 'logs/service.log')
  const log = new LogFile(file)

  log.write('lost\n')
  log.write('lost\n')
  mkdirSync(join(file, '..'))
  log.write('kept\n')

  const [note, kept] = linesOf(file)
  expect(JSON.parse(note ?? '')).toEqual({ level: 'warn', message: 'log lines lost', writes: 2 })
  expect(kept).toBe('kept')
})
