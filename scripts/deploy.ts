import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type Config, readConfig } from './config.ts'
import { type Account, openAccount } from './deploy/account.ts'
import {
  commandOf,
  jurisdictionOf,
  listCommands,
  planDeployment,
  type Step
} from './deploy/plan.ts'
import { OperatorError } from './faults.ts'
import { newSecret } from './state.ts'
import { readCommandLine } from './usage.ts'
import { findFault, wrangler } from './wrangler.ts'

/** Wrangler's message for a Worker that does not exist. */
const NO_SUCH_WORKER = /Worker "[^"]+" not found/

const LOCATIONS = ['weur', 'eeur', 'wnam', 'enam', 'apac', 'oc']

const USAGE = `npm run deploy -- [--location ${LOCATIONS.join('|')}] [--plan]

Creates missing databases, queues and buckets at Cloudflare, migrates, and deploys the Worker. You can run it again at any time.

--location  where to create databases and buckets (default: near you)
--plan      lists the commands without running them`

const Login = z.object({ accounts: z.array(z.object({ id: z.string(), name: z.string() })) })
const Bookmark = z.object({ bookmark: z.string() })
const Secrets = z.array(z.object({ name: z.string() }))
const Deployed = z.object({ type: z.literal('deploy'), targets: z.array(z.string()) })

await main()

async function main(): Promise<void> {
  const options = readOptions()
  const config = readConfig()
  if (options.location && jurisdictionOf(config)) {
    throw new OperatorError(
      `--location cannot be combined with the jurisdiction ${jurisdictionOf(config)} in wrangler.toml.`
    )
  }

  const plan = planDeployment(config, options.location)
  if (options.plan) {
    return console.log(listCommands(plan).join('\n'))
  }

  const account = await openAccount(await findAccountId(plan.login, config))
  for (const line of await Promise.all(plan.create.map((step) => create(step, account)))) {
    console.log(line)
  }
  for (const step of plan.remember) {
    await remember(step)
  }
  for (const step of plan.migrate) {
    await run(step, { show: true })
  }
  for (const step of plan.deploy) {
    console.log(nextSteps(await deploy(step, config.secrets.required)))
  }
}

function readOptions() {
  const { values } = readCommandLine(USAGE, {
    options: { location: { type: 'string' }, plan: { type: 'boolean' } }
  })
  if (values.location !== undefined && !LOCATIONS.includes(values.location)) {
    throw new OperatorError(
      `--location must be one of ${LOCATIONS.join(', ')}; got '${values.location}'.`
    )
  }
  return values
}

/**
 * Returns the id of the account to deploy to. @throws OperatorError when nobody is logged in, or
 * several accounts are possible
 */
async function findAccountId(step: Step, config: Config): Promise<string> {
  const { code, stdout, stderr } = await wrangler(step.run)
  if (/"loggedIn": ?false/.test(stdout)) {
    throw new OperatorError(
      'You are not logged in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.'
    )
  }
  if (code !== 0) {
    throw new OperatorError(`${commandOf(step.run)} failed: ${findFault(`${stdout}${stderr}`)}`)
  }
  const { accounts } = Login.parse(JSON.parse(stdout))
  const chosen = process.env.CLOUDFLARE_ACCOUNT_ID || config.account_id
  if (accounts.length > 1 && !chosen) {
    throw new OperatorError(
      `Set CLOUDFLARE_ACCOUNT_ID to one of: ${accounts.map(({ id, name }) => `${id} (${name})`).join(', ')}`
    )
  }
  return chosen || (accounts[0]?.id ?? '')
}

/**
 * Creates a resource unless it exists. If the API refuses, runs wrangler, which creates the resource
 * or explains why not.
 * @returns a line to print
 */
async function create(step: Required<Step>, account: Account): Promise<string> {
  const exists = await account.has(step.resource)
  if (!exists && !(await account.create(step.resource))) {
    await run(step)
  }
  return `${exists ? 'Exists already' : 'Created'}: ${commandOf(step.run)}`
}

async function remember(step: Step): Promise<void> {
  const { bookmark } = Bookmark.parse(JSON.parse((await run(step)).stdout))
  const binding = step.run[3] ?? ''
  console.log(
    `${binding} is at the bookmark ${bookmark}. If a migration damages it, restore this state:`
  )
  console.log(`  npx wrangler d1 time-travel restore ${binding} --bookmark ${bookmark}`)
}

/**
 * Deploys the Worker, and generates its missing secrets, which are random and which nobody needs to
 * know.
 * @returns the Worker's URLs
 */
async function deploy(step: Step, secrets: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  const report = join(folder, 'deploy.ndjson')
  const secretsFile = join(folder, 'secrets.json')
  try {
    const known = await listSecrets()
    const generated = secrets
      .filter((name) => !known.includes(name))
      .map((name) => [name, newSecret()])
    writeFileSync(secretsFile, JSON.stringify(Object.fromEntries(generated)), { mode: 0o600 })
    const args = generated.length > 0 ? [...step.run, '--secrets-file', secretsFile] : step.run
    await run({ run: args }, { show: true, env: { WRANGLER_OUTPUT_FILE_PATH: report } })
    const lines = readFileSync(report, 'utf8').trim().split('\n')
    const targets = lines.flatMap(
      (line) => Deployed.safeParse(JSON.parse(line)).data?.targets ?? []
    )
    return targets.filter((target) => target.startsWith('https://'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Lists the names of the deployed Worker's secrets; none before the first deployment. */
async function listSecrets(): Promise<string[]> {
  const { code, stdout, stderr } = await wrangler(['secret', 'list', '--format', 'json'])
  if (code === 0) {
    return Secrets.parse(JSON.parse(stdout)).map(({ name }) => name)
  }
  if (NO_SUCH_WORKER.test(`${stdout}${stderr}`)) {
    return []
  }
  throw new OperatorError(
    `${commandOf(['secret', 'list'])} failed: ${findFault(`${stdout}${stderr}`)}`
  )
}

async function run(step: Step, options?: Parameters<typeof wrangler>[1]) {
  const result = await wrangler(step.run, options)
  if (result.code === 0) {
    return result
  }
  const fault = findFault(`${result.stdout}${result.stderr}`)
  throw new OperatorError(
    `${commandOf(step.run)} failed: ${fault}\nThe steps before it are done. Fix the cause and run the same command again.`
  )
}

function nextSteps([url = '<address>']: string[]): string {
  return `
Edge Analytics is deployed. Check that it answers and that the database has all migrations:
  curl ${url}/readyz

Create the first user, project (with the capture token for SDKs) and API key:
  npm run user -- create --first-name Ada --email ada@example.com --remote
  npm run project -- create --name Shop --remote
  npm run key -- create --label admin --scopes '*' --project 1 --remote`
}
