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
 * The floors, from the ground up: the folders of src/ and the files beside them. A file imports from its
 * own floor and from lower floors, so the floors cannot import each other in a circle. The plan is
 * drawn in docs/architecture.md.
 */
const FLOORS = [
  // Libraries: they know nothing of the product.
  'encoding.ts',
  'errors.ts',
  'hash.ts',
  'log.ts',
  'turns.ts',
  'calendar',
  'input',
  'html',
  'outbound.ts',
  'email.ts',
  'charts',
  'properties',
  'db',
  'http',
  'bucket.ts',
  // The ground of the product.
  'access',
  'queues',
  'access-log',
  'ledger',
  'barred',
  // Nouns.
  'columns',
  'membership',
  'sessions',
  'persons',
  'recordings',
  'capture',
  'dead-letters',
  'trends',
  'events',
  'erasures',
  'annotations',
  'sql',
  'questions',
  'cohorts',
  'insights',
  'query',
  'subscriptions',
  'sharing',
  'ai',
  // The top.
  'jobs',
  'service',
  'app.ts',
  'background.ts',
  'worker.ts'
]

/** Returns the floor of a file: its folder, or the file itself if it is in no folder. */
const floorOf = (file: string): string => file.split('/')[0] ?? ''

it('has a floor for each folder and each file beside them', () => {
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

it.each(['docs/architecture.md', 'CONTRIBUTING.md'])('has the plan that %s draws', (name) => {
  const text = readFileSync(join(SRC, '..', name), 'utf8')
  const [, plan = ''] = /```floors\n([^`]*)```/.exec(text) ?? []
  // Groups of floors, the highest group first. Each begins with its name at the beginning of a line.
  const groups = plan.split(/^(?=\S)/m).map((group) => group.trim().split(/\s+/).slice(1))

  expect(groups.reverse().flat()).toEqual(FLOORS)
})

it('exports each name of a type from one file', () => {
  const exported = sources.flatMap(({ file, text }) => {
    const found = text.matchAll(/^export (?:type|interface|(?:abstract )?class|enum) (\w+)/gm)
    return [...new Set(found.map(([, name = '']) => name))].map((name) => ({ name, file }))
  })
  const shared = [...Map.groupBy(exported, ({ name }) => name)].flatMap(([name, files]) =>
    files.length > 1 ? name : []
  )

  expect(shared.sort()).toEqual([])
})

const isRoutes = (file: string): boolean =>
  file.endsWith('routes.ts') || file.endsWith('/reference.ts')

/** The files outside http/ and access/ that answer requests for several routes of their noun. */
const ANSWERING = [
  'access-log/note.ts',
  'capture/token.ts',
  'erasures/mentions/answer.ts',
  'erasures/receipts/answer.ts'
]

it('imports hono and http/ only in app.ts, http/, access/ and routes', () => {
  const isHttp = (file: string) =>
    file === 'app.ts' || /^(http|access)\//.test(file) || isRoutes(file) || ANSWERING.includes(file)

  expect(offenders(isHttp, (name) => name === 'hono' || name.startsWith('hono/'))).toEqual([])
  expect(offenders(isHttp, (name) => /(^|\/)http\//.test(name))).toEqual([])
})

it('imports drizzle and prepares statements only in db/ and in stores', () => {
  const isStore = (file: string) => file.startsWith('db/') || /stores?\.ts$/.test(file)
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
