import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { root } from './environment.ts'
import { startExample } from './example.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run screenshots -- [folder]

Takes pictures of the console and of shared pages for docs/, or for the folder: starts a service with the demo's data, and
opens the pages in Chromium.`

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })
const [folder = join(root, 'docs')] = positionals

/** What a person does in the app of the demo, in the player's list of moments. */
const DEED = 'li.page:has-text("/app/") + li.click + li.event'
/** Seconds after which a page shows that something was done. */
const ANSWER = 0.5

/** The colour schemes, and what the names of their pictures end with. */
const SCHEMES = [
  ['light', ''],
  ['dark', '-dark']
] as const

const { url, key, env, stop } = await startExample()
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
  const console = `${url}/console/#/1`
  await take(browser, `${console}/overview`, { name: 'overview', width: 1280, height: 800 })
  await take(browser, shared, { name: 'player', width: 1280, height: 720 })
  await take(browser, board, { name: 'dashboard', width: 1280, height: 1 })
  await take(browser, board, { name: 'dashboard-phone', width: 375, height: 700 })
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

/** Pauses the player when a page of the demo shows that its person has done something. */
async function pauseAtDeed(page: Page): Promise<void> {
  const link = await page.locator(`${DEED} a`).first().getAttribute('href')
  await page.click('#play')
  const seconds = Number(link?.replace('#t=', '')) + ANSWER
  await page.evaluate(`location.hash = 't=${seconds}'`)
  await page.waitForSelector(`${DEED}[aria-current]`)
}

/** Takes a page in light and dark. A page that is higher than the window is taken whole, unless it is a phone's. */
async function take(
  browser: Browser,
  address: string,
  { name, width, height }: { name: string; width: number; height: number }
): Promise<void> {
  for (const [colorScheme, suffix] of SCHEMES) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme })
    await page.addInitScript((own) => sessionStorage.setItem('edge-analytics-key', own), key)
    await page.goto(address)
    await page.waitForLoadState('networkidle')
    if ((await page.locator('#play').count()) > 0) {
      await pauseAtDeed(page)
    }
    await page.screenshot({ path: join(folder, `${name}${suffix}.png`), fullPage: height === 1 })
    await page.close()
  }
}
