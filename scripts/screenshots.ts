import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { root } from './environment.ts'
import { startExample } from './example.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run screenshots -- [folder]

Takes pictures of shared pages for docs/, or for the folder: starts a service with the demo's data, and opens the pages in
Chromium.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })
const [folder = join(root, 'docs')] = positionals

/** A moment of the demo's recording at which its page shows something, in seconds. */
const MOMENT = 91

const { env, stop } = await startExample()
try {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox']
  })
  try {
    await takeAll(browser)
  } finally {
    await browser.close()
  }
} finally {
  await stop()
}

async function takeAll(browser: Browser): Promise<void> {
  const [shared = '', board = ''] = await runDemo()
  const recording = `${shared}#t=${MOMENT}`
  await take(browser, recording, { file: 'player.png', width: 1280, height: 720 })
  await take(browser, recording, { file: 'player-phone.png', width: 375, height: 700 })
  await take(browser, board, { file: 'dashboard.png', width: 1280, height: 1000 })
  await take(browser, board, { file: 'dashboard-phone.png', width: 375, height: 700 })
}

/** Fills the service with the demo's data. @returns the addresses of the recording and the dashboard that it shares */
async function runDemo(): Promise<string[]> {
  const demo = spawn('npm', ['run', '--silent', 'demo', '--', '--persons', '200'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const printed = (await demo.stdout.toArray()).join('')
  const addresses = printed.match(/http:\S+\/shared\/\S+/g) ?? []
  if (addresses.length !== 2) {
    throw new Error(`The demo did not share a recording and a dashboard:\n${printed}`)
  }
  return addresses
}

async function take(
  browser: Browser,
  address: string,
  { file, width, height }: { file: string; width: number; height: number }
): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.goto(address)
  // The player starts by itself: a click on its button pauses it, so that the picture shows `MOMENT`.
  if ((await page.locator('#play').count()) > 0) {
    await page.waitForSelector('#moments li')
    await page.click('#play')
  }
  await page.screenshot({ path: join(folder, file) })
  await page.close()
}
