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
      imports: [...text.matchAll(/\b(?:from\s+|import\s*\(?\s*)'([^']+)'/g)].map(
        ([, name = '']) => name
      )
    }
  })

/** Returns the files with a matching import, except the files that may have one. */
const offenders = (isAllowed: (file: string) => boolean, matches: (name: string) => boolean) =>
  sources
    .filter(({ file, imports }) => !isAllowed(file) && imports.some(matches))
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
  'log.ts',
  'pause.ts',
  'bucket.ts',
  'turns.ts',
  'input',
  'html.ts',
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
  'mentions',
  'erasures',
  'bucket',
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

it('imports hono and http/ only in app.ts, http/, routes.ts and reference.ts', () => {
  const isHttp = (file: string) => file === 'app.ts' || file.startsWith('http/') || isRoutes(file)

  expect(offenders(isHttp, (name) => name === 'hono' || name.startsWith('hono/'))).toEqual([])
  expect(offenders(isHttp, (name) => /(^|\/)http\//.test(name))).toEqual([])
})

it('imports drizzle and prepares statements only in db/ and in stores', () => {
  const isStore = (file: string) => file.startsWith('db/') || file.endsWith('store.ts')
  const preparing = sources.filter(
    ({ file, text }) => !isStore(file) && /\.prepare\b|\bDB\w*\s*\.\s*exec\b/.test(text)
  )

  expect(offenders(isStore, (name) => name.startsWith('drizzle-orm'))).toEqual([])
  expect(preparing.map(({ file }) => file)).toEqual([])
})

it('writes to the bucket only in bucket.ts', () => {
  const writers = sources.filter(({ text }) => /\bbucket\s*\.\s*(put|delete)\b/i.test(text))

  expect(writers.map(({ file }) => file)).toEqual(['bucket.ts'])
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
    /\bDate\(\s*\)|\bnew Date\b(?!\s*\()|\bDate\.now\b|\bperformance\.now\b/.test(text)
  )

  expect(readers.map(({ file }) => file)).toEqual(['worker.ts'])
})
