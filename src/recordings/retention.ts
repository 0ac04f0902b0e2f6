import { DAY } from '../calendar/buckets.ts'
import type { Db } from '../db/client.ts'
import { listRetentions } from '../projects/store.ts'

/** Returns for how many days a project's recordings are kept. */
export type Retention = (projectId: number) => number

type Deployment = Pick<Env, 'RECORDING_RETENTION_DAYS'>

/** Reads `RECORDING_RETENTION_DAYS`. @throws for anything but a number from 1 on: all recordings would go, or none */
export function readRetention(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new Error('RECORDING_RETENTION_DAYS is not a whole number of days from 1 on.')
  }
  return Number(text)
}

/** Returns for how many days recordings are kept: the project's own number, or else the deployment's. */
export const retentionOf = (
  { recordingRetentionDays }: { recordingRetentionDays: number | null },
  { RECORDING_RETENTION_DAYS }: Deployment
): number => recordingRetentionDays ?? readRetention(RECORDING_RETENTION_DAYS)

/** Reads the retention of every project. @param controlDb has the projects, wherever their recordings are */
export async function readRetentions(controlDb: Db, deployment: Deployment): Promise<Retention> {
  const others = readRetention(deployment.RECORDING_RETENTION_DAYS)
  const rows = await listRetentions(controlDb)
  const own = new Map(rows.map(({ id, days }) => [id, days]))
  return (projectId) => own.get(projectId) ?? others
}

/**
 * Returns the start of the oldest day, UTC, whose recordings are kept, ms; today is the last of the days. With 30 days, on
 * 22 November: 24 October at 00:00.
 */
export const keptSince = (retentionDays: number, now: number): number =>
  (Math.floor(now / DAY) - retentionDays + 1) * DAY
