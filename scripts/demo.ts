import { z } from 'zod'
import { PLACE_HEADER } from '../src/capture/origin.ts'
import { makeAlert } from './demo/alert.ts'
import { type CallApi, share, shareDashboard } from './demo/dashboard.ts'
import { writeHistory } from './demo/history.ts'
import type { DemoPerson } from './demo/person.ts'
import { Progress } from './demo/progress.ts'
import { type DemoRecording, recordSignUps } from './demo/recordings.ts'
import type { DemoEvent } from './demo/visitor.ts'
import { drain } from './drain.ts'
import { stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { prepareProject } from './local-project.ts'
import { listRunning } from './running.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run demo -- [--persons <number>] [--days <number>] [--seed <text>] [--anchor <date>]

Sends the history of a small SaaS to the running local service, and makes a dashboard of it.

--persons  number of persons who sign up or are customers already (default: 600)
--days     length of the history in days (default: 30)
--seed     a different text gives different people (default: harbour)
--anchor   end of the history, a date or a time (default: last midnight UTC)

The same four values always give the same events: sending them again adds nothing. The default anchor moves every day.`

/** Events per batch: small enough for one queue message. */
const BATCH = 100
/** Longest wait for the queues to drain, ms. */
const DRAIN_MS = 300_000

const number = (most: number) => {
  const fault = `must be a whole number from 1 to ${most}`
  return z.coerce
    .number(fault)
    .refine((value) => Number.isInteger(value) && value >= 1 && value <= most, fault)
}

const Options = z.object({
  persons: number(20_000).default(600),
  days: number(366).default(30),
  seed: z.string().min(1).default('harbour'),
  anchor: z.coerce
    .date('must be a date')
    .max(new Date(), 'must not be in the future')
    .default(() => new Date(new Date().setUTCHours(0, 0, 0, 0)))
})

const Persons = z.object({
  count: z.int(),
  results: z.array(
    z.object({
      distinct_ids: z.array(z.string()),
      properties: z
        .object({ name: z.string(), company: z.string(), country: z.string(), plan: z.string() })
        .partial()
    })
  )
})

await main()

async function main(): Promise<void> {
  const options = readOptions()
  const url = `http://127.0.0.1:${process.env.PORT || 8787}`
  await expectService(url)
  const { projectId, token, key } = await openProject()
  const base = `${url}/api/environments/${projectId}/`
  const call = apiOf(base, key)
  const ask = async (query: string) => Persons.parse(await call('GET', `persons/?${query}`))
  const before = (await ask('limit=1')).count

  const { events, people } = writeHistory(options)
  const until = options.anchor.toISOString()
  console.error(
    `${people.length} persons, ${options.days} days until ${until}, seed ${options.seed}`
  )
  await send(events, url, token)
  const recordings = recordSignUps(events, Date.now())
  await sendRecordings(recordings, url, token)

  const { count } = await ask('limit=1')
  console.log(`\nThe project now has ${count} persons, ${count - before} of them new. Examples:\n`)
  for (const person of chooseExamples(people)) {
    const [found] = (await ask(new URLSearchParams({ email: person.email }).toString())).results
    console.log(`  ${person.email}: ${found ? describe(found) : 'not found'}`)
  }
  const latest = recordings.at(-1)
  if (latest) {
    const { sessionId, email } = latest
    const shared = await share(call, `session_recordings/${sessionId}/`)
    console.log(`\nWatch ${email} sign up, one of ${recordings.length} recordings:\n\n  ${shared}`)
  }
  console.log(`\nA dashboard of the last month:\n\n  ${await shareDashboard(call)}`)
  const fired = (await makeAlert(call, 'Sign-ups')).map((line) => `\n  ${line}`)
  const times = fired.length === 1 ? 'once' : `${fired.length} times`
  const list = fired.length > 0 ? `:\n${fired.join('')}` : '.'
  console.log(`\nAn alert on sign-ups would have fired ${times} in the last 30 days${list}`)
  const term = people[0]?.email.split('@')[1] ?? ''
  const search = `${base}persons/?search=${encodeURIComponent(term)}`
  console.log(
    `\n${(await ask(`search=${encodeURIComponent(term)}`)).count} persons match "${term}":\n`
  )
  console.log(`  curl -H 'Authorization: Bearer ${key}' '${search}'`)
}

function readOptions() {
  const text = { type: 'string' } as const
  const { values } = readCommandLine(USAGE, {
    options: { persons: text, days: text, seed: text, anchor: text }
  })
  const options = Options.safeParse(values)
  if (options.success) {
    return options.data
  }
  const [issue] = options.error.issues
  throw new OperatorError(`--${issue?.path.join('.')} ${issue?.message}\n\n${USAGE}`)
}

