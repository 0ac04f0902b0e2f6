import { ThrottledError } from '../errors.ts'

const PERIOD_SECONDS = 60

/**
 * Scope objects whose requests read or count large parts of a project's data; they have the lower
 * limit.
 */
const ANALYTICS = new Set(['insight', 'person', 'query', 'session_recording'])

/**
 * Counts a request against one of its key's limits per minute: the limit for analytics, or a higher
 * limit for all other requests, as in PostHog. Without an API key, `key` is any other name under
 * which requests are counted together.
 * @throws ThrottledError with the seconds until the next minute
 */
export async function throttle(
  env: Env,
  key: number | string,
  scope: string,
  now: Date
): Promise<void> {
  const [object = ''] = scope.split(':')
  const limiter = ANALYTICS.has(object) ? env.ANALYTICS_RATE : env.CRUD_RATE
  // A limiter that fails lets requests through.
  const { success } = await limiter.limit({ key: String(key) }).catch(() => ({ success: true }))
  if (success) {
    return
  }
  const seconds = PERIOD_SECONDS - (Math.floor(now.getTime() / 1000) % PERIOD_SECONDS)
  throw new ThrottledError(seconds)
}
