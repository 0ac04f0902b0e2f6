import { ThrottledError } from '../errors.ts'

const PERIOD_SECONDS = 60

/** What reads or counts a project's data at large; everything else is the lighter kind. */
const ANALYTICS = new Set(['insight', 'person', 'query', 'session_recording'])

/**
 * Counts a request of a key against its rate per minute, as PostHog does: one for analytics, a higher one for the rest.
 * @throws ThrottledError, with the seconds until the next minute starts
 */
export async function throttle(env: Env, keyId: number, scope: string, now: Date): Promise<void> {
  const [object = ''] = scope.split(':')
  const limiter = ANALYTICS.has(object) ? env.ANALYTICS_RATE : env.CRUD_RATE
  // A limiter that does not answer stops nobody.
  const { success } = await limiter.limit({ key: String(keyId) }).catch(() => ({ success: true }))
  if (success) {
    return
  }
  const seconds = PERIOD_SECONDS - (Math.floor(now.getTime() / 1000) % PERIOD_SECONDS)
  throw new ThrottledError(seconds)
}
