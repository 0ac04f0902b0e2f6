import { z } from 'zod'
import { sendOk } from './support/client.ts'
import { watchHeap } from './support/heap.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { startWorkers } from './support/runtime.ts'
import { type Seeded, seedProject } from './support/seed.ts'
import { waitUntil } from './support/waiting.ts'

/* Targets: time of an isolate's first PNG, median of later ones, size of a PNG, and peak memory of the isolate. */
const MAX_FIRST_MS = 400
const MAX_WARM_MS = 150
const MAX_KB = 150
const MAX_MB = 64

/** Limit of a Worker's memory, MB. */
const LIMIT_MB = 128
const DAYS = 14
const DAY = 86_400_000
const SERIES = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Other']

const Trend = z.object({ result: z.array(z.object({ count: z.number() })) })

/** Measures charts as PNG, 600 × 320 with five series: the first of an isolate, later ones, size and memory. */
export async function benchCharts(isSmoke: boolean): Promise<Outcome> {
  const count = isSmoke ? 10 : 100
  const runtime = await startWorkers({ maxHeap: LIMIT_MB })
  const heap = await watchHeap(await runtime.inspector(), 'service')
  try {
    const seeded = await seedProject(runtime, 1, ['insight:read'])
    const sent = await capture(runtime.service, seeded)
    const ask = (format: string) => {
      const url = new URL(`/api/environments/${seeded.projectId}/insights/trend/`, runtime.service)
      url.searchParams.set('events', JSON.stringify(SERIES.map((id) => ({ id }))))
      url.searchParams.set('date_from', `-${DAYS}d`)
      url.searchParams.set('format', format)
      return sendOk(url, { headers: { authorization: `Bearer ${seeded.key}` } })
    }
    await waitUntil(
      'the trend counts all events',
      async () => sumOf((await ask('json')).text) >= sent,
      { everyMs: 100 }
    )
    const drawn = await timesOf(count, () => ask('svg'))
    const before = await heap.during(() => ask('svg'))
    const first = await heap.during(() => ask('png'))
    const warm = await heap.during(() => timesOf(count, () => ask('png')))
    return report({
      first: first.result.ms,
      warm: warm.result,
      drawn,
      bytes: first.result.bytes,
      before: before.peak,
      peak: Math.max(first.peak, warm.peak)
    })
  } finally {
    heap.end()
    await runtime.end()
  }
}

/** Captures events of five kinds over two weeks. @returns the number of events */
async function capture(service: URL, { token }: Seeded): Promise<number> {
  const now = Date.now()
  const batch = SERIES.flatMap((event, i) =>
    Array.from({ length: DAYS * (12 - 2 * i) }, (_, n) => ({
      event,
      distinct_id: `visitor ${n % 7}`,
      timestamp: new Date(now - ((n * n + i) % DAYS) * DAY).toISOString()
    }))
  )
  const body = Buffer.from(JSON.stringify({ api_key: token, batch }))
  await sendOk(new URL('/batch/', service), { method: 'POST' }, body)
  return batch.length
}

const sumOf = (json: string): number =>
  Trend.parse(JSON.parse(json)).result.reduce((sum, { count }) => sum + count, 0)

async function timesOf(count: number, ask: () => Promise<{ ms: number }>): Promise<number[]> {
  const times = []
  for (let i = 0; i < count; i += 1) {
    times.push((await ask()).ms)
  }
  return times
}

type Measured = {
  first: number
  warm: number[]
  drawn: number[]
  bytes: number
  before: number
  peak: number
}

function report({ first, warm, drawn, bytes, before, peak }: Measured): Outcome {
  const [median, p95, svg] = [percentile(warm, 0.5), percentile(warm, 0.95), percentile(drawn, 0.5)]
  const [kilobytes, megabytes] = [bytes / 1_000, peak / 1_000_000]
  return {
    table: [
      ['PNG of 600 × 320 at 2×, five series', 'measured', 'at most'],
      ['first of an isolate, ms', rounded(first), `${MAX_FIRST_MS}`],
      ['later ones, ms median / p95', `${rounded(median)} / ${rounded(p95)}`, `${MAX_WARM_MS}`],
      ['size, kB', rounded(kilobytes), `${MAX_KB}`],
      ['memory of the isolate, MB', rounded(megabytes), `${MAX_MB}`]
    ],
    notes: [
      `Over HTTP, including the computation of the trend; the same chart as SVG takes ${rounded(svg)} ms. ${warm.length} requests, one at a time.`,
      `Memory is that of the service's isolate, ${rounded(before / 1_000_000)} MB before the first PNG. It does not include the renderer's own, about 10 MB at this size, which`,
      '`test/unit/charts/pictures.test.ts` keeps below 64 MB at any size.'
    ],
    missed: [
      ...(first > MAX_FIRST_MS ? [`first: ${rounded(first)} ms`] : []),
      ...(median > MAX_WARM_MS ? [`later ones: ${rounded(median)} ms`] : []),
      ...(kilobytes > MAX_KB ? [`${rounded(kilobytes)} kB`] : []),
      ...(megabytes > MAX_MB ? [`${rounded(megabytes)} MB`] : [])
    ]
  }
}
