import { gzipSync } from 'node:zlib'
import { expect, inject } from 'vitest'
import { HOUR } from '../../src/calendar/units.ts'
import { openBrowser } from './browser.ts'
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
  const { url, token, projectId } = await newProject()
  const { stateDir } = inject('service')
  const { key } = await administer(
    stateDir,
    ...['key', 'create', '--label', 'share', '--scopes', '*', '--project', String(projectId)]
  )
  for (const [i, snapshots] of parts.entries()) {
    const properties = {
      $session_id: 'visit-1',
      $window_id: windows[i] ?? 'window-1',
      $snapshot_data: snapshots,
      distinct_id: 'ada'
    }
    const event = { event: '$snapshot', api_key: token, distinct_id: 'ada', properties }
    const sent = await fetch(`${url}/s/`, { method: 'POST', body: JSON.stringify(event) })
    expect(sent.status).toBe(200)
  }
  const path = `${url}/api/environments/${projectId}/session_recordings/visit-1/sharing`
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  let address = ''
  await until(async () => {
    if ((await countParts(path.replace('sharing', 'snapshots'), headers)) < parts.length) {
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
  const recorded = tab.frameLocator('#stage iframe').frameLocator('iframe')
  return { tab, outside, errors, recorded }
}
