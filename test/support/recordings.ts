import { env } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { ProjectSettings } from '../../src/access/settings.ts'
import type { Json, JsonObject } from '../../src/input/json.ts'
import { type MarkedMessage, prefixOf, type RecordingPart } from '../../src/recordings/part.ts'
import type { PurgeMessage } from '../../src/recordings/purge.ts'
import { deliverBatch, newProject, request, type TestProject } from './project.ts'

type Sent = {
  session?: string
  uuid?: string
  distinct_id?: string
  window?: string
  snapshots?: Json
  properties?: JsonObject
}

/** Returns snapshots of a visitor who opens a page, moves the mouse and clicks, starting at `at`, ms. */
export const visit = (at: number, href = 'https://shop.example/'): JsonObject[] => [
  { type: 4, timestamp: at, data: { href, width: 800, height: 600 } },
  { type: 2, timestamp: at + 1, data: 'compressed by the SDK', cv: '2024-10' },
  {
    type: 3,
    timestamp: at + 1_000,
    data: { source: 1, positions: [{ x: 1, y: 2, id: 3, timeOffset: 0 }] }
  },
  { type: 3, timestamp: at + 3_000, data: { source: 2, type: 2, id: 3, x: 1, y: 2 } }
]

/** Returns a snapshot that the SDK has compressed: gzip of `bytes` bytes, placed into its `data`. */
export const packed = (
  bytes: number,
  toData: (text: string) => Json = (text) => text
): JsonObject => {
  const text = gzipSync(Buffer.alloc(bytes, ' ')).toString('latin1')
  return { type: 3, timestamp: Date.now(), cv: '2024-10', data: toData(text) }
}

/** Returns a `$snapshot` event as posthog-js sends it. */
export const snapshotEvent = (project: TestProject, sent: Sent = {}): JsonObject => ({
  uuid: sent.uuid ?? uuidv7(),
  event: '$snapshot',
  properties: {
    token: project.token,
    distinct_id: sent.distinct_id ?? 'ada',
    $session_id: sent.session ?? 'session',
    $window_id: sent.window ?? 'window',
    $snapshot_data: sent.snapshots ?? visit(Date.now()),
    ...sent.properties
  }
})

type Held = RecordingPart | MarkedMessage | PurgeMessage

/** Returns the queue of recordings, whose messages a test delivers itself: later, twice, in another order, or never. */
export function holdRecordings() {
  const held: Held[] = []
  const queue = {
    sendBatch: async (messages: { body: Held }[]) =>
      void held.push(...messages.map(({ body }) => body))
  }
  const bindings = { RECORDING_QUEUE: queue as unknown as Queue }

  const post = (body: BodyInit, headers: Record<string, string> = {}, more: Partial<Env> = {}) =>
    request('POST', '/s/', headers, body, { ...bindings, ...more })

  /** Delivers messages as one batch. */
  const deliver = (
    bodies: unknown[],
    { attempts = 1, more = {} }: { attempts?: number; more?: Partial<Env> } = {}
  ) =>
    deliverBatch('edge-analytics-recordings', bodies, {
      attempts,
      bindings: { ...bindings, ...more }
    })

  /** Delivers the held messages and their follow-ups until none is left. */
  async function drain(more: Partial<Env> = {}) {
    while (held.length > 0) {
      await deliver(held.splice(0), { more })
    }
  }

  return {
    held,
    bindings,
    post,
    deliver,
    drain,
    /** Sends these events in one request and processes them. */
    async record(...events: JsonObject[]) {
      const { status } = await post(JSON.stringify(events))
      expect(status).toBe(200)
      await drain()
    }
  }
}

/** Creates a project, and returns access to its recordings through the API and through their queue. */
export async function newStage(settings: Partial<ProjectSettings> = {}, database = 'DB') {
  const project = await newProject({ settings, database })
  const get = async (path = '', status = 200) => {
    const answer = await project.call('GET', `session_recordings/${path}`)
    expect(answer.status).toBe(status)
    return answer.body
  }
  return { project, get, ...holdRecordings() }
}

/** Lists a session's objects, without the common prefix. */
export async function objectsOf(project: TestProject, session: string): Promise<string[]> {
  const prefix = prefixOf(project.id, session)
  const { objects } = await env.BUCKET.list({ prefix })
  return objects.map(({ key }) => key.slice(prefix.length))
}
