import { z } from 'zod'
import { type Answer, sendOk } from './support/client.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { startWorkers } from './support/runtime.ts'
import { emailOf, seedProject } from './support/seed.ts'

/** Target: the service's median time as a multiple of the bare route's. */
const MAX_RATIO = 1.6

/** Sides of the comparison: the service, a bare route with one query, and the bare route behind a key lookup. */
const SIDES = ['service', 'bare', 'checked'] as const
type Side = (typeof SIDES)[number]

/** A kind of request: `path` for person `n` or, with `follows`, the `next` of the side's previous answer, if it has one. */
type Case = { name: string; follows?: true; path: (n: number) => string }

const CASES: Case[] = [
  { name: 'retrieve', path: (n) => `persons/${n}` },
  { name: 'list, pages of 100 through `next`', follows: true, path: () => 'persons' },
  { name: 'list, by e-mail', path: (n) => `persons?email=${emailOf(n)}` },
  { name: 'list, by search', path: (n) => `persons?search=${emailOf(n).slice(0, 8)}` }
]

type Size = { persons: number; requests: number; warmUp: number }

/** Measures reading a person, or a page of persons, over HTTP. The sides take turns, one request at a time. */
export async function benchHttp(isSmoke: boolean): Promise<Outcome> {
  const size = isSmoke
    ? { persons: 200, requests: 4, warmUp: 1 }
    : { persons: 100_000, requests: 1_500, warmUp: 500 }
  const runtime = await startWorkers()
  try {
    const { projectId, key } = await seedProject(runtime, size.persons)
    const bases: Record<Side, URL> = {
      service: new URL(`/api/environments/${projectId}/`, runtime.service),
      bare: new URL(`/${projectId}/`, runtime.bare),
      checked: new URL(`/checked/${projectId}/`, runtime.bare)
    }
    const options = { headers: { authorization: `Bearer ${key}` } }
    const ask = (side: Side, path: string) => sendOk(new URL(path, bases[side]), options)

    const emptyTimes = []
    for (let i = 0; i < size.requests; i += 1) {
      emptyTimes.push((await sendOk(new URL('/nothing', runtime.bare))).ms)
    }
    const results = []
    for (const entry of CASES) {
      results.push({ name: entry.name, times: await measure(entry, size, ask) })
    }
    return report(results, percentile(emptyTimes, 0.5), size)
  } finally {
    await runtime.end()
  }
}

type Times = Record<Side, number[]>

async function measure(
  { path, follows, name }: Case,
  { persons, requests, warmUp }: Size,
  ask: (side: Side, path: string) => Promise<Answer>
): Promise<Times> {
  const times: Times = { service: [], bare: [], checked: [] }
  const next: Partial<Record<Side, string | null>> = {}
  for (let i = 0; i < warmUp + requests; i += 1) {
    // Steps of a prime number spread the requests over all persons.
    const n = 1 + ((i * 7_919) % persons)
    const answers = new Set<string>()
    // A request may profit from the one before it, so the order changes with every turn.
    for (const side of [...SIDES.slice(i % 3), ...SIDES.slice(0, i % 3)]) {
      const { text, ms } = await ask(side, (follows && next[side]) || path(n))
      if (i >= warmUp) {
        times[side].push(ms)
      }
      const page = readPage(text)
      next[side] = page.next
      answers.add(JSON.stringify([page.count, page.results]))
    }
    if (answers.size > 1) {
      throw new Error(`${name}: the sides answered differently: ${[...answers].join(' and ')}`)
    }
  }
  return times
}

const Person = z.object({
  id: z.int(),
  distinct_ids: z.array(z.string()).transform((ids) => ids.toSorted())
})
const Page = z.object({
  count: z.int(),
  next: z.string().nullable(),
  results: z.array(Person).min(1)
})

/** Reads an answer as a page; a single person is a page of one. */
function readPage(text: string): z.infer<typeof Page> {
  const json: unknown = JSON.parse(text)
  const person = Person.safeParse(json).data
  return person ? { count: 1, next: null, results: [person] } : Page.parse(json)
}

function report(results: { name: string; times: Times }[], emptyMs: number, size: Size): Outcome {
  const rows = results.map(({ name, times }) => {
    const [service, bare, checked] = SIDES.map((side) => percentile(times[side], 0.5))
    return {
      name,
      times,
      ratio: (service ?? 0) / (bare ?? 0),
      ratioToChecked: (service ?? 0) / (checked ?? 0)
    }
  })
  const cell = (ms: number[]) =>
    `${rounded(percentile(ms, 0.5))} / ${rounded(percentile(ms, 0.95))}`
  return {
    table: [
      [
        'median / p95, ms',
        'service',
        'bare route',
        'with key lookup',
        'service : bare',
        'service : with key lookup'
      ],
      ...rows.map(({ name, times, ratio, ratioToChecked }) => [
        name,
        ...SIDES.map((side) => cell(times[side])),
        `${rounded(ratio)}×`,
        `${rounded(ratioToChecked)}×`
      ])
    ],
    notes: [
      `${size.persons.toLocaleString('en')} persons with two distinct ids each. For each kind of request, each side gets`,
      `${size.requests.toLocaleString('en')} after ${size.warmUp} for warm-up, one at a time; the sides take turns.`,
      `A bare route without any query takes ${rounded(emptyMs)} ms. Target: at most ${MAX_RATIO}× the bare route.`
    ],
    missed: rows
      .filter(({ ratio }) => ratio > MAX_RATIO)
      .map(({ name, ratio }) => `${name} ${rounded(ratio)}×`)
  }
}
