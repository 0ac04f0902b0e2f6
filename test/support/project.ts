import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  waitOnExecutionContext
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import {
  hashKey,
  maskKey,
  newApiKey,
  newCaptureToken,
  newErasureSalt
} from '../../src/access/key.ts'
import type { ProjectSettings } from '../../src/access/settings.ts'
import { createKey } from '../../src/access/store.ts'
import type { CapturedEvent } from '../../src/capture/event.ts'
import { type ControlDb, newUsage, openDb, type ProjectDb } from '../../src/db/client.ts'
import { apiKeys, projects, users } from '../../src/db/schema.ts'
import { byteLength, type Json, type JsonObject } from '../../src/input/json.ts'
import { createChecker } from './document.ts'
import { file } from './file.ts'
import worker from './worker.ts'

export const BASE = 'https://analytics.test'

const answered = await worker.fetch(
  new Request(`${BASE}/openapi.json`),
  env,
  createExecutionContext()
)

/** The document at `/openapi.json`. */
export const published: unknown = await answered.json()
const checker = createChecker(published)

/** Returns the id of the operation in `/openapi.json` that a request reaches. */
export const { operationOf, operationIds } = checker

/** The control database, which also holds the data of test projects, unless they name another. */
export const db = openDb(env.DB, newUsage()).db as ControlDb & ProjectDb

export type TestProject = Awaited<ReturnType<typeof newProject>>

/** Creates a project for one test, with an owner, a key with these scopes, and helpers that use them. */
export async function newProject({
  scopes = ['*'],
  database = 'DB',
  settings = {} as Partial<ProjectSettings>
} = {}) {
  const { user, project, key } = await insertProject({
    scopes,
    database,
    settings: { recording: true, ...settings }
  })
  return {
    id: project.id,
    token: project.captureToken,
    key,
    user,
    /** Sends a request below the project's path, with its key. */
    call: (method: string, path: string, headers: Record<string, string> = {}) =>
      request(method, `/api/environments/${project.id}/${path}`, {
        Authorization: `Bearer ${key}`,
        ...headers
      }),
    /** Like `call`, with a JSON body, if any, and with these bindings in place of the real ones. */
    send: (method: string, path: string, json?: Json | object, bindings: Partial<Env> = {}) =>
      request(
        method,
        `/api/environments/${project.id}/${path}`,
        {
          Authorization: `Bearer ${key}`,
          ...(json !== undefined && { 'Content-Type': 'application/json' })
        },
        json === undefined ? undefined : JSON.stringify(json),
        bindings
      ),
    newKey: (other: string[]) => newKey(project.id, user.id, other),
    /** Returns the queue message of a capture request with these events. */
    message: (events: TestEvent[], receivedAt = Date.now()) => ({
      project_id: project.id,
      received_at: receivedAt,
      events: events.map((event) => fullEvent(event, receivedAt))
    }),
    /** Lets the consumer process one batch with these events as one message. */
    ingest(events: TestEvent[], receivedAt = Date.now()) {
      return consume([this.message(events, receivedAt)])
    }
  }
}

type NewProject = { scopes: string[]; database: string; settings: Partial<ProjectSettings> }

/** Inserts a project, its owner and a key in one round trip. */
async function insertProject({ scopes, database, settings }: NewProject) {
  const createdAt = Date.now()
  const uuid = crypto.randomUUID()
  const key = newApiKey()
  const [[user], [project]] = await db.batch([
    db
      .insert(users)
      .values({
        uuid,
        distinctId: uuid,
        firstName: 'Ada',
        lastName: '',
        email: `${uuid}@example.com`,
        createdAt
      })
      .returning(),
    db
      .insert(projects)
      .values({
        name: 'Test',
        ownerId: sql`(select max(id) from users)`,
        captureToken: newCaptureToken(),
        settings,
        database,
        erasureSalt: newErasureSalt(),
        createdAt
      })
      .returning(),
    db.insert(apiKeys).values({
      userId: sql`(select max(id) from users)`,
      label: 'test',
      hash: hashKey(key),
      mask: maskKey(key),
      scopes,
      projectIds: sql`(select json_array(max(id)) from projects)`,
      createdAt
    })
  ])
  if (!user || !project) {
    throw new Error('The batch returned no rows.')
  }
  return { user, project, key }
}

export type TestEvent = Partial<Omit<CapturedEvent, 'properties'>> & { properties?: JsonObject }

const fullEvent = (event: TestEvent, now: number): CapturedEvent => ({
  uuid: uuidv7(),
  event: '$pageview',
  distinct_id: 'someone',
  timestamp: now,
  properties: {},
  ...event
})

async function newKey(projectId: number, userId: number, scopes: string[]): Promise<string> {
  const row = await createKey(
    db,
    { label: 'test', scopes, projectIds: [projectId], userId },
    new Date()
  )
  return row.key
}

/**
 * Sends a request through the whole worker. The result's `body` is the answer's JSON, or null for anything else; `bytes` is
 * the answer's body as it is. An answer that violates `/openapi.json` fails the test, except to HEAD.
 */
export async function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: BodyInit,
  bindings: Partial<Env> = {}
) {
  const ctx = createExecutionContext()
  const incoming = new Request(`${BASE}${path}`, {
    method,
    headers: { ...lengthOf(body), ...headers },
    ...(body !== undefined && { body })
  })
  const response = await worker.fetch(incoming, { ...env, ...bindings }, ctx)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  await waitOnExecutionContext(ctx)
  const isJson = /^application\/json\b/.test(response.headers.get('Content-Type') ?? '')
  const { status, headers: answered } = response
  const json = isJson && text ? JSON.parse(text) : null
  const answer = { status, headers: answered, bytes, text, body: json }
  if (method !== 'HEAD') {
    expect(checker.check(method, new URL(incoming.url).pathname, answer)).toEqual([])
  }
  return answer
}

/** Returns the header with the length of a text, which every client sends. */
const lengthOf = (body: BodyInit | undefined): Record<string, string> =>
  typeof body === 'string' ? { 'Content-Length': String(byteLength(body)) } : {}

/** Delivers these messages to the capture consumer as one batch. Returns which were acknowledged and which retried. */
export const consume = (bodies: unknown[], attempts = 1, bindings: Partial<Env> = {}) =>
  deliverBatch('edge-analytics-capture', bodies, { attempts, bindings })

/** Delivers these messages to a queue's consumer as one batch. Returns which were acknowledged and which retried. */
export async function deliverBatch(
  queue: string,
  bodies: unknown[],
  { attempts = 1, bindings = {} }: { attempts?: number; bindings?: Partial<Env> } = {}
) {
  const messages = bodies.map((body) => ({
    id: crypto.randomUUID(),
    // A test may have set the clock back.
    timestamp: new Date(Math.max(Date.now(), file.began)),
    attempts,
    body
  }))
  const batch = createMessageBatch(queue, messages)
  await worker.queue(batch, { ...env, ...bindings })
  return getQueueResult(batch, createExecutionContext())
}

/** Delivers one message to a queue's consumer. @returns whether it was acknowledged */
export async function deliverMessage(
  queue: string,
  body: unknown,
  bindings: Partial<Env> = {}
): Promise<boolean> {
  const { explicitAcks } = await deliverBatch(queue, [body], { bindings })
  return explicitAcks.length === 1
}
