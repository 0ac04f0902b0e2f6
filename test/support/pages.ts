import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { openBrowser } from './browser.ts'
import { administer, newProject } from './service.ts'
import { until } from './until.ts'

const { url, stateDir } = inject('service')

/** Creates a project, and a key for it with these scopes. `id` of the key is `keyId`. */
export async function newStage(scopes = '*') {
  const project = await newProject()
  return { ...project, ...(await newKey(project.projectId, scopes)) }
}

/** Creates a key for a project. */
export async function newKey(projectId: number, scopes: string) {
  const made = await administer(
    stateDir,
    ...['key', 'create', '--label', 'console', '--scopes', scopes],
    ...['--project', String(projectId)]
  )
  return { key: String(made.key), keyId: Number(made.id) }
}

export type Stage = Awaited<ReturnType<typeof newStage>>

/** Returns a function that calls the API of a project. */
export const apiOf =
  ({ projectId, key }: Stage) =>
  async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/api/projects/${projectId}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return text === '' ? undefined : JSON.parse(text)
  }

/** Sends events with the public token. */
export async function send(token: string, ...events: object[]): Promise<void> {
  const body = JSON.stringify({ api_key: token, batch: events })
  const answer = await fetch(`${url}/batch/`, { method: 'POST', body })
  expect(answer.status).toBe(200)
}

export const identify = (distinctId: string, properties: object) => ({
  event: '$identify',
  distinct_id: distinctId,
  properties: { $set: properties }
})

/** Records a visit with the public token. */
export async function record(
  { token }: Stage,
  sessionId: string,
  distinctId: string,
  snapshots: object[]
): Promise<void> {
  const event = {
    event: '$snapshot',
    api_key: token,
    distinct_id: distinctId,
    properties: {
      $session_id: sessionId,
      $window_id: 'window-1',
      $snapshot_data: snapshots,
      distinct_id: distinctId
    }
  }
  const sent = await fetch(`${url}/s/`, { method: 'POST', body: JSON.stringify(event) })
  expect(sent.status).toBe(200)
}

/** Waits until the project has as many persons. */
export const untilPersons = (project: { projectId: number; key: string }, count: number) =>
  until(async () => {
    const answer = await fetch(`${url}/api/projects/${project.projectId}/persons/`, {
      headers: { Authorization: `Bearer ${project.key}` }
    })
    return Object(await answer.json()).count === count
  })

/** Opens a page of a fresh browser, which notes what goes wrong and what leaves for other hosts. */
export async function openTab(width = 1280) {
  const tab = await (await openBrowser()).newPage()
  await tab.setViewportSize({ width, height: 800 })
  const faults: string[] = []
  tab.on('pageerror', (error) => faults.push(String(error)))
  tab.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) {
      faults.push(message.text())
    }
  })
  tab.on('dialog', (dialog) => {
    faults.push(dialog.message())
    return dialog.dismiss()
  })
  tab.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) {
      faults.push(request.url())
    }
  })
  return { tab, faults }
}

/** Pastes a key into the form. */
export async function paste(tab: Page, key: string): Promise<void> {
  await tab.getByLabel('Key', { exact: true }).fill(key)
  await tab.getByRole('button', { name: 'Open', exact: true }).click()
}

/** Opens the console with a key, and waits until it has gone to its first page. */
export async function enter(key: string, width?: number) {
  const opened = await openTab(width)
  await opened.tab.goto(`${url}/console/`)
  await paste(opened.tab, key)
  // Keys are heard once the first page is loaded.
  await opened.tab.locator('.main :is(h1, .empty)').first().waitFor()
  await until(() => /#\/\d+\/\w/.test(opened.tab.url()))
  return opened
}

/** Opens another page of the console by the letter that follows `g`, as soon as keys are heard. */
export async function openPage(tab: Page, letter: string): Promise<void> {
  const before = tab.url()
  await until(async () => {
    await tab.keyboard.press('g')
    await tab.keyboard.press(letter)
    return tab.url() !== before
  })
}

export const isAsWideAsTheWindow = (tab: Page): Promise<boolean> =>
  tab.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')
