import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../../src')

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => {
    const text = readFileSync(join(SRC, file), 'utf8')
    return {
      file,
      text,
      imports: [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, name = '']) => name)
    }
  })

const offenders = (isAllowed: (file: string) => boolean, isMeant: (name: string) => boolean) =>
  sources
    .filter(({ file, imports }) => !isAllowed(file) && imports.some(isMeant))
    .map(({ file }) => file)

it('finds the sources', () => {
  expect(sources.length).toBeGreaterThan(20)
})

/**
 * The floors, from the ground up: a file imports from its own floor and from lower floors. A floor is
 * a folder of src/ or a file next to these folders. All routes are on one floor, whatever their
 * folder, with the reference texts next to them.
 */
const FLOORS = [
  'errors.ts',
  'hash.ts',
  'html.ts',
  'log.ts',
  'pause.ts',
  'turns.ts',
  'input',
  'outbound.ts',
  'charts',
  'calendar',
  'properties',
  'db',
  'ledger',
  'projects',
  'queues',
  'tombstones',
  'suppressions',
  'sharing',
  'rollups',
  'columns',
  'sessions',
  'persons',
  'capture',
  'recordings',
  'dead-letters',
  'trends',
  'timelines',
  'events',
  'erasures',
  'ai',
  'insights',
  'subscriptions',
  'crons',
  'health',
  'home',
  'docs',
  'http',
  'routes',
  'app.ts',
  'worker.ts'
]

const isRoutes = (file: string): boolean =>
  file.endsWith('routes.ts') || file.endsWith('/reference.ts')

const floorOf = (file: string): string => {
  const [first = ''] = file.split('/')
  return isRoutes(file) ? 'routes' : first
}

it('has a floor for each folder', () => {
  const floors = new Set(sources.map(({ file }) => floorOf(file)))

  expect([...floors].sort()).toEqual([...FLOORS].sort())
})

it('imports nothing from a floor above', () => {
  const upward = sources.flatMap(({ file, imports }) =>
    imports
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(file, '..', name)))
      .filter((imported) => FLOORS.indexOf(floorOf(imported)) > FLOORS.indexOf(floorOf(file)))
      .map((imported) => `${file} → ${imported}`)
  )

  expect(upward).toEqual([])
})

it('keeps HTTP in app.ts, http/, routes.ts and reference.ts', () => {
  const isDoor = (file: string) => file === 'app.ts' || file.startsWith('http/') || isRoutes(file)

  expect(offenders(isDoor, (name) => name === 'hono' || name.startsWith('hono/'))).toEqual([])
  expect(offenders(isDoor, (name) => /(^|\/)http\//.test(name))).toEqual([])
})

it('keeps SQL in db/ and store.ts', () => {
  const isStore = (file: string) => file.startsWith('db/') || file.endsWith('store.ts')

  expect(offenders(isStore, (name) => name.startsWith('drizzle-orm'))).toEqual([])
})

it('lets only app.ts import routes', () => {
  expect(
    offenders(
      (file) => file === 'app.ts',
      (name) => name.endsWith('/routes.ts')
    )
  ).toEqual([])
})

it('passes bindings as arguments instead of importing them', () => {
  expect(
    offenders(
      () => false,
      (name) => name.startsWith('cloudflare:')
    )
  ).toEqual([])
})

it('reads the clock only in worker.ts', () => {
  const readers = sources.filter(({ text }) =>
    /new Date\(\)|Date\.now\(\)|performance\.now\(\)/.test(text)
  )

  expect(readers.map(({ file }) => file)).toEqual(['worker.ts'])
})
