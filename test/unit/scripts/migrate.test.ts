import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../scripts/migrate.ts'
import { openFile } from '../../../scripts/sqlite.ts'

it('refuses a database from before the first release, and changes nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { binding, close } = openFile(join(folder, 'one.sqlite'))
  onTestFinished(close)
  const write = (name: string) => {
    const migrations = join(folder, name)
    mkdirSync(migrations)
    writeFileSync(join(migrations, `0000_${name}.sql`), `create table ${name} (id integer)`)
    return migrations
  }
  await migrate(binding, write('before'))

  await expect(migrate(binding, write('released'))).rejects.toThrow('made before version 0.1.0')

  const tables = await binding
    .prepare("select name from sqlite_schema where name = 'released'")
    .all()
  expect(tables.results).toEqual([])
})

it('applies each file once, even if two commands migrate a new database at the same time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const migrations = join(folder, 'migrations')
  mkdirSync(migrations)
  writeFileSync(join(migrations, '0000_users.sql'), 'create table users (id integer)')
  writeFileSync(
    join(migrations, '0001_colours.sql'),
    'create table colours (id integer);\n--> statement-breakpoint\ninsert into colours values (1);'
  )
  const open = () => {
    const { binding, close } = openFile(join(folder, 'one.sqlite'))
    onTestFinished(close)
    return binding
  }
  const one = open()
  const other = open()

  await Promise.all([migrate(one, migrations), migrate(other, migrations)])

  const applied = await one.prepare('select name from d1_migrations order by id').all()
  expect(applied.results).toEqual([{ name: '0000_users.sql' }, { name: '0001_colours.sql' }])
  expect((await other.prepare('select id from colours').all()).results).toEqual([{ id: 1 }])
})
