import { expect, it } from 'vitest'
import { type Config, readConfig } from '../../../scripts/config.ts'
import { listCommands, planDeployment } from '../../../scripts/deploy/plan.ts'
import { findFault } from '../../../scripts/wrangler.ts'

const config = readConfig()
const withJurisdiction = (jurisdiction: string): Config => ({
  ...config,
  r2_buckets: config.r2_buckets.map((bucket) => ({ ...bucket, jurisdiction }))
})

it('creates missing resources, prints the bookmark, migrates, and only then deploys', () => {
  expect(listCommands(planDeployment(config, 'weur'))).toEqual([
    'npx wrangler whoami --json',
    'npx wrangler d1 info edge-analytics --json || npx wrangler d1 create edge-analytics --location weur',
    'npx wrangler queues info edge-analytics-capture || npx wrangler queues create edge-analytics-capture --message-retention-period-secs 1209600',
    'npx wrangler queues info edge-analytics-capture-dead || npx wrangler queues create edge-analytics-capture-dead --message-retention-period-secs 1209600',
    'npx wrangler queues info edge-analytics-erasures || npx wrangler queues create edge-analytics-erasures --message-retention-period-secs 1209600',
    'npx wrangler queues info edge-analytics-recordings || npx wrangler queues create edge-analytics-recordings --message-retention-period-secs 1209600',
    'npx wrangler queues info edge-analytics-deliveries || npx wrangler queues create edge-analytics-deliveries --message-retention-period-secs 1209600',
    'npx wrangler queues info edge-analytics-columns || npx wrangler queues create edge-analytics-columns --message-retention-period-secs 1209600',
    'npx wrangler queues info edge-analytics-access || npx wrangler queues create edge-analytics-access --message-retention-period-secs 1209600',
    'npx wrangler queues info edge-analytics-deliveries-dead || npx wrangler queues create edge-analytics-deliveries-dead --message-retention-period-secs 1209600',
    'npx wrangler r2 bucket info edge-analytics --json || npx wrangler r2 bucket create edge-analytics --location weur',
    'npx wrangler d1 time-travel info DB --json',
    'npx wrangler d1 migrations apply DB --remote',
    'npx wrangler deploy'
  ])
})

it('leaves the location to Cloudflare if none is given', () => {
  expect(planDeployment(config).create.map(({ run }) => run.join(' '))).toContain(
    'd1 create edge-analytics'
  )
})

it('creates everything in the jurisdiction of the bucket', () => {
  const { create } = planDeployment(withJurisdiction('eu'))
  expect(create.map(({ run }) => run.slice(-2))).toEqual(create.map(() => ['--jurisdiction', 'eu']))
})

it('creates and migrates every database', () => {
  const second = {
    binding: 'DB_2',
    database_name: 'edge-analytics-2',
    migrations_dir: 'migrations'
  }
  const commands = listCommands(
    planDeployment({ ...config, d1_databases: [...config.d1_databases, second] })
  )
  expect(commands).toContain(
    'npx wrangler d1 info edge-analytics-2 --json || npx wrangler d1 create edge-analytics-2'
  )
  expect(commands).toContain('npx wrangler d1 migrations apply DB_2 --remote')
})

it.each([
  [
    '\x1b[31m✘ \x1b[41;31m[\x1b[41;97mERROR\x1b[41;31m]\x1b[0m \x1b[1mNo such\nqueue.\x1b[0m\n\n\n🪵  Logs',
    'No such queue.'
  ],
  [
    '\n✘ [ERROR] A request failed.\n\n  syntax error [code: 1]\n  \n  If you think this is a bug, tell us',
    'A request failed. syntax error [code: 1]'
  ],
  ['fetch failed\n', 'fetch failed']
])("extracts the error from wrangler's output: %j", (output, fault) => {
  expect(findFault(output)).toBe(fault)
})
