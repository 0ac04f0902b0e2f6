import { existsSync, readFileSync, writeSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { closeServer, listen, readBody } from './requests.ts'

/** Chromium as Debian installs it. The variant without a user interface takes a quarter less time. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const executablePath = process.env.CHROMIUM ?? INSTALLED.find(existsSync)

/** Whether a browser is installed. Without one the tests are skipped with a notice; CI requires one. */
export function hasBrowser(): boolean {
  if (executablePath && existsSync(executablePath)) {
    return true
  }
  const missing = `There is no browser at ${executablePath ?? INSTALLED.join(' or ')}.`
  if (process.env.REQUIRE_BROWSER) {
    throw new Error(missing)
  }
  // Writes directly, because the test runner hides the output of passing tests.
  writeSync(2, `Skipped: browser tests. ${missing} CHROMIUM=<path> names another one.\n`)
  return false
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]

/** The browser of this worker process; it ends with the process. */
let launched: Promise<Browser> | undefined

/** Opens a fresh profile for one test. It hides that it is automated, because SDKs drop the events of robots. */
export async function openBrowser(): Promise<BrowserContext> {
  launched ??= chromium.launch({
    args: FLAGS,
    timeout: 0,
    ...(executablePath && { executablePath })
  })
  const browser = await launched
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`
  const context = await browser.newContext({ userAgent })
  onTestFinished(() => context.close())
  // Playwright's 30 s are too short on a slow, busy machine.
  context.setDefaultTimeout(120_000)
  await context.addInitScript(`
    Object.defineProperty(navigator, 'webdriver', { get: () => false })
    Object.defineProperty(navigator, 'userAgentData', { get: () => undefined })`)
  return context
}

/** Returns the script of an installed SDK, and its version. */
export const scriptOf = (name: string) => {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { version: String(version), body: readFileSync(join(folder, 'dist/array.js')) }
}

/** Serves a site on its own origin until the test ends. */
export async function openSite(
  files: Record<string, { type: string; body: string | Buffer }>
): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const file = files[url.replace(/\?.*/, '')]
    response
      .writeHead(file ? 200 : 404, { 'Content-Type': file?.type ?? 'text/plain' })
      .end(file?.body)
  })
  return listenInTest(server)
}

export type RecordedRequest = { method: string; path: string; status: number; body: Buffer }

/** Proxies a service and records all requests, including beacons, whose answers no page sees. */
export async function openRecorder(
  upstream: string
): Promise<{ url: string; requests: RecordedRequest[] }> {
  const requests: RecordedRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const body = await readBody(incoming)
    const { method = 'GET', url = '/', headers } = incoming
    const forwarded = request(upstream + url, { method, headers }, (answer) => {
      requests.push({ method, path: url, status: answer.statusCode ?? 0, body })
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', (error) => outgoing.destroy(error))
    forwarded.end(body)
  })
  return { url: await listenInTest(server), requests }
}

export const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b

/** Decodes an SDK's body: gzip, base64 in a form, or plain. */
export function decodeBody(body: Buffer): unknown {
  if (isGzip(body)) {
    return JSON.parse(gunzipSync(body).toString())
  }
  const data = new URLSearchParams(body.toString()).get('data')
  return JSON.parse(data === null ? body.toString() : Buffer.from(data, 'base64').toString())
}

/** Lets a server listen until the test ends. @returns its origin */
async function listenInTest(server: Server): Promise<string> {
  const host = await listen(server)
  onTestFinished(() => closeServer(server))
  return `http://${host}`
}
