import * as z from 'zod'
import { listDatabases } from '../../access/store.ts'
import { toIso } from '../../calendar/clock.ts'
import { MINUTE } from '../../calendar/units.ts'
import { countDamaged } from '../../columns/damage.store.ts'
import { newUsage, openControl, openDb } from '../../db/client.ts'
import { CONTROL, databaseOf, listBound } from '../../db/databases.ts'
import { CRONS, isOverdue, WEEKLY } from '../../jobs/cron.ts'
import { listRuns } from '../../jobs/store.ts'
import { ENTRIES_PREFIX, LedgerError } from '../../ledger/entry.ts'
import { readFingerprint } from '../../ledger/fingerprint.ts'
import { isBehind } from '../../ledger/ledger.ts'
import { compareWithMark } from '../../ledger/mark.ts'
import {
  checkSecret,
  fingerprintOf,
  MIN_SECRET,
  SECRET_STATUSES,
  WRONG_SECRET
} from '../../ledger/secret.ts'
import { readState } from '../../ledger/store.ts'
import { type Fault, readFault } from '../../ledger/walk.ts'
import type { ConsumerWork } from '../../queues/run.ts'
import { checkMigrations, countDeadLetters, readBirth } from './store.ts'

/** A database that has at least this share of its maximum size gets the status `warning`. */
const FILLING = 0.8

/** Age of an entry of the ledger that must be applied, ms; the job runs every minute. */
const LEDGER_MS = 2 * MINUTE

const Status = z.enum(['ok', 'warning', 'unavailable'])

const DatabaseHealth = z.object({
  binding: z.string().meta({
    description: 'A D1 binding that this deployment has or that a project names.'
  }),
  status: Status.meta({
    description: `\`warning\`: the database is at least ${FILLING * 100} % full, or columns were damaged; \`unavailable\`: it does not answer or lacks a migration.`
  }),
  answers: z.boolean(),
  migration: z.string().nullable().meta({ description: 'The last migration that was applied.' }),
  size_bytes: z.int().min(0),
  fill: z
    .number()
    .min(0)
    .meta({ description: 'The database’s size as a share of its maximum size: 0.8 is 80 %.' }),
  damaged_columns: z.int().min(0).meta({
    description:
      'Segments and chunks of columns that were damaged, since the last nightly verification. Rows answer in their place until they are built again, within 15 minutes.'
  })
})
type DatabaseHealth = z.infer<typeof DatabaseHealth>

const SecretHealth = z.object({
  name: z
    .string()
    .meta({ description: 'The name of a secret that the Worker needs; its value is never shown.' }),
  status: z.enum([...SECRET_STATUSES, 'changed']).meta({
    description: `\`missing\`: the secret is not set, or empty; \`too_short\`: it has fewer than ${MIN_SECRET} characters; \`changed\`: it is not the secret that the deployment has used so far.`
  }),
  detail: z.string().optional().meta({
    description: 'A sentence for the operator about a changed secret.'
  })
})
type SecretHealth = z.infer<typeof SecretHealth>

const LedgerHealth = z.enum(['ok', 'behind', 'damaged', 'unknown']).meta({
  description:
    'Whether the databases have applied the ledger of erasures, and whether it is intact. `behind`: a database has not applied an entry that is two minutes old, or was restored; the projects of a restored database are held back until the erasures that the restore undid are repeated, within minutes. `damaged`: an entry, or a list of deleted events or a public key that it names, is missing or changed; every night, a part of the ledger is checked. With either, `status` is `unavailable`. `unknown`: the bucket or a database does not answer.'
})

const CronHealth = z.object({
  cron: z.string().meta({ description: 'The expression of the Cron Trigger.' }),
  last_run: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the last run began; null before the first run.' }),
  ms: z.int().min(0).nullable(),
  failed_jobs: z.int().min(0).nullable().meta({
    description:
      'Failures in the last run: one per job, or one per job and database. Any failure is a `warning`.'
  }),
  overdue: z.boolean().meta({
    description:
      'Whether the trigger should have fired again more than 15 minutes ago. One is enough for a `warning`.'
  })
})

