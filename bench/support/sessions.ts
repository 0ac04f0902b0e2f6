import { shinglesOf } from '../../src/sessions/shingles.ts'
import type { Runtime } from './runtime.ts'

export type SeededSession = { id: string; steps: string[]; isOfFamily: boolean }

const PATHS = 90
const EVENTS = 40

/**
 * Generates sessions of a product with 90 pages and 40 custom events of uneven popularity, in groups of 10 to 110. Four in
 * five sessions of a group are a family: they follow the same 5 to 25 steps, but omit, add or swap some, or end early. The
 * others take random steps.
 */
export function generateSessions(count: number, seed: number): SeededSession[] {
  const random = randomFrom(seed)
  const below = (n: number) => Math.floor(random() * n)
  const words = [
    ...Array.from({ length: PATHS }, (_, i) => `$pageview /page-${i}`),
    ...Array.from({ length: EVENTS }, (_, i) => `event ${i}`)
  ]
  const ranks = words.map(() => random())
  const vocabulary = words
    .map((word, i) => ({ word, rank: ranks[i] ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank)
  const popular = () => vocabulary[Math.floor(vocabulary.length * random() ** 2.2)]?.word ?? ''
  const walk = (length: number) => {
    const steps = ['$pageview /']
    while (steps.length < length) {
      const step = popular()
      if (step !== steps.at(-1)) {
        steps.push(step)
      }
    }
    return steps
  }
  const vary = (course: string[]) => {
    const steps = course.flatMap((step) => {
      if (random() < 0.08) {
        return []
      }
      if (random() >= 0.1) {
        return [step]
      }
      const added = random() < 0.5 ? '$autocapture click' : popular()
      return [added, step]
    })
    const kept =
      random() < 0.1 ? steps.slice(0, Math.ceil(steps.length * (0.5 + random() / 2))) : steps
    for (let i = 1; i < kept.length; i += 1) {
      if (random() < 0.03) {
        ;[kept[i - 1], kept[i]] = [kept[i] ?? '', kept[i - 1] ?? '']
      }
    }
    return kept
  }

  const all: Omit<SeededSession, 'id'>[] = []
  while (all.length < count) {
    const course = walk(5 + below(21))
    const size = 10 + below(101)
    for (let i = 0; i < size; i += 1) {
      const isOfFamily = random() >= 0.2
      all.push({ steps: isOfFamily ? vary(course) : walk(4 + below(20)), isOfFamily })
    }
  }
  return all
    .slice(0, count)
    .map((one, i) => ({ ...one, id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}` }))
}

/** Returns a seeded generator of evenly distributed numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((again ^ (again >>> 14)) >>> 0) / 4_294_967_296
  }
}

const STEP = 1_000

/** Inserts recorded sessions straight into the tables, with the steps and shingles that closing them would have written. */
export async function storeSessions(
  { db }: Runtime,
  projectId: number,
  sessions: SeededSession[]
): Promise<void> {
  for (let from = 0; from < sessions.length; from += STEP) {
    const rows = sessions.slice(from, from + STEP).map(({ id, steps }, i) => ({
      id,
      steps,
      shingles: shinglesOf(steps),
      at: 1_700_000_000_000 + (from + i) * 1_000
    }))
    const json = JSON.stringify(rows)
    await db.batch([
      db
        .prepare(
          `insert into sessions (project_id, session_id, identities, start_time, end_time, events, pageviews, autocaptures,
                                 screens, steps, shingles)
           select ?1, value ->> 'id', '[]', value ->> 'at', value ->> 'at', 1, 1, 0, 0, value ->> 'steps', value ->> 'shingles'
           from json_each(?2)`
        )
        .bind(projectId, json),
      db
        .prepare(
          `insert into session_shingles (project_id, shingle, session_id)
           select ?1, shingle.value, one.value ->> 'id' from json_each(?2) as one, json_each(one.value, '$.shingles') as shingle`
        )
        .bind(projectId, json),
      db
        .prepare(
          `insert into recordings (project_id, session_id, identity, is_relinked, start_time, end_time, first_part,
             snapshot_source, active_ms, click_count, keypress_count, mouse_activity_count, console_log_count,
             console_warn_count, console_error_count, urls, parts, bytes, last_received_at, created_at, access_token)
           select ?1, value ->> 'id', 1, 0, value ->> 'at', (value ->> 'at') + 60000, '', 'web', 0, 0, 0, 0, 0, 0, 0, '[]', 1, 1,
                  value ->> 'at', value ->> 'at', value ->> 'id' from json_each(?2)`
        )
        .bind(projectId, json)
    ])
  }
}
