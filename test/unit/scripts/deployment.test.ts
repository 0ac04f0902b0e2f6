import { expect, it } from 'vitest'
import { mergeSettings } from '../../../scripts/deployment.ts'

it('merges tables, and replaces other values', () => {
  const base = { name: 'a', vars: { EMAIL_FROM: 'a', MODE: '' }, triggers: { crons: ['1', '2'] } }
  const own = { name: 'b', vars: { EMAIL_FROM: 'b' }, triggers: { crons: ['3'] }, routes: ['c'] }

  expect(mergeSettings(base, own)).toEqual({
    name: 'b',
    vars: { EMAIL_FROM: 'b', MODE: '' },
    triggers: { crons: ['3'] },
    routes: ['c']
  })
})

it('merges lists of tables by their bindings or names, with new ones at the end', () => {
  const databases = [{ binding: 'DB', database_name: 'a', migrations_dir: 'migrations' }]
  const limits = [
    { name: 'A', simple: { limit: 1, period: 60 } },
    { name: 'B', simple: { limit: 2, period: 60 } }
  ]

  expect(
    mergeSettings(databases, [
      { binding: 'DB_2', database_name: 'c' },
      { binding: 'DB', database_name: 'b' }
    ])
  ).toEqual([
    { binding: 'DB', database_name: 'b', migrations_dir: 'migrations' },
    { binding: 'DB_2', database_name: 'c' }
  ])
  expect(mergeSettings(limits, [{ name: 'B', simple: { limit: 3 } }])).toEqual([
    limits[0],
    { name: 'B', simple: { limit: 3, period: 60 } }
  ])
})

it('replaces lists of tables that have neither', () => {
  expect(mergeSettings([{ queue: 'a', max_retries: 3 }], [{ queue: 'b' }])).toEqual([
    { queue: 'b' }
  ])
})
