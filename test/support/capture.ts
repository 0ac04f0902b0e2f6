import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { CaptureMessage } from '../../src/capture/message.ts'
import type { Json, JsonObject } from '../../src/input/json.ts'
import { request, type TestProject } from './project.ts'
import { until } from './until.ts'

/** A version 7 UUID in lower case. */
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The answer when every event is accepted. */
export const OK = { status: 'Ok' }

/** Sends a body to a capture endpoint. Returns the answer and the events that were queued. */
export async function send(
  body: BodyInit,
  { path = '/batch/', headers = {} }: { path?: string; headers?: Record<string, string> } = {}
) {
  const queued = vi.spyOn(env.CAPTURE_QUEUE, 'send')
  const answer = await request('POST', path, headers, body)
  const events = queued.mock.calls.flatMap(([message]) => (message as CaptureMessage).events)
  queued.mockRestore()
  return { ...answer, events }
}

/** Sends a JSON body to a capture endpoint. */
export const sendJson = (body: Json, path?: string) =>
  send(JSON.stringify(body), path === undefined ? {} : { path })

/** Sends one event in an envelope. Returns the answer and the event that was queued. */
export async function capture(
  project: TestProject,
  event: JsonObject,
  envelope: JsonObject = {},
  path?: string
) {
  const { events, ...answer } = await sendJson(
    {
      api_key: project.token,
      ...envelope,
      batch: [{ event: 'seen', distinct_id: 'ada', ...event }]
    },
    path
  )
  return { ...answer, event: events[0] }
}

export const bytesOf = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer())

export const gzip = (content: string | Uint8Array<ArrayBuffer>) =>
  bytesOf(new Blob([content]).stream().pipeThrough(new CompressionStream('gzip')))

export const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

export const base64Text = (text: string) => base64(new TextEncoder().encode(text))

/** Returns the project's list of persons from the API. */
export const personsOf = async (project: TestProject, query = '') =>
  (await project.call('GET', `persons?${query}`)).body

/** Waits until the project has this many persons. */
export const untilPersons = (project: TestProject, count: number) =>
  until(async () => (await personsOf(project)).count === count)
