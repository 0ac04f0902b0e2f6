import { setTimeout as sleep } from 'node:timers/promises'
import { watchHeap } from './support/heap.ts'
import { type Outcome, rounded } from './support/report.ts'
import { startWorkers } from './support/runtime.ts'
import { seedProject } from './support/seed.ts'

/**
 * Heap limit in MB: half of an isolate's 128 MB. Without a limit V8 postpones garbage collection, and the measured peak would
 * not show how much memory is needed.
 */
const MAX_MB = 64
/** Target: peak memory of the export with ten times the persons, as a multiple of the smaller export's peak. */
const MAX_RATIO = 1.2

/** Bytes per second of a slow reader. */
const SLOW_BYTES = 4_000_000

type Pace = 'fast' | 'slowly'
type Export = { persons: number; pace: Pace; peak: number; bytes: number; seconds: number }

/** Measures the service's memory while it exports all persons of a project as CSV. */
export async function benchExport(isSmoke: boolean): Promise<Outcome> {
  const [few, many] = isSmoke ? [100, 1_000] : [20_000, 200_000]
  return report([
    ...(await exportPersons(few, ['fast'])),
    ...(await exportPersons(many, ['fast', 'slowly']))
  ])
}

async function exportPersons(persons: number, paces: Pace[]): Promise<Export[]> {
  const runtime = await startWorkers({ maxHeap: MAX_MB })
  try {
    const { projectId, key } = await seedProject(runtime, persons)
    const url = new URL(`/api/environments/${projectId}/persons?format=csv`, runtime.service)
    const heap = await watchHeap(await runtime.inspector(), 'service')
    const exports = []
    for (const pace of paces) {
      const started = performance.now()
      const { peak, result } = await heap.during(() => readLines(url, key, pace))
      if (result.lines !== persons + 1) {
        throw new Error(`${result.lines - 1} instead of ${persons} persons were exported.`)
      }
      exports.push({
        persons,
        pace,
        peak,
        bytes: result.bytes,
        seconds: (performance.now() - started) / 1000
      })
    }
    heap.end()
    return exports
  } finally {
    await runtime.end()
  }
}

async function readLines(
  url: URL,
  key: string,
  pace: Pace
): Promise<{ lines: number; bytes: number }> {
  const { body, status } = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  if (!body || status !== 200) {
    throw new Error(`${url.pathname} answered ${status}.`)
  }
  const counted = { lines: 0, bytes: 0 }
  for await (const chunk of body) {
    counted.bytes += chunk.byteLength
    counted.lines += Buffer.from(chunk).toString('latin1').split('\n').length - 1
    if (pace === 'slowly') {
      await sleep((chunk.byteLength / SLOW_BYTES) * 1000)
    }
  }
  return counted
}

function report(exports: Export[]): Outcome {
  const megabytes = (bytes: number) => bytes / 1_000_000
  const [small, large] = exports
  const ratio = (large?.peak ?? 0) / (small?.peak ?? 0)
  const peak = megabytes(Math.max(...exports.map((one) => one.peak)))
  return {
    table: [
      ['', 'peak memory', 'CSV', 'seconds'],
      ...exports.map((one) => [
        `${one.persons.toLocaleString('en')} persons, read ${one.pace}`,
        `${rounded(megabytes(one.peak))} MB`,
        `${rounded(megabytes(one.bytes))} MB`,
        rounded(one.seconds)
      ])
    ],
    notes: [
      `Ten times the persons take ${rounded(ratio)} times the memory. A slow reader takes ${SLOW_BYTES / 1_000_000} MB per second.`,
      `Targets: at most ${MAX_MB} MB of an isolate's 128 MB, and at most ${MAX_RATIO} times the memory.`
    ],
    missed: [
      ...(peak > MAX_MB ? [`${rounded(peak)} MB`] : []),
      ...(ratio > MAX_RATIO ? [`${rounded(ratio)} times the memory`] : [])
    ]
  }
}
