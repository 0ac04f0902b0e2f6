import { UnavailableError } from '../errors.ts'
import type { ProjectRow } from './store.ts'

/**
 * The deployment's secret `MAINTENANCE`, set by `npm run maintenance`. It is a secret because a
 * restore of the database would undo a row.
 */
export type Deployment = Pick<Env, 'DB'> & { MAINTENANCE?: string }

const IN_MAINTENANCE =
  'The service is in maintenance. Captured events are accepted, and stored afterwards. Try again later.'
const IN_REPLAY =
  'The database was restored to an earlier state, and later deletions are being repeated. Try again in a minute.'

/** A project is held back: its data is not read, and its events are not stored yet. */
export class HeldError extends UnavailableError {
  override readonly retryAfter = 30
}

/** Whether the whole deployment is in maintenance. */
export const isInMaintenance = ({ MAINTENANCE }: Deployment): boolean => MAINTENANCE === 'on'

/** @throws HeldError while the project, or the whole deployment, is held back */
export function expectReleased({ held }: Pick<ProjectRow, 'held'>, env: Deployment): void {
  if (isInMaintenance(env) || held === 'maintenance') {
    throw new HeldError(IN_MAINTENANCE)
  }
  if (held === 'replay') {
    throw new HeldError(IN_REPLAY)
  }
}
