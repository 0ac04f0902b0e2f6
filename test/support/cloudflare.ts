import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { newStateDir } from './processes.ts'
import { closeServer, listen, readBody } from './requests.ts'

type Answer = {
  status: number
  result?: unknown
  error?: { code: number; message: string }
  /** The body, if it is not the API's JSON. */
  raw?: string
}

const Named = z.object({ name: z.string() })
const Patched = z.object({ secrets: z.record(z.string(), z.object({ text: z.string() })) })
const NewQueue = z.object({ queue_name: z.string() })

/** A request: `call` is its method and path, `GET d1/database/shop`; `id` the last part of the path; `name` the query parameter `name`. */
type Asked = { call: string; id: string; name: string | null; body: string }

type Route = [call: RegExp, answer: (asked: Asked) => Answer]

const ok = (result: unknown): Answer => ({ status: 200, result })
const missing = (code: number): Answer => ({ status: 404, error: { code, message: 'not found' } })

/** The user who deploys, and the user's accounts. */
function accountRoutes(settings: { accounts: string[] }): Route[] {
  const accounts = () =>
    settings.accounts.map((account) => ({ id: account.toLowerCase(), name: account }))
  const memberships = () => accounts().map((account) => ({ id: account.id, account }))
  return [
    [/^GET accounts$/, () => ok(accounts())],
    [/^GET memberships$/, () => ok(memberships())],
    [/^GET user$/, () => ok({ id: 'u', email: 'ops@example.com' })],
    [/^GET user\/tokens\/verify$/, () => ok({ id: 't', status: 'active' })]
  ]
}

