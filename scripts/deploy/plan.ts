import type { Config } from '../config.ts'
import { deploymentArgs } from '../deployment.ts'

/** A resource of the account. */
export type Resource = {
  /** Its path in Cloudflare's API, below the account: `r2/buckets/shop`. */
  path: string
  /** The request that creates it: the path in the API, `r2/buckets`, and the body. */
  creation: { path: string; body: unknown }
  /** The bucket's jurisdiction, which the API takes as a header. Other resources have theirs in the body. */
  jurisdiction?: string
  /** Arguments of the wrangler command that succeeds if the resource exists. */
  info: string[]
}

/** A wrangler command with the arguments `run`. A step with a `resource` is skipped if the resource exists. */
export type Step = { run: string[]; resource?: Resource }

export type Plan = { login: Step; create: Required<Step>[] } & Record<
  'remember' | 'migrate' | 'deploy',
  Step[]
>

/**
 * 14 days, the longest retention of a queue: it leaves time to fix a fault that stops messages from
 * being processed.
 */
const RETENTION_SECONDS = 1_209_600

/**
 * Plans the steps from an empty account to a running service, in order. Existing resources stay as
 * they are; only migrations change a database. The bucket's jurisdiction applies to all resources;
 * without a jurisdiction, `location` is a hint for the databases and the bucket.
 */
export function planDeployment(config: Config, location?: string): Plan {
  const { d1_databases: databases, r2_buckets: buckets, queues } = config
  const jurisdiction = jurisdictionOf(config)
  const confined = jurisdiction ? ['--jurisdiction', jurisdiction] : []
  const hint = jurisdiction ? undefined : location
  const placed = hint ? ['--location', hint] : confined
  const queueNames = new Set([
    ...queues.producers.map(({ queue }) => queue),
    ...queues.consumers.flatMap(({ queue, dead_letter_queue: dead = queue }) => [queue, dead])
  ])
  return {
    login: { run: ['whoami', '--json'] },
    create: [
      ...databases.map(({ database_name: name }) => ({
        resource: {
          path: `d1/database/${name}`,
          creation: {
            path: 'd1/database',
            body: { name, primary_location_hint: hint, jurisdiction }
          },
          info: ['d1', 'info', name, '--json']
        },
        run: ['d1', 'create', name, ...placed]
      })),
      ...[...queueNames].map((name) => ({
        resource: {
          path: `queues?name=${name}`,
          creation: {
            path: 'queues',
            body: {
              queue_name: name,
              jurisdiction,
              settings: { message_retention_period: RETENTION_SECONDS }
            }
          },
          info: ['queues', 'info', name]
        },
        run: [
          'queues',
          'create',
          name,
          '--message-retention-period-secs',
          String(RETENTION_SECONDS),
          ...confined
        ]
      })),
      ...buckets.map(({ bucket_name: name }) => ({
        resource: {
          path: `r2/buckets/${name}`,
          creation: { path: 'r2/buckets', body: { name, locationHint: hint } },
          ...(jurisdiction && { jurisdiction }),
          info: ['r2', 'bucket', 'info', name, '--json', ...confined]
        },
        run: ['r2', 'bucket', 'create', name, ...placed]
      }))
    ],
    remember: databases.map(({ binding }) => ({
      run: ['d1', 'time-travel', 'info', binding, '--json']
    })),
    migrate: databases.map(({ binding }) => ({
      run: ['d1', 'migrations', 'apply', binding, '--remote']
    })),
    deploy: [{ run: ['deploy'] }]
  }
}

export const jurisdictionOf = (config: Config): string | undefined =>
  config.r2_buckets.find(({ jurisdiction }) => jurisdiction)?.jurisdiction

export const commandOf = (args: string[]): string =>
  `npx wrangler ${[...args, ...deploymentArgs()].join(' ')}`

/** Lists the plan's steps as shell commands. */
export const listCommands = (plan: Plan): string[] =>
  Object.values(plan)
    .flat()
    .map(({ resource, run }) =>
      resource ? `${commandOf(resource.info)} || ${commandOf(run)}` : commandOf(run)
    )