export const Health = z
  .object({
    status: Status.meta({
      description:
        'The worst status of all databases, crons and dead letters; also `unavailable` while a secret is missing, too short or changed, or the ledger is behind or damaged.'
    }),
    database: DatabaseHealth.meta({
      description: 'The database with users, keys and projects, and by default the projects’ data.'
    }),
    other_databases: z.array(DatabaseHealth),
    secrets: z.array(SecretHealth),
    ledger: LedgerHealth,
    ledger_fault: z.string().nullable().meta({
      description: 'What is wrong with a damaged ledger; otherwise null.'
    }),
    queue: z.object({
      backlog: z.int().nullable().meta({
        description: 'Messages that wait in the queues; null when the queues do not report it.'
      }),
      consuming: z.int().min(0),
      retrying: z.int().min(0)
    }),
    dead_letters: z.int().min(0).nullable().meta({
      description:
        'Messages that failed for good and were not redriven; `npm run dead -- list` shows them. One is enough for a `warning`.'
    }),
    crons: z.array(CronHealth)
  })
  .meta({
    id: 'Health',
    examples: [
      {
        status: 'ok',
        database: {
          binding: CONTROL,
          status: 'ok',
          answers: true,
          migration: '0000_tables.sql',
          size_bytes: 4_096_000,
          fill: 0.0004,
          damaged_columns: 0
        },
        other_databases: [],
        secrets: [
          { name: 'RECEIPT_SECRET', status: 'ok' },
          { name: 'RECEIPT_KEY', status: 'ok' }
        ],
        ledger: 'ok',
        ledger_fault: null,
        queue: { backlog: 0, consuming: 0, retrying: 0 },
        dead_letters: 0,
        crons: [
          {
            cron: WEEKLY,
            last_run: '2026-11-22T05:00:00Z',
            ms: 1_204,
            failed_jobs: 0,
            overdue: false
          }
        ]
      }
    ]
  })

export type HealthJson = z.infer<typeof Health>

/** Checks everything that the service needs, and counts waiting messages and dead letters. */
export type ReadHealth = (env: Env, now: Date) => Promise<HealthJson>

/**
 * Returns a `ReadHealth` that keeps what it reads from databases and the bucket for
 * `HEALTH_SECONDS`: anyone may ask for it, as often as they like. Secrets and waiting messages,
 * which take no query, are always current.
 * @param work returns the counts of this isolate's batches and retries
 */
export function createHealthReader(work: () => ConsumerWork): ReadHealth {
  let last: { stored: StoredHealth; at: number } | undefined

  return async function readHealth(env, now) {
    const at = now.getTime()
    if (last && at - last.at < Number(env.HEALTH_SECONDS) * 1000) {
      return summarize(env, last.stored, work())
    }
    const stored = await checkStored(env, now)
    last = { stored, at }
    return summarize(env, stored, work())
  }
}

type StoredHealth = Awaited<ReturnType<typeof checkStored>>

/** Checks what takes queries: the databases, the ledger, the crons and the dead letters. */
async function checkStored(env: Env, now: Date) {
  const [database, others, jobs, ledger, fingerprint] = await Promise.all([
    checkDatabase(env, CONTROL),
    checkOthers(env),
    checkJobs(env, now.getTime()),
    checkLedger(env, now),
    findFingerprint(env)
  ])
  return { database, others, ...jobs, ...ledger, fingerprint }
}

/** Adds the secrets, the waiting messages and this isolate's work, which take no query. */
async function summarize(
  env: Env,
  { database, others, crons, deadLetters, ledger, fault, fingerprint }: StoredHealth,
  work: ConsumerWork
): Promise<HealthJson> {
  const backlog = await countWaiting(env).catch(() => null)
  const secrets = [
    await compareSecret(env, fingerprint),
    { name: 'RECEIPT_KEY', status: checkSecret(env.RECEIPT_KEY) }
  ]
  const statuses = [
    ...[database, ...others].map((checked) => checked.status),
    ...secrets.map((secret) => (secret.status === 'ok' ? 'ok' : 'unavailable')),
    ledger === 'behind' || ledger === 'damaged' ? 'unavailable' : 'ok',
    ...crons.map((cron) => (cron.failed_jobs || cron.overdue ? 'warning' : 'ok')),
    deadLetters ? 'warning' : 'ok'
  ]
  return {
    status: worstOf(statuses),
    database,
    other_databases: others,
    secrets,
    ledger,
    ledger_fault: fault,
    queue: { backlog, ...work },
    dead_letters: deadLetters,
    crons
  }
}

/** Compares the secret with the deployment's fingerprint, if one is known. */
async function compareSecret(
  { RECEIPT_SECRET: secret }: Env,
  fingerprint: string | undefined
): Promise<SecretHealth> {
  const name = 'RECEIPT_SECRET'
  const status = checkSecret(secret)
  return status !== 'ok' || !fingerprint || (await fingerprintOf(secret)) === fingerprint
    ? { name, status }
    : { name, status: 'changed', detail: WRONG_SECRET }
}

/** Reads the deployment's fingerprint: the database's if the bucket does not answer. */
async function findFingerprint(env: Env): Promise<string | undefined> {
  const { db } = openControl(env, newUsage())
  const found = await readFingerprint(env.BUCKET, db)
    .catch(async () => (await readState(db)).secret)
    .catch(() => undefined)
  return found?.fingerprint
}

