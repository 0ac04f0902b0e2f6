import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { startExample } from './example.ts'
import { root } from './local.ts'

/*
 * `npm run screenshots` takes pictures of pages for docs/, or for the folder named as its argument: it
 * starts a service with the demo's data, and opens the pages in Chromium.
 */

const [folder = join(root, 'docs')] = process.argv.slice(2)

/** A moment of the demo's recording at which its page shows something, in seconds. */
const MOMENT = 91

const { env, stop } = await startExample()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox']
})
try {
  const recording = await shareRecording()
  await take(recording, { file: 'player.png', width: 1280, height: 720 })
  await take(recording, { file: 'player-phone.png', width: 375, height: 700 })
} finally {
  await browser.close()
  await stop()
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

async function take(
  address: string,
  { file, width, height }: { file: string; width: number; height: number }
): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.goto(`${address}#t=${MOMENT}`)
  await page.waitForSelector('#moments li')
  await page.click('#play')
  await page.screenshot({ path: join(folder, file) })
  await page.close()
}