async function expectService(url: string): Promise<void> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined)
  if (!response?.ok) {
    throw new OperatorError(`No service is ready on ${url}. Start it first: npm start`)
  }
}

/** Returns the local project and its key; creates them if they are missing. */
async function openProject() {
  const { project, key } = await prepareProject()
  return { projectId: project.id, token: project.captureToken, key }
}

/**
 * Returns a function that calls the API below `base` with a key. It throws OperatorError for any
 * answer but a 2xx.
 */
function apiOf(base: string, key: string): CallApi {
  return async (method, path, body) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    if (answer.status === 401) {
      const { origin, port } = new URL(base)
      const service = listRunning().find((running) => running.port === Number(port))
      const folder = service?.stateDir ?? '<the folder of that service>'
      throw new OperatorError(
        `The service at ${origin} does not know the key in ${stateDir}. Run STATE_DIR=${folder} npm run demo.`
      )
    }
    if (!answer.ok) {
      throw new OperatorError(
        `${method} ${base}${path} answered ${answer.status}: ${await answer.text()}`
      )
    }
    return answer.json()
  }
}

/** Sends recordings, and waits until all of them are processed. */
async function sendRecordings(
  recordings: DemoRecording[],
  url: string,
  token: string
): Promise<void> {
  for (const { uuid, properties } of recordings) {
    const event = { event: '$snapshot', uuid, api_key: token, properties }
    const { ok, status } = await fetch(`${url}/s/`, { method: 'POST', body: JSON.stringify(event) })
    if (!ok) {
      throw new OperatorError(
        `The service did not accept a recording: ${status}. Run the same command again to continue.`
      )
    }
  }
  expectDrained(await drain(url, DRAIN_MS))
}

/**
 * Expects that no messages are left after the wait for the queues.
 * @throws OperatorError with a description of the messages left
 */
function expectDrained(left: string | undefined): void {
  if (left) {
    throw new OperatorError(
      `The queues did not drain within 5 minutes. Still queued: ${left}. The service goes on processing them.`
    )
  }
}

/** Sends the events, those of each country together, and waits until all of them are processed. */
async function send(events: DemoEvent[], url: string, token: string): Promise<void> {
  const started = Date.now()
  const progress = new Progress(process.stderr, events.length)
  const summary = () => `${events.length} events, ${Math.round((Date.now() - started) / 1000)} s`
  let sent = 0
  for (const all of Map.groupBy(events, ({ country }) => country.code).values()) {
    for (let from = 0; from < all.length; from += BATCH) {
      progress.show(sent, `sending ${summary()}`)
      const batch = all.slice(from, from + BATCH)
      await sendBatch(batch, url, token)
      sent += batch.length
    }
  }
  progress.show(events.length, `processing ${summary()}`)
  const left = await drain(url, DRAIN_MS)
  progress.end(events.length, summary())
  expectDrained(left)
}

/** Sends events of one country as a single request from there. */
async function sendBatch(events: DemoEvent[], url: string, token: string): Promise<void> {
  const batch = events.map(({ distinctId, country: _, ...event }) => ({
    ...event,
    distinct_id: distinctId
  }))
  const { ok, status } = await fetch(`${url}/batch/`, {
    method: 'POST',
    headers: events[0] ? { [PLACE_HEADER]: placeOf(events[0]) } : {},
    body: JSON.stringify({ api_key: token, batch })
  }).catch((error) => ({ ok: false, status: String(error) }))
  if (!ok) {
    throw new OperatorError(
      `The service did not accept the events: ${status}. Run the same command again to continue.`
    )
  }
}

/** Returns the place of an event in ASCII, which every client sends unchanged in a header. */
function placeOf({ country: { code, city, timezone } }: DemoEvent): string {
  return JSON.stringify({ country: code, city, timezone }).replaceAll(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

/**
 * Picks up to four persons: the first on the team plan, the first with more than two distinct ids,
 * the first with a double-barrelled name, and the first on the free plan.
 */
function chooseExamples(people: DemoPerson[]): DemoPerson[] {
  const kinds: ((person: DemoPerson) => boolean)[] = [
    ({ plan }) => plan === 'team',
    ({ distinctIds }) => distinctIds.length > 2,
    ({ name }) => name.includes('-'),
    ({ plan }) => plan === 'free'
  ]
  return [...new Set(kinds.flatMap((isKind) => people.find(isKind) ?? []))]
}

function describe({
  distinct_ids,
  properties
}: z.infer<typeof Persons>['results'][number]): string {
  const { name, company, country, plan } = properties
  return `${name} (${company}, ${country}), ${plan} plan, ${distinct_ids.length} distinct ids`
}
