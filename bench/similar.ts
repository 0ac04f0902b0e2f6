import { z } from 'zod'
import { compareSteps } from '../src/sessions/similarity.ts'
import { sendOk } from './support/client.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { startWorkers, untilLogged } from './support/runtime.ts'
import { seedProject } from './support/seed.ts'
import { generateSessions, type SeededSession, storeSessions } from './support/sessions.ts'

/** Target: share of the ten most similar sessions that is found, for sessions of a family. */
const MIN_RECALL = 0.95
/** Target: median time over HTTP, ms. */
const MAX_MS = 50
/** Target: most rows that a request reads. */
const MAX_ROWS = 5_000
/** Recordings in an answer. */
const LISTED = 10
/** Seed of the random sessions. */
const SEED = 20_261_121

const Similar = z.object({ results: z.array(z.object({ id: z.string(), similarity: z.number() })) })

/** Measures finding similar recordings: time, rows read, and how many of the true ten best are found. */
export async function benchSimilar(isSmoke: boolean): Promise<Outcome> {
  const [count, targets] = isSmoke ? [500, 10] : [20_000, 100]
  const sessions = generateSessions(count, SEED)
  const runtime = await startWorkers()
  try {
    const { projectId, key } = await seedProject(runtime, 10, ['session_recording:read'])
    await storeSessions(runtime, projectId, sessions)
    const chosen = sessions
      .filter((_, i) => i % Math.floor(count / targets) === 0)
      .slice(0, targets)
    const ask = (id: string) =>
      sendOk(
        new URL(
          `/api/environments/${projectId}/session_recordings/${id}/analyze/similar/`,
          runtime.service
        ),
        {
          headers: { authorization: `Bearer ${key}` }
        }
      )
    for (const { id } of chosen.slice(0, 10)) {
      await ask(id)
    }
    await untilLogged(runtime)
    runtime.lines.length = 0

    const times = []
    const found: ({ target: SeededSession } & Found)[] = []
    for (const target of chosen) {
      const { text, ms } = await ask(target.id)
      times.push(ms)
      found.push({
        target,
        ...compareWithBest(target, sessions, Similar.parse(JSON.parse(text)).results)
      })
    }
    await untilLogged(runtime)
    const rows = runtime.lines.map(({ rows_read }) => rows_read)
    const meanOf = (isOfFamily: boolean): Found => {
      const some = found.filter(({ target }) => target.isOfFamily === isOfFamily)
      const mean = (figure: keyof Found) =>
        some.reduce((sum, one) => sum + one[figure], 0) / some.length
      return { recall: mean('recall'), share: mean('share') }
    }
    return report({ count, targets, members: meanOf(true), others: meanOf(false), times, rows })
  } finally {
    await runtime.end()
  }
}

/**
 * `recall`: how many of the answers are at least as similar as the tenth of the true ten best, as a share of ten.
 * `share`: the summed similarity of the answers, as a share of that of the true ten best.
 */
type Found = { recall: number; share: number }

function compareWithBest(
  target: SeededSession,
  sessions: SeededSession[],
  answers: { similarity: number }[]
): Found {
  const all = sessions
    .filter(({ id }) => id !== target.id)
    .map(({ steps }) => compareSteps(target.steps, steps).similarity)
  const best = all.toSorted((a, b) => b - a).slice(0, LISTED)
  const least = best.at(-1) ?? 0
  const sum = (similarities: number[]) => similarities.reduce((total, one) => total + one, 0)
  return {
    recall: answers.filter(({ similarity }) => similarity >= least).length / best.length,
    share: sum(answers.map(({ similarity }) => similarity)) / sum(best)
  }
}

type Measured = {
  count: number
  targets: number
  members: Found
  others: Found
  times: number[]
  rows: number[]
}

function report({ count, targets, members, others, times, rows }: Measured): Outcome {
  const [median, p95, read] = [percentile(times, 0.5), percentile(times, 0.95), Math.max(...rows)]
  return {
    table: [
      ['', 'measured', 'target'],
      [
        'recall of the ten most similar: sessions of a family',
        members.recall.toFixed(3),
        `at least ${MIN_RECALL}`
      ],
      ['recall of the ten most similar: sessions without a family', others.recall.toFixed(3), ''],
      [
        'similarity of the answers relative to the ten: sessions without a family',
        others.share.toFixed(3),
        ''
      ],
      [
        'median / p95 over HTTP, ms',
        `${rounded(median)} / ${rounded(p95)}`,
        `median at most ${MAX_MS}`
      ],
      ['rows read, maximum', rounded(read), `at most ${MAX_ROWS.toLocaleString('en')}`]
    ],
    notes: [
      `${count.toLocaleString('en')} recorded sessions in families (\`bench/support/sessions.ts\`, seed ${SEED}). After 10 requests for warm-up, recordings`,
      `similar to ${targets} of them were requested, one at a time. Comparing each of these sessions with all others gives the true ten.`
    ],
    missed: [
      ...(members.recall < MIN_RECALL ? [`recall ${members.recall.toFixed(3)}`] : []),
      ...(median > MAX_MS ? [`median ${rounded(median)} ms`] : []),
      ...(read > MAX_ROWS ? [`${rounded(read)} rows read`] : [])
    ]
  }
}
