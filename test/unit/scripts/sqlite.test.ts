import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openFiles } from '../../../scripts/sqlite.ts'

const countOpenFiles = () => readdirSync('/dev/fd').length

it('leaves no database open if one of several cannot be opened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const second = join(folder, 'second.sqlite')
  // SQLite opens the second database, and then cannot create its log.
  mkdirSync(`${second}-wal`)
  const before = countOpenFiles()

  expect(() => openFiles([join(folder, 'first.sqlite'), second])).toThrow()

  expect(countOpenFiles()).toBe(before)
})
