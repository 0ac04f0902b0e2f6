import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { z } from 'zod'
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

/** Days in the dashboard's charts: they end with the demo's data. */
const RANGE = { date_from: '-30d', date_to: '-1d' }
const VIEWS = [{ id: '$pageview', math: 'dau' }]

const INSIGHTS = [
  { name: 'Sign-ups', filters: { events: [{ id: 'signed up' }], interval: 'day' } },
  {
    name: 'Visitors by browser',
    filters: { events: VIEWS, breakdown: '$browser', interval: 'week', display: 'ActionsBar' }
  },
  {
    name: 'What people do',
    filters: {
      events: ['task created', 'comment posted', 'project opened'].map((id) => ({ id })),
      display: 'ActionsAreaGraph'
    }
  },
  {
    name: 'Visitors by country',
    filters: { events: VIEWS, breakdown: '$geoip_country_name', display: 'ActionsPie' }
  }
]

const Created = z.object({ id: z.int() })
const Shared = z.object({ url: z.url() })

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
  const recording = `${await shareRecording()}#t=${MOMENT}`
  await take(browser, recording, { file: 'player.png', width: 1280, height: 720 })
  await take(browser, recording, { file: 'player-phone.png', width: 375, height: 700 })
  const board = await shareDashboard()
  await take(browser, board, { file: 'dashboard.png', width: 1280, height: 1000 })
  await take(browser, board, { file: 'dashboard-phone.png', width: 375, height: 700 })
}

/** Fills the service with the demo's data. @returns the address of the recording that it shares */
async function shareRecording(): Promise<string> {
  const demo = spawn('npm', ['run', '--silent', 'demo', '--', '--persons', '200'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const printed = (await demo.stdout.toArray()).join('')
  const [address] = /http:\S+\/shared\/\S+/.exec(printed) ?? []
  if (!address) {
    throw new Error(`The demo shared no recording:\n${printed}`)
  }
  return address
}

/** Makes a dashboard. @returns the address of its page */
async function shareDashboard(): Promise<string> {
  const dashboard = Created.parse(
    await ask('POST', 'dashboards/', {
      name: 'Harbour, last month',
      description: 'What the board looks at every Monday.'
    })
  )
  for (const { name, filters } of INSIGHTS) {
    await ask('POST', 'insights/', {
      name,
      filters: { ...RANGE, ...filters },
      dashboards: [dashboard.id]
    })
  }
  const shared = await ask('PATCH', `dashboards/${dashboard.id}/sharing/`, { enabled: true })
  return Shared.parse(shared).url
}

async function ask(method: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${url}/api/projects/@current/${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body)
  })
  if (!answer.ok) {
    throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  }
  return answer.json()
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
