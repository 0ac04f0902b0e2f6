import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './environment.ts'

/** Starts a service on a new folder, to take pictures of it. Commands with the returned `env` work on this service. */
export async function startExample() {
  const stateDir = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  const env = { ...process.env, STATE_DIR: stateDir, PORT: '0' }
  const service = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 2]
  })
  const closed = once(service, 'close')
  const stop = async () => {
    service.kill('SIGTERM')
    await closed
    rmSync(stateDir, { recursive: true })
  }
  const welcome = await readWelcome(service.stdout ?? []).catch(async (error) => {
    await stop()
    throw error
  })
  return { ...welcome, env: { ...env, PORT: new URL(welcome.url).port }, stop }
}

async function readWelcome(output: Iterable<unknown> | AsyncIterable<unknown>) {
  let printed = ''
  for await (const chunk of output) {
    printed += chunk
    const [, url, token, key] =
      /answers on (\S+)[\s\S]*export TOKEN=(\S+) KEY=(\S+)/.exec(printed) ?? []
    if (url && token && key) {
      return { url, token, key }
    }
  }
  throw new Error(`The service did not start:\n${printed}`)
}
