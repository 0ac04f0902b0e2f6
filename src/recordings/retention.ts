import { listRecordingRetentions } from '../access/store.ts'
import { DAY } from '../calendar/units.ts'
import type { ControlDb } from '../db/client.ts'

/** Returns the days for which a project's recordings are kept. */
export type DaysKept = (projectId: number) => number

type Deployment = Pick<Env, 'RECORDING_RETENTION_DAYS'>

/**
 * Reads `RECORDING_RETENTION_DAYS`. @throws unless it is a whole number of days from 1 to 99,999:
 * with 0, all recordings would be deleted
 */
export function readRetentionDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new Error('RECORDING_RETENTION_DAYS must be a whole number of days, from 1 to 99999.')
  }
  return Number(text)
}

/** Returns the days that recordings are kept: the project's, or else the deployment's. */
export const retentionDaysOf = (
  { recordingRetentionDays }: { recordingRetentionDays: number | null },
  { RECORDING_RETENTION_DAYS }: Deployment
): number => recordingRetentionDays ?? readRetentionDays(RECORDING_RETENTION_DAYS)

/**
 * Reads the retention of every project. @param controlDb the database with the projects; their
 * recordings may be in others
 */
export async function readDaysKept(
  controlDb: ControlDb,
  deployment: Deployment
): Promise<DaysKept> {
  const fallback = readRetentionDays(deployment.RECORDING_RETENTION_DAYS)
  const rows = await listRecordingRetentions(controlDb)
  const byProject = new Map(rows.map(({ id, days }) => [id, days]))
  return (projectId) => byProject.get(projectId) ?? fallback
}

/**
 * Returns the start of the oldest UTC day whose recordings are kept, ms. Today counts as one of the
 * days: with 30 days, on 22 November, it is 24 October at 00:00.
 */
export const keptSince = (retentionDays: number, now: number): number =>
  (Math.floor(now / DAY) - retentionDays + 1) * DAY
