import { setTimeout as sleep } from 'node:timers/promises'
import { busyBatch } from './batches.ts'
import { sendOk } from './client.ts'
import { percentile } from './report.ts'
import type { Runtime } from './runtime.ts'

/** Pause between reads of a person, ms: 20 per second. */
const READ_PAUSE_MS = 50
/** Pause between batches of 100 events, ms: 200 events per second. */
const CAPTURE_PAUSE_MS = 500

/** The load in words, for the notes below a table. */
export const OTHERS = `${1000 / READ_PAUSE_MS} persons read and ${100_000 / CAPTURE_PAUSE_MS} events captured per second`

/** A seeded project, and its persons from id 1. */
export type Target = { projectId: number; key: string; token: string; persons: number }

/** p95 in ms of reading a person, and of capturing 100 events. */
export type OthersTimes = { person: number; capture: number }

/**
 * Sends requests as other users would while the bench measures something else: reads persons and captures events at a steady
 * pace, however long the answers take. Sends at least one request of each kind.
 * @param isOver asked before each further request
 */
export async function loadOthers(
  { service }: Runtime,
  { projectId, key, token, persons }: Target,
  isOver: () => boolean
): Promise<OthersTimes> {
  const every = async (pauseMs: number, send: (n: number) => Promise<{ ms: number }>) => {
    const sent: Promise<{ ms: number }>[] = []
    do {
      const answer = send(sent.length)
      // It may fail before it is awaited below, which reports the failure.
      answer.catch(() => {})
      sent.push(answer)
      await sleep(pauseMs)
    } while (!isOver())
    const times = (await Promise.all(sent)).map(({ ms }) => ms)
    return percentile(times, 0.95)
  }
  const known = Array.from({ length: Math.min(persons, 1_000) }, (_, i) => 1 + i)
  // New persons get numbers above all others of the bench. The time keeps a second call from repeating those of the first.
  const first = 10 * persons + Math.floor(performance.now())
  const [person, capture] = await Promise.all([
    every(READ_PAUSE_MS, (n) =>
      sendOk(
        new URL(`/api/environments/${projectId}/persons/${1 + ((n * 7_919) % persons)}/`, service),
        { headers: { authorization: `Bearer ${key}` } }
      )
    ),
    every(CAPTURE_PAUSE_MS, (n) => {
      const { gzip } = busyBatch(token, known, first + n * 100)
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      return sendOk(new URL('/batch/', service), { method: 'POST', headers }, gzip)
    })
  ])
  return { person, capture }
}

/** Like `loadOthers`, for a fixed time. */
export function loadOthersFor(ms: number, runtime: Runtime, target: Target): Promise<OthersTimes> {
  const end = performance.now() + ms
  return loadOthers(runtime, target, () => performance.now() >= end)
}
