import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { NotFoundError } from '../../errors.ts'
import { allow } from '../../http/auth.ts'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { wholeFrom } from '../../input/parameters.ts'
import { shinglesOf } from '../../sessions/shingles.ts'
import { compareSteps } from '../../sessions/similarity.ts'
import { readSteps } from '../../sessions/upkeep/close.ts'
import { findRecording } from '../store.ts'
import { SimilarJson } from './schemas.ts'
import { findSession, hasOpenSessions, listCandidates, type Sought } from './store.ts'

const MAX_LIMIT = 100
/** With fewer steps, every session begins alike. */
const MIN_STEPS = 3

const NOT_YET =
  'Other recorded sessions of this project are still open: they are found half an hour to an hour after their last event.'

/** By so many pairs of its steps it is looked for what is like a session, each in so many others. */
const NEXT = { pairs: 20, sessions: 90 }
/** The same of pairs with up to two steps between. */
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
      description: 'How many to list at most, 10 unless given.'
    })
})

const SIMILAR = describe({
  id: 'session_recordings_similar',
  mayBeEmpty: true,
  tag: 'Session recordings',
  summary: 'Find recordings of similar sessions',
  description: `Compares sessions by what was done in them, in its order: the names of events, and for pages their path, with \
\`:id\` for what names one of many things. The similarity of two is the weight of the steps that they have in common in the \
same order, in proportion to both together and to the lighter one (the geometric mean). Events of the product's own weigh \
1.5, pages and screens 1, clicks 0.1; the nth repetition of a step an nth.

Sessions are found half an hour to an hour after their last event, by the pairs of steps that they share: of several hundred \
candidates the best are answered.`,
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
    const { db, project } = c.var
    const [recording, steps] = await Promise.all([
      findRecording(db, project.id, id),
      stepsOfSession(db, project.id, id)
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

    const candidates = await listCandidates(db, project.id, id, soughtFor(steps))
    const results = candidates
      .map((candidate) => ({ ...candidate, ...compareSteps(steps, candidate.steps) }))
      .sort(
        (a, b) => b.similarity - a.similarity || b.startTime - a.startTime || (a.id < b.id ? -1 : 1)
      )
      .slice(0, limit)
      .map((found) => ({
        id: found.id,
        similarity: found.similarity,
        shared_steps: found.shared,
        step_count: found.steps.length,
        start_time: toIso(found.startTime),
        recording_duration: found.duration
      }))
    const isEarly = results.length === 0 && (await hasOpenSessions(db, project.id, id))
    const reason = isEarly ? NOT_YET : null
    return c.json({ count: results.length, results, steps, reason } satisfies SimilarJson)
  }
)

function soughtFor(steps: string[]): Sought[] {
  const next = shinglesOf(steps, NEXT.pairs)
  const later = shinglesOf(steps, NEXT.pairs + LATER.pairs, LATER.reach).filter(
    (shingle) => !next.includes(shingle)
  )
  return [
    { shingles: next, sessions: NEXT.sessions },
    { shingles: later.slice(0, LATER.pairs), sessions: LATER.sessions }
  ]
}

/** As they were when it was closed, or as they are. */
async function stepsOfSession(db: Db, projectId: number, sessionId: string): Promise<string[]> {
  const session = await findSession(db, projectId, sessionId)
  if (!session) {
    return []
  }
  if (session.steps) {
    return session.steps
  }
  const open = { ...session, projectId, sessionId }
  const [steps = []] = await readSteps(db, [open])
  return steps
}
