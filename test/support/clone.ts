import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { newStateDir } from './processes.ts'

const root = join(import.meta.dirname, '../..')

/** Makes a clone in which nothing has been run yet, not even `npm ci`. */
export function newClone(): string {
  const clone = newStateDir()
  for (const name of [
    'scripts',
    'src',
    'player',
    'console',
    'migrations',
    'package.json',
    'wrangler.toml'
  ]) {
    cpSync(join(root, name), join(clone, name), { recursive: true })
  }
  return clone
}

/** Gives a clone the packages of this one, without the builds that are cached beside them. */
export function linkPackages(clone: string): void {
  const packages = join(root, 'node_modules')
  mkdirSync(join(clone, 'node_modules'))
  for (const name of readdirSync(packages).filter((one) => one !== '.cache')) {
    symlinkSync(join(packages, name), join(clone, 'node_modules', name))
  }
}
