import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { linkPackages, newClone } from '../../support/clone.ts'
import { newStateDir, runScript } from '../../support/processes.ts'

const root = join(import.meta.dirname, '../../..')

/** Runs a file of `scripts` in a clone as npm does, on the default state folder. */
function runIn(clone: string, more: object, file: string, ...args: string[]) {
  const { STATE_DIR: _, ...own } = process.env
  const env = { ...own, ...more }
  const nodeArgs = ['--import', './scripts/entry.js', `scripts/${file}`, ...args]
  const { status, stderr } = spawnSync(process.execPath, nodeArgs, {
    cwd: clone,
    env,
    encoding: 'utf8'
  })
  return { status, stderr }
}

describe('a state folder', () => {
  it.each([
    ['start', []],
    ['dev', []],
    ['key', ['list']],
    ['verify', []]
  ])('replaced by a file is reported in one line: npm run %s', async (script, args) => {
    const file = join(newStateDir(), 'file')
    writeFileSync(file, '')

    const { code, stderr } = await runScript(script, args, { STATE_DIR: file, PORT: '0' })

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Data cannot be stored in ${file} (a file is in its place). Choose another folder: put STATE_DIR=<folder> before the command.\n`
    })
  })

  it.each([{}, { STATE_DIR: '' }])(
    'is not created by a command while the service runs on another: %j',
    (more) => {
      const clone = newClone()
      symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
      const { stateDir } = inject('service')

      const { status, stderr } = runIn(clone, more, 'admin.ts', 'project', 'list')

      expect(status).toBe(1)
      expect(stderr).toContain(`There is no data in ${join(clone, '.wrangler/state')}, but `)
      expect(stderr).toContain(stateDir)
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(existsSync(join(clone, '.wrangler'))).toBe(false)
    }
  )
})

it('a command that fails unexpectedly ends with one sentence, also in a callback', () => {
  const file = join(newStateDir(), 'command.ts')
  const args = ['--import', join(root, 'scripts/entry.js'), file]
  const fault = "new TypeError('fetch failed', { cause: new Error('other side closed') })"
  for (const source of [
    `throw ${fault}`,
    `setTimeout(() => { throw ${fault} })`,
    `setTimeout(() => Promise.reject(${fault})); await new Promise(() => {})`
  ]) {
    writeFileSync(file, source)

    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'Unexpected error: fetch failed: other side closed. Put STACK=1 before the command to see where it happened.\n'
    })
  }
})

describe('a clone', () => {
  it.each(['start.ts', 'dev.ts', 'admin.ts', 'deploy.ts'])(
    'without packages reports in one line what to do: %s',
    (file) => {
      expect(runIn(newClone(), {}, file)).toEqual({
        status: 1,
        stderr: 'The packages are not installed yet. Run: npm ci\n'
      })
    }
  )

  it('that is read-only is reported in one line by npm start', () => {
    const clone = newClone()
    linkPackages(clone)
    // Not even root can create a folder below a file.
    writeFileSync(join(clone, 'node_modules/.cache'), '')

    const { status, stderr } = runIn(clone, {}, 'start.ts')

    expect(status).toBe(1)
    expect(stderr).toContain('The worker cannot be built: ')
    expect(stderr.trim().split('\n')).toEqual([
      'Starting…',
      expect.stringContaining('not writable')
    ])
  })

  it('that is read-only is reported in one line by npm run dev', () => {
    const clone = newClone()
    linkPackages(clone)
    writeFileSync(join(clone, 'dist'), '')

    const { status, stderr } = runIn(clone, {}, 'dev.ts')

    expect(status).toBe(1)
    expect(stderr).toMatch(/^The worker cannot be built: .+ is not writable \(\w+\)\.\n$/)
  })
})