/** Databases that can be created and found; queries return no rows. */
function databaseRoutes(): Route[] {
  const databases: { name: string; uuid: string }[] = []
  const create = ({ body }: Asked) => {
    const database = { name: Named.parse(JSON.parse(body)).name, uuid: crypto.randomUUID() }
    databases.push(database)
    return ok(database)
  }
  const find = ({ id }: Asked) => {
    const found = databases.find((database) => database.name === id || database.uuid === id)
    return found
      ? ok({ ...found, version: 'production', num_tables: 0, file_size: 0 })
      : missing(7404)
  }
  return [
    [/^POST d1\/database$/, create],
    [/^GET d1\/database\/[^/]+$/, find],
    [/^GET d1\/database\/[^/]+\/time_travel\/bookmark$/, () => ok({ bookmark: '00000042-feed' })],
    [/^POST d1\/database\//, () => ok([{ results: [], success: true, meta: {} }])]
  ]
}

/** Queues that can be created and found by name. */
function queueRoutes(): Route[] {
  const queues: { queue_name: string; queue_id: string; producers: []; consumers: [] }[] = []
  const create = ({ body }: Asked) => {
    const { queue_name } = NewQueue.parse(JSON.parse(body))
    queues.push({ queue_name, queue_id: `id-of-${queue_name}`, producers: [], consumers: [] })
    return ok(queues.at(-1))
  }
  return [
    [/^POST queues$/, create],
    [/^GET queues$/, ({ name }) => ok(queues.filter(({ queue_name }) => queue_name === name))],
    [/^POST queues\//, () => ok({})]
  ]
}

/** Buckets that can be created and found, and that share their objects. */
function bucketRoutes(objects: Map<string, string>): Route[] {
  const buckets: string[] = []
  const create = ({ body }: Asked) => {
    buckets.push(Named.parse(JSON.parse(body)).name)
    return ok({})
  }
  const find = ({ id }: Asked) =>
    buckets.includes(id) ? ok({ name: id, location: 'WEUR' }) : missing(10006)
  const keyOf = (call: string) => call.replace(/^\w+ r2\/buckets\/[^/]+\/objects\//, '')
  const put = ({ call, body }: Asked) => {
    objects.set(keyOf(call), body)
    return ok({})
  }
  const get = ({ call }: Asked) => {
    const raw = objects.get(keyOf(call))
    return raw === undefined ? missing(10007) : { status: 200, raw }
  }
  return [
    [/^POST r2\/buckets$/, create],
    [/^PUT r2\/buckets\/[^/]+\/objects\//, put],
    [/^GET r2\/buckets\/[^/]+\/objects\//, get],
    [/^GET r2\/buckets\//, find]
  ]
}

/** A Worker that can be uploaded. Its secrets and its service are found once an upload has set a secret, as a first deployment does. */
function workerRoutes(secrets: Map<string, string>): Route[] {
  const upload = ({ id, body }: Asked) => {
    const set = /"name":"(\w+)","type":"secret_text","text":"([^"]*)"/g
    for (const [, name = '', text = ''] of body.matchAll(set)) {
      secrets.set(name, text)
    }
    return ok({
      id,
      deployment_id: 'd',
      startup_time_ms: 1,
      enabled: true,
      resources: { script: { etag: 'e' } }
    })
  }
  const service = (id: string) => ({
    id,
    default_environment: { environment: 'production', script: { last_deployed_from: 'wrangler' } }
  })
  const setSecrets = ({ body }: Asked) => {
    for (const [name, { text }] of Object.entries(Patched.parse(JSON.parse(body)).secrets)) {
      secrets.set(name, text)
    }
    return ok({})
  }
  const list = () => [...secrets.keys()].map((name) => ({ name, type: 'secret_text' }))
  const ifUploaded = (result: unknown) => (secrets.size > 0 ? ok(result) : missing(10007))
  return [
    [/^GET workers\/subdomain$/, () => ok({ subdomain: 'shop' })],
    [/^GET workers\/scripts\/[^/]+\/secrets$/, () => ifUploaded(list())],
    [/^GET workers\/services\//, ({ id }) => ifUploaded(service(id))],
    [
      /^GET workers\/workers\//,
      () => ok({ id: 'w', subdomain: { enabled: true }, observability: {} })
    ],
    [/^PATCH workers\/scripts\/[^/]+\/secrets-bulk$/, setSecrets],
    [/\/assets-upload-session$/, () => ok({ jwt: 'x', buckets: [] })],
    // Must follow the route for uploading assets, whose path starts in the same way.
    [/^(PUT|POST|PATCH) workers\/scripts\//, upload]
  ]
}

/** Starts a server with the part of Cloudflare's API that a deployment calls, and with an empty account, which keeps what is created. */
export async function startCloudflare() {
  const changes: { call: string; body: string }[] = []
  /** Requests whose `call` contains `failing` fail, unless it is empty. */
  const settings = { accounts: ['Shop'], failing: '', token: 'token' }
  /** The objects of all buckets by key, and the Worker's secrets by name. */
  const objects = new Map<string, string>()
  const secrets = new Map<string, string>()
  const routes = [
    ...accountRoutes(settings),
    ...databaseRoutes(),
    ...queueRoutes(),
    ...bucketRoutes(objects),
    ...workerRoutes(secrets)
  ]

  const answer = (asked: Asked): Answer => {
    if (settings.failing && asked.call.includes(settings.failing)) {
      return { status: 400, error: { code: 7500, message: 'near "TABEL": syntax error' } }
    }
    const [, answerRoute] = routes.find(([call]) => call.test(asked.call)) ?? []
    return answerRoute ? answerRoute(asked) : missing(10007)
  }

  const server = createServer(async (request, response) => {
    const body = (await readBody(request)).toString('latin1')
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const call = `${request.method} ${pathname.replace(/^\/(accounts\/[^/]+\/)?/, '')}`
    if (request.method !== 'GET') {
      changes.push({ call, body })
    }
    const id = call.split('/').at(-1) ?? ''
    const name = searchParams.get('name')
    const isKnown = request.headers.authorization === `Bearer ${settings.token}`
    const {
      status,
      result = null,
      error,
      raw
    } = isKnown
      ? answer({ call, id, name, body })
      : { status: 403, error: { code: 10000, message: 'Authentication error' } }
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(
      raw ?? JSON.stringify({ success: !error, result, errors: error ? [error] : [], messages: [] })
    )
  })
  const host = await listen(server)
  onTestFinished(() => closeServer(server))
  const home = newStateDir()
  /** Environment of a machine on which nobody is logged in, with a token for this account. */
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: home,
    STATE_DIR: home,
    CLOUDFLARE_API_BASE_URL: `http://${host}`,
    CLOUDFLARE_API_TOKEN: 'token',
    CLOUDFLARE_ACCOUNT_ID: ''
  }
  /** Logs in on that machine as `wrangler login` does. @returns the environment without the token */
  const logIn = () => {
    const folder = join(home, '.wrangler/config')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'default.toml'),
      `oauth_token = "${settings.token}"\nexpiration_time = "2099-01-01T00:00:00.000Z"\nscopes = ["account:read"]\n`
    )
    return { ...env, CLOUDFLARE_API_TOKEN: '' }
  }
  return { env, changes, settings, objects, secrets, logIn }
}
