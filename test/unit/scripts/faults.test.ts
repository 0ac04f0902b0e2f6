import { expect, it } from 'vitest'
import { describeFault, OperatorError } from '../../../scripts/faults.ts'
import { scripts } from '../../support/processes.ts'

it('describes an unexpected error and its causes in one line', () => {
  const cause = Object.assign(new Error('other side\n  closed'), { code: 'UND_ERR_SOCKET' })
  const error = new TypeError('fetch failed', { cause })

  expect(describeFault(error)).toBe(
    'Unexpected error: fetch failed: other side closed. Put STACK=1 before the command to see where it happened.'
  )
  expect(describeFault('a text')).toContain('Unexpected error: a text. ')
  expect(describeFault(new Error('x'.repeat(10_000))).length).toBeLessThan(700)
})

it('says that a disk is full, however deep the cause', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write'
  })
  for (const error of [
    full,
    new Error('Unavailable', { cause: full }),
    new Error('database or disk is full'),
    new Error(
      'failed: SQLite failed; disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_SHMSIZE)'
    ),
    new Error('D1_ERROR: database or disk is full: SQLITE_FULL')
  ]) {
    expect(describeFault(error)).toMatch(
      /^The disk takes no data, probably the one with .+ Free some space/
    )
  }
})

it('prints only the message of an error that the operator can fix', () => {
  expect(describeFault(new OperatorError('Start it first: npm start'))).toBe(
    'Start it first: npm start'
  )
  const traces = 'Traces are left: database or disk is full. Run npm run purge:now again.'
  expect(describeFault(new OperatorError(traces))).toBe(traces)
})

it.each([
  ['ENOENT', 'There is no /x.'],
  ['EISDIR', 'A folder is named where a file is needed.'],
  ['EACCES', '/x cannot be used: its owner does not allow it.'],
  ['EMFILE', '/x cannot be used (EMFILE).']
])('says in a sentence why a file cannot be used: %s', (code, sentence) => {
  const error = Object.assign(new Error(`${code}: raw, open '/x'`), {
    code,
    syscall: 'open',
    path: '/x'
  })
  expect(describeFault(error)).toBe(sentence)
})

it('every command is started with the entry that reports its failure', () => {
  const commands = Object.entries(scripts).filter(([, line]) =>
    /\b(scripts|bench)\/\w+\.ts/.test(line)
  )

  expect(commands.length).toBeGreaterThan(15)
  expect(commands.filter(([, line]) => !line.includes('--import ./scripts/entry.js '))).toEqual([])
})
