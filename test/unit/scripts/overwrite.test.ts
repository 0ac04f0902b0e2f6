import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { overwriteDeleted } from '../../../scripts/local.ts'
import { overwriteErased } from '../../../scripts/overwrite.ts'

/** Creates a state folder with one database, in which a name has been deleted. */
function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const databases = join(folder, 'v3/d1/databases')
  mkdirSync(databases, { recursive: true })
  const file = join(databases, 'one.sqlite')
  const database = new DatabaseSync(file, { timeout: 30_000 })
  onTestFinished(() => database.close())
  database.exec(`
    create table erasures (status text, progress_at integer);
    create table names (name text);
    insert into names values ('Marie');
    delete from names;
    create table others (bytes blob);
    insert into others values (randomblob(1000000));`)
  return {
    folder,
    file,
    useWriteAheadLog: () => database.exec('pragma journal_mode = wal'),
    complete: (at: number) => database.exec(`insert into erasures values ('completed', ${at})`),
    deleteAgain: () => database.exec("insert into names values ('Marie'); delete from names"),
    hasName: () => readFileSync(file, 'latin1').includes('Marie')
  }
}

it('overwrites what an erasure has deleted, once', () => {
  const { folder, complete, deleteAgain, hasName } = newFolder()
  overwriteErased(folder)
  expect(hasName()).toBe(true)

  complete(1)
  overwriteErased(folder)
  expect(hasName()).toBe(false)

  deleteAgain()
  overwriteErased(folder)
  expect(hasName()).toBe(true)
})

it('overwrites what the next erasure has deleted, even if its time is earlier', () => {
  const { folder, complete, deleteAgain, hasName } = newFolder()
  complete(2)
  overwriteErased(folder)
  deleteAgain()

  complete(1)
  overwriteErased(folder)

  expect(hasName()).toBe(false)
})

it('removes the e-mails in files, and says so', () => {
  const { folder, complete } = newFolder()
  const emails = join(folder, 'tmp/miniflare-1/email/html')
  mkdirSync(emails, { recursive: true })
  const says = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => says.mockRestore())
  writeFileSync(join(emails, 'one.html'), 'Marie')
  overwriteDeleted(folder)
  expect([readdirSync(emails), says.mock.calls]).toEqual([['one.html'], []])

  complete(1)
  overwriteDeleted(folder)
  expect(readdirSync(emails)).toEqual([])
  expect(says.mock.calls).toEqual([
    [expect.stringContaining('All e-mails that were written to files are deleted')]
  ])

  complete(2)
  overwriteDeleted(folder)
  expect(says).toHaveBeenCalledTimes(1)
})

it('empties the write-ahead log, even while another process copies pages from it', async () => {
  const { folder, file, useWriteAheadLog, complete } = newFolder()
  useWriteAheadLog()
  const other = spawn(process.execPath, ['-e', CHECKPOINTS, file])
  onTestFinished(() => void other.kill())
  await once(other.stdout, 'data')

  for (let at = 1; at <= 20; at += 1) {
    complete(at)
    overwriteErased(folder)

    expect([at, statSync(`${file}-wal`).size]).toEqual([at, 0])
  }
})

/** A program that copies pages from the log of a database to its file again and again. */
const CHECKPOINTS = `
  const { DatabaseSync } = require('node:sqlite')
  const checkpoint = new DatabaseSync(process.argv[1]).prepare('pragma wal_checkpoint(passive)')
  console.log('ready')
  for (;;) checkpoint.all()`