/** Counts the messages that wait in all queues. @throws when a queue does not report them */
async function countWaiting(env: Env): Promise<number> {
  const queues = [
    env.CAPTURE_QUEUE,
    env.RECORDING_QUEUE,
    env.DEAD_QUEUE,
    env.ERASURE_QUEUE,
    env.DELIVERY_QUEUE,
    env.COLUMNS_QUEUE,
    env.ACCESS_QUEUE
  ]
  const metrics = await Promise.all(queues.map((queue) => queue.metrics()))
  return metrics.reduce((sum, { backlogCount }) => sum + backlogCount, 0)
}

/** Returns the worst status; the options of `Status` are in ascending order of severity. */
const worstOf = (statuses: string[]): HealthJson['status'] =>
  Status.options.findLast((option) => statuses.includes(option)) ?? 'ok'

/** Reads the crons' last runs and counts the dead letters. Null: cannot be read. */
async function checkJobs(env: Env, now: number) {
  const { db } = openControl(env, newUsage())
  const [runs, deadLetters, born] = await Promise.all([
    listRuns(db).catch(() => []),
    countDeadLetters(db).catch(() => null),
    readBirth(db).catch(() => undefined)
  ])
  const crons = CRONS.map((cron) => {
    const run = runs.find((candidate) => candidate.cron === cron)
    return {
      cron,
      last_run: run ? toIso(run.startedAt) : null,
      ms: run ? run.finishedAt - run.startedAt : null,
      failed_jobs: run ? run.failedJobs : null,
      overdue: isOverdue(cron, run?.startedAt ?? born ?? now, now)
    }
  })
  return { crons, deadLetters }
}

async function checkLedger(
  env: Env,
  now: Date
): Promise<{ ledger: z.output<typeof LedgerHealth>; fault: string | null }> {
  const check = async (binding: string) => {
    const { db } = openDb(databaseOf(env, binding), newUsage())
    const { head, isRestored } = await compareWithMark(env.BUCKET, db, binding)
    // `isBehind` comes first, because it also throws when the ledger is damaged.
    return (await isBehind(env.BUCKET, head, now.getTime() - LEDGER_MS)) || isRestored
  }
  try {
    const databases = await listDatabases(openControl(env, newUsage()).db)
    const [fault, ...behind] = await Promise.all([readFault(env.BUCKET), ...databases.map(check)])
    if (fault) {
      return { ledger: 'damaged', fault: publicTextOf(fault) }
    }
    return { ledger: behind.includes(true) ? 'behind' : 'ok', fault: null }
  } catch (error) {
    return error instanceof LedgerError
      ? { ledger: 'damaged', fault: publicTextOf({ key: error.key, text: error.message }) }
      : { ledger: 'unknown', fault: null }
  }
}

/** Returns a sentence for anyone: the key of a list has ids of a project and a deletion. */
const publicTextOf = ({ key, text }: Fault): string =>
  key.startsWith(ENTRIES_PREFIX)
    ? text
    : 'An object that an entry of the ledger names is damaged or missing; `npm run verify` names the object.'

/**
 * Checks all databases except the control database: the databases bound to this deployment, and
 * those that projects name.
 */
async function checkOthers(env: Env): Promise<DatabaseHealth[]> {
  const named = await listDatabases(openControl(env, newUsage()).db).catch(() => [])
  const others = [...new Set([...listBound(env), ...named])].filter(
    (binding) => binding !== CONTROL
  )
  return Promise.all(others.sort().map((binding) => checkDatabase(env, binding)))
}

async function checkDatabase(env: Env, binding: string): Promise<DatabaseHealth> {
  const usage = newUsage()
  const open = async () => {
    const { db } = openDb(databaseOf(env, binding), usage)
    return { ...(await checkMigrations(db)), damaged: await countDamaged(db) }
  }
  const checked = await open().catch(() => undefined)
  const fill = usage.sizeBytes / Number(env.DATABASE_MAX_BYTES)
  return {
    binding,
    status: statusOf(checked, fill),
    answers: checked !== undefined,
    migration: checked?.migration ?? null,
    size_bytes: usage.sizeBytes,
    fill,
    damaged_columns: checked?.damaged ?? 0
  }
}

function statusOf(
  checked: { isCurrent: boolean; damaged: number } | undefined,
  fill: number
): DatabaseHealth['status'] {
  if (!checked?.isCurrent) {
    return 'unavailable'
  }
  return fill >= FILLING || checked.damaged > 0 ? 'warning' : 'ok'
}
