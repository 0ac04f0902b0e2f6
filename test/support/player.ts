import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import * as z from 'zod'
import { HOUR } from '../../src/calendar/units.ts'
import { decodeBody, openBrowser, openRecorder, openSite } from './browser.ts'
import { administer, newProject } from './service.ts'
import { until } from './until.ts'

/* Recordings of visits, shared by the service, and the player in a browser. */

/** A node or an event of rrweb, as a recording contains it. */
export type Node = Record<string, unknown>

let lastId = 0

/** Returns the id of the last node that was made. */
export const idOfLast = (): number => lastId

/** Makes a node as rrweb records it. */
export const element = (tagName: string, attributes: Node = {}, ...childNodes: Node[]): Node => {
  lastId += 1
  return { type: 2, id: lastId, tagName, attributes, childNodes }
}

export const text = (textContent: string): Node => {
  lastId += 1
  return { type: 3, id: lastId, textContent }
}

/** Start of each visit, ms UTC. */
export const BEGIN = Date.now() - HOUR

/** Packs a value as the SDK does: gzipped, one character per byte. */
export const pack = (value: unknown): string => gzipSync(JSON.stringify(value)).toString('latin1')

/** Returns the snapshots of a page as rrweb records them, with a full snapshot that the SDK has compressed. */
export function visit(head: Node[], body: Node[]): Node[] {
  const page = {
    node: {
      type: 0,
      id: 999_999,
      childNodes: [element('html', {}, element('head', {}, ...head), element('body', {}, ...body))]
    },
    initialOffset: { top: 0, left: 0 }
  }
  return [
    { type: 4, timestamp: BEGIN, data: { href: 'https://shop.example/', width: 800, height: 600 } },
    { type: 2, timestamp: BEGIN + 10, cv: '2024-10', data: pack(page) },
    click(2_000),
    { type: 5, timestamp: BEGIN + 8_000, data: { tag: 'Paid', payload: {} } }
  ]
}

/** Returns additions of nodes to an element. rrweb adds each node by itself, so the nodes have no children. */
export const addsTo = (parentId: number, ...nodes: Node[]): Node[] =>
  nodes.map((node) => ({ parentId, nextId: null, node }))

/** Returns a click, `after` ms after the start of the visit. */
export const click = (after: number): Node => ({
  type: 3,
  timestamp: BEGIN + after,
  data: { source: 2, type: 2, id: 3, x: 1, y: 1 }
})

/** Records a visit with the public token, in these parts, and shares it. @returns the address of the page */
export const share = (...parts: Node[][]): Promise<string> => shareWindows(parts, [])

/** Like `share`; `windows` are the window ids of the parts. */
export async function shareWindows(parts: Node[][], windows: string[]): Promise<string> {
  const project = await newProject()
  for (const [i, snapshots] of parts.entries()) {
    const properties = {
      $session_id: 'visit-1',
      $window_id: windows[i] ?? 'window-1',
      $snapshot_data: snapshots,
      distinct_id: 'ada'
    }
    const event = { event: '$snapshot', api_key: project.token, distinct_id: 'ada', properties }
    const sent = await fetch(`${project.url}/s/`, { method: 'POST', body: JSON.stringify(event) })
    expect(sent.status).toBe(200)
  }
  return shareStored(project, 'visit-1', parts.length)
}

/** Shares a recording as soon as so many of its parts are stored. @returns the address of the page */
async function shareStored(
  { url, projectId }: { url: string; projectId: number },
  sessionId: string,
  parts: number
): Promise<string> {
  const { stateDir } = inject('service')
  const { key } = await administer(
    stateDir,
    ...['key', 'create', '--label', 'share', '--scopes', '*', '--project', String(projectId)]
  )
  const path = `${url}/api/environments/${projectId}/session_recordings/${sessionId}/sharing`
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  let address = ''
  await until(async () => {
    if ((await countParts(path.replace('sharing', 'snapshots'), headers)) < parts) {
      return false
    }
    const answer = await fetch(path, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ enabled: true })
    })
    address = answer.ok ? String(Object(await answer.json()).url) : ''
    return address !== ''
  })
  return address
}

const Sent = z.array(
  z.object({ uuid: z.string(), properties: z.looseObject({ $session_id: z.string() }) })
)

/**
 * Records a page with the recorder of the installed posthog-js while `act` uses it, and shares the recording.
 * @param body the HTML of the page, without the SDK
 * @returns the address of the page that plays it
 */
export async function record(
  body: string,
  act: (tab: Page) => Promise<unknown>,
  { files = {}, config = {} }: { files?: Parameters<typeof openSite>[0]; config?: object } = {}
): Promise<string> {
  const project = await newProject()
  const { url: host, requests } = await openRecorder(project.url)
  const options = JSON.stringify({ api_host: host, session_recording: config })
  const sdk = `<script src="${host}/static/array.js"></script><script>posthog.init('${project.token}', ${options})</script>`
  const site = await openSite({
    ...files,
    '/start': { type: 'text/html', body: `<!doctype html>${sdk}${body}` },
    '/favicon.ico': { type: 'image/x-icon', body: '' }
  })
  const tab = await (await openBrowser()).newPage()
  await tab.goto(`${site}/start`)
  await until(() => tab.evaluate<boolean>('posthog.sessionRecordingStarted()'))
  await tab.mouse.click(1, 1)
  await act(tab)
  await tab.evaluate("console.log('the end')")
  await tab.goto('about:blank')

  const sent = () =>
    requests
      .filter(({ path, status }) => path.startsWith('/s/') && status === 200)
      .flatMap(({ body: sentBody }) => Sent.parse(decodeBody(sentBody)))
  await until(() => JSON.stringify(sent()).includes('the end'))
  const parts = new Map(sent().map((part) => [part.uuid, part.properties.$session_id]))
  return shareStored(project, [...parts.values()][0] ?? '', parts.size)
}

async function countParts(address: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(address, { headers })
  return answer.ok ? Object(await answer.json()).sources.length : 0
}

/** Opens a shared recording and waits until it can be played. */
export async function play(address: string, width = 375) {
  const tab = await (await openBrowser()).newPage()
  await tab.setViewportSize({ width, height: 700 })
  // Routes see what leaves the browser; the event `request` also reports what a policy has blocked.
  const outside: string[] = []
  const errors: string[] = []
  tab.on('pageerror', (error) => errors.push(String(error)))
  await tab.route(
    ({ origin }) => origin !== new URL(address).origin,
    (route) => {
      outside.push(route.request().url())
      return route.abort()
    }
  )
  await tab.goto(address)
  await tab.waitForSelector('#play:enabled')
  const isPlaying = async () => (await tab.getAttribute('#play', 'aria-label')) === 'Pause'
  /** Waits until the replay has shown everything. */
  const untilEnd = () => until(async () => !(await isPlaying()))
  const recorded = tab.frameLocator('#stage iframe').frameLocator('iframe')
  return { tab, outside, errors, recorded, isPlaying, untilEnd }
}
