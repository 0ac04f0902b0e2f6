import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import type { Scope } from '../../access/open.ts'
import { toIso } from '../../calendar/clock.ts'
import { NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { wholeFrom } from '../../input/parameters.ts'
import { shinglesOf } from '../../sessions/shingles.ts'
import { compareSteps } from '../../sessions/similarity.ts'
import { readSteps } from '../../sessions/upkeep/close.ts'
import { findRecording } from '../store.ts'
import { SimilarJson } from './schemas.ts'
import {
  findSession,
  hasOpenSessions,
  listCandidates,
  MAX_CANDIDATES,
  type Sought
} from './store.ts'

/** Maximum number of recordings in one response. */
const MAX_LIMIT = 100
/** Fewest steps of a session to search by; shorter sessions all look alike. */
const MIN_STEPS = 3

const NOT_YET =
  'Other recorded sessions of this project are still open; a session can be found half an hour to an hour after its last event.'

/** Limits for consecutive steps: the number of pairs, and the sessions read per pair. */
const NEXT = { pairs: 20, sessions: 90 }
/** The same limits for further pairs: their steps are up to `reach` steps apart. */
const LATER = { pairs: 40, reach: 3, sessions: 30 }

const SimilarQuery = z.object({
  limit: wholeFrom(1)
    .refine(
      (value) => value <= MAX_LIMIT,
      `Ensure this value is less than or equal to ${MAX_LIMIT}.`
    )
    .default(10)
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Recordings to list: 10 by default, at most ${MAX_LIMIT}.`
    })
})

const SIMILAR = describe({
  id: 'session_recordings_similar',
  mayBeEmpty: true,
  tag: 'Session recordings',
  summary: 'Find recordings of similar sessions',
  description: `Compares the steps of sessions, in order. A step is the name of an event, with the name of the screen or the \
path of the page; in paths, \`:id\` stands for identifiers, as in \`$pageview /shoes/:id\`. Custom events weigh 1.5, pages \
and screens 1, other events of SDKs 0.5, but autocaptured events such as clicks 0.1; the nth occurrence of a step has 1/n of \
its weight. The similarity is the geometric mean of two ratios: the weight of the steps that both sessions share in the same \
order, relative to the average weight of the two sessions, and relative to the weight of the lighter session.

A session can be found half an hour to an hour after its last event. At most \
${MAX_CANDIDATES} sessions are compared: for up to ${NEXT.pairs + LATER.pairs} pairs of nearby steps, the search takes the \
newest sessions that have the pair, and keeps the sessions that share the most pairs.`,
  answers: { 200: { text: 'The most similar recordings.', schema: SimilarJson } },
  refusals: [
    ['not_found', 'Not found.'],
    ['invalid_input', `Ensure this value is less than or equal to ${MAX_LIMIT}.`, 'limit']
  ]
})

const RecordingPath = z.object({ id: z.string().meta({ description: 'The id of the session.' }) })

export const similarRoutes = createRouter().get(
  '/session_recordings/:id/analyze/similar',
  SIMILAR,
  allow('session_recording:read'),
  validatePath(RecordingPath),
  validateQuery(SimilarQuery),
  async (c) => {
    const { id } = c.req.valid('param')
    const { limit } = c.req.valid('query')
    const [recording, steps] = await Promise.all([
      findRecording(c.var, id),
      stepsOfSession(c.var, id)
    ])
    if (!recording) {
      throw new NotFoundError()
    }
    if (steps.length < MIN_STEPS) {
      return c.json({
        count: 0,
        results: [],
        steps,
        reason: `The session has fewer than ${MIN_STEPS} steps.`
      })
    }

    const candidates = await listCandidates(c.var, id, searchesFor(steps))
    const results = candidates
      .map((candidate) => ({ ...candidate, ...compareSteps(steps, candidate.steps) }))
      .sort(mostSimilarFirst)
      .slice(0, limit)
      .map((found) => ({
        id: found.id,
        similarity: found.similarity,
        shared_steps: found.shared,
        step_count: found.steps.length,
        start_time: toIso(found.startTime),
        recording_duration: found.duration
      }))
    const isEarly = results.length === 0 && (await hasOpenSessions(c.var, id))
    const reason = isEarly ? NOT_YET : null
    return c.json({ count: results.length, results, steps, reason } satisfies SimilarJson)
  }
)

type Compared = { id: string; similarity: number; startTime: number }

/** Compares sessions by similarity; of equally similar sessions, the newest comes first. */
const mostSimilarFirst = (a: Compared, b: Compared): number =>
  b.similarity - a.similarity || b.startTime - a.startTime || (a.id < b.id ? -1 : 1)

/** Returns the pairs of steps to search by: consecutive ones first, then others. */
function searchesFor(steps: string[]): Sought[] {
  const next = shinglesOf(steps, NEXT.pairs)
  const later = shinglesOf(steps, NEXT.pairs + LATER.pairs, LATER.reach).filter(
    (shingle) => !next.includes(shingle)
  )
  return [
    { shingles: next, sessions: NEXT.sessions },
    { shingles: later.slice(0, LATER.pairs), sessions: LATER.sessions }
  ]
}

/**
 * Returns the steps of a session: the steps stored when it was closed or, if none are stored, the
 * steps of its events so far. Empty for a session without events.
 */
async function stepsOfSession({ db, project }: Scope, sessionId: string): Promise<string[]> {
  const session = await findSession({ db, project }, sessionId)
  if (!session) {
    return []
  }
  if (session.steps) {
    return session.steps
  }
  const open = { ...session, projectId: project.id, sessionId }
  const [steps = []] = await readSteps(db, [open])
  return steps
}
