import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { type Config, checkConfig, readToml } from './config.ts'
import { configPath, root } from './environment.ts'
import { OperatorError } from './faults.ts'

type Table = { [name: string]: unknown }

const { DEPLOYMENT = join(root, 'deployment.toml') } = process.env

/**
 * The file with the deployment's own settings. Git ignores the default, so that an upgrade has no
 * conflict with it.
 */
const ownPath = resolve(DEPLOYMENT)

/** The file with the settings of wrangler.toml and the deployment's own, merged for wrangler. */
const mergedPath = join(root, '.wrangler/deployment', `${basename(ownPath, '.toml')}.json`)

/**
 * Reads the settings of wrangler.toml with the deployment's own.
 * @throws OperatorError for an invalid file, or if the file that DEPLOYMENT names is missing
 */
export const readDeployment = (): Config =>
  checkConfig(readMerged(), hasOwnSettings() ? ownPath : configPath)

/**
 * Returns wrangler's arguments to work on this deployment; none if it has no settings of its own.
 */
export function deploymentArgs(): string[] {
  if (!hasOwnSettings()) {
    return []
  }
  mkdirSync(dirname(mergedPath), { recursive: true })
  writeFileSync(mergedPath, JSON.stringify(fromFolder(readMerged()), null, 2))
  return ['--config', relative(root, mergedPath)]
}

/**
 * Puts a deployment's settings over those of wrangler.toml. Tables are merged. So are lists of
 * tables in which each has a `binding` or a `name`: by that, with new ones at the end. Anything
 * else is replaced.
 */
export function mergeSettings(base: unknown, own: unknown): unknown {
  if (isTable(base) && isTable(own)) {
    const names = new Set([...Object.keys(base), ...Object.keys(own)])
    return Object.fromEntries(
      [...names].map((name) => [
        name,
        Object.hasOwn(own, name) ? mergeSettings(base[name], own[name]) : base[name]
      ])
    )
  }
  if (!Array.isArray(base) || !Array.isArray(own)) {
    return own
  }
  const isNamed = [...base, ...own].every((item) => nameOf(item) !== undefined)
  if (!isNamed) {
    return own
  }
  const known = base.map(nameOf)
  return [
    ...base.map((item) =>
      mergeSettings(item, own.find((other) => nameOf(other) === nameOf(item)) ?? {})
    ),
    ...own.filter((item) => !known.includes(nameOf(item)))
  ]
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (item: unknown): unknown => (isTable(item) ? (item.binding ?? item.name) : undefined)

function hasOwnSettings(): boolean {
  const exists = DEPLOYMENT !== '' && existsSync(ownPath)
  if (process.env.DEPLOYMENT && !exists) {
    throw new OperatorError(`DEPLOYMENT names the file ${ownPath}, which does not exist.`)
  }
  return exists
}

const readMerged = (): unknown =>
  mergeSettings(readToml(configPath), hasOwnSettings() ? readToml(ownPath) : {})

/** Members with paths, which wrangler reads relative to the folder of its configuration. */
const PATHS = new Set(['main', 'directory', 'migrations_dir', 'watch_dir'])

/** Returns settings with paths as seen from the folder of the merged file. */
function fromFolder(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => fromFolder(item, name))
  }
  if (isTable(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fromFolder(item, key)])
    )
  }
  return typeof value === 'string' && PATHS.has(name)
    ? relative(dirname(mergedPath), join(root, value))
    : value
}
