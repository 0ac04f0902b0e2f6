import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import {
  type LocalService,
  launchService,
  newStateDir,
  runScript
} from '../../support/processes.ts'
import { until } from '../../support/until.ts'

type Task = { person_uuid: string; receipt: { id: number; subject: { distinct_ids: string[] } } }

const stateDir = newStateDir()
let service: LocalService

const start = async () => {
  service = await launchService(stateDir).ready
}

beforeAll(start)
afterAll(async () => void (await service?.stop('SIGTERM')))

/** Erases a new person, and returns the receipt as JSON and as a page. */
async function erase(distinctId: string) {
  const { url, projectId, key, token } = service
  const call = async (path: string, init: RequestInit = {}, accept = 'application/json') => {
    const send = () =>
      fetch(`${url}/api/projects/${projectId}/${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${key}`,
          accept,
          ...(init.body && { 'content-type': 'application/json' })
        }
      })
    let response = await send()
    // After its start, the service rewrites the files of erased data; a request that meets this may be answered with a 503.
    await until(async () => {
      response = response.status === 503 ? await send() : response
      return response.status !== 503
    })
    expect([path, response.status]).toEqual([path, expect.toSatisfy((status) => status < 300)])
    return response.text()
  }
  await fetch(`${url}/i/v0/e/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      api_key: token,
      event: '$identify',
      distinct_id: distinctId,
      properties: { $anon_distinct_id: `anon-${distinctId}` }
    })
  })
  const find = async () =>
    JSON.parse(await call(`persons/?distinct_id=${distinctId}`)).results[0]?.uuid
  await until(async () => (await find()) !== undefined)
  const uuid: string = await find()
  await call(`persons/${uuid}/?delete_recordings=true`, { method: 'DELETE' })
  const status = `persons/deletion_status/?status=completed&person_uuid=${uuid}`
  const tasks = async (): Promise<Task[]> => JSON.parse(await call(status)).results
  await until(async () => (await tasks()).length === 1)
  const id = (await tasks())[0]?.receipt.id
  return {
    receipt: await call(`receipts/${id}/`),
    page: await call(`receipts/${id}/`, {}, 'text/html')
  }
}

const readKeys = async (): Promise<string> =>
  (await fetch(`${service.url}/.well-known/receipt-keys.json`)).text()

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'receipt-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Verifies a receipt in a folder that holds only the script, the receipt and the keys. @returns what is printed */
function verify(receipt: string, keys: string, id: string): string {
  const folder = newFolder()
  copyFileSync(
    join(import.meta.dirname, '../../../scripts/verify-receipt.mjs'),
    join(folder, 'verify-receipt.mjs')
  )
  writeFileSync(join(folder, 'receipt.json'), receipt)
  writeFileSync(join(folder, 'receipt-keys.json'), keys)
  const args = ['verify-receipt.mjs', 'receipt.json', 'receipt-keys.json', '--id', id]
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
}

it('receipts are verified from files alone, even after the key is rotated', async () => {
  const first = await erase('stranger')
  expect(verify(first.receipt, await readKeys(), 'stranger')).toMatch(
    /^Genuine: .* It is about the distinct id stranger\.\n$/
  )

  const { code, stdout } = await runScript('rotate-key', [], { STATE_DIR: stateDir })
  expect([code, stdout]).toEqual([0, expect.stringContaining('from its next start')])
  await service.stop('SIGTERM')
  await start()
  const second = await erase('successor')

  const keys = await readKeys()
  expect(JSON.parse(keys).keys).toHaveLength(2)
  expect(JSON.parse(second.receipt).key).not.toBe(JSON.parse(first.receipt).key)
  expect(verify(first.receipt, keys, 'stranger')).toMatch(/^Genuine/)
  expect(verify(second.receipt, keys, 'successor')).toMatch(/^Genuine/)
})

it.runIf(hasBrowser())('a saved page verifies itself in Chromium', async () => {
  const { page: html } = await erase('paper')
  const folder = newFolder()
  const page = await (await openBrowser()).newPage()
  const open = async (text: string) => {
    const file = join(folder, 'receipt.html')
    writeFileSync(file, text)
    await page.goto(pathToFileURL(file).href)
    await page.waitForFunction("document.getElementById('verdict').className !== 'open'")
    return page.locator('#verdict').getAttribute('class')
  }

  expect(await open(html)).toBe('good')
  expect(await page.locator('#verdict').textContent()).toContain('This page has verified')
  for (const [id, answer] of [
    ['paper', 'Yes'],
    ['anon-paper', 'Yes'],
    ['pencil', 'No']
  ] as const) {
    await page.fill('#id', id)
    await page.click('button')
    await page.waitForFunction(
      `document.getElementById('answer').textContent.startsWith('${answer}')`
    )
  }
  const json = /(<script type="application\/json" id="receipt">.*)"late_events_dropped":0/
  const changed = html.replace(json, '$1"late_events_dropped":1')
  expect(changed).not.toBe(html)
  expect(await open(changed)).toBe('bad')
})
