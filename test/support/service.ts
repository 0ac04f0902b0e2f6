import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export type Output = { code: number | null; stdout: string; stderr: string }

export type LocalService = {
  /** All that it printed until it was ready. */
  welcome: string
  url: string
  projectId: number
  token: string
  key: string
  pid: number
  /** Sends a signal to npm, as a supervisor does, and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Output>
}

export function newStateDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs an npm script to its end. npm's own notices are left out. */
export async function npm(args: string[], env: Record<string, string>): Promise<Output> {
  return (await launch(args, env)).ended
}

/** `npm start` on a free port, ready; it is stopped with the test. */
export async function startService(stateDir: string): Promise<LocalService> {
  const { child, output, ended } = launch(['start'], { STATE_DIR: stateDir, PORT: '0' })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await until(() => output.stdout.includes('Ctrl-C stops it.') || child.exitCode !== null, 90_000)
  const find = (pattern: RegExp) => {
    const found = pattern.exec(output.stdout)?.[1]
    if (!found) throw new Error(`The service printed:\n${output.stdout}${output.stderr}`)
    return found
  }
  return {
    welcome: output.stdout,
    url: find(/answers on (\S+)/),
    projectId: Number(find(/Project id +(\S+)/)),
    token: find(/Capture token +(\S+)/),
    key: find(/API key +(\S+)/),
    pid: child.pid ?? 0,
    stop(signal) {
      child.kill(signal)
      return ended
    }
  }
}

/** Asks again until the answer is yes. */
export async function until(ask: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  for (const deadline = Date.now() + ms; !(await ask()); await sleep(100))
    if (Date.now() > deadline) throw new Error(`It did not happen in ${ms} ms: ${ask}`)
}

/** The processes that a process has started, and those have: on Linux, elsewhere none are known. */
export function descendants(pid: number): number[] {
  const children = processes().filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child.pid, ...descendants(child.pid)])
}

export const isAlive = (pid: number) => processes().some((process) => process.pid === pid && process.state !== 'Z')

function processes() {
  return readdirSync('/proc').flatMap((name) => {
    try {
      // `pid (name) state parent …`, and the name may contain anything.
      const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return [{ pid: Number(name), state, parent: Number(parent) }]
    } catch {
      return []
    }
  })
}

function launch(args: string[], env: Record<string, string>) {
  const child = spawn('npm', args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  return { child, output, ended: end(child, output) }
}

async function end(child: ChildProcess, output: Omit<Output, 'code'>): Promise<Output> {
  const code = await new Promise<number | null>((done) => child.on('close', done))
  const stderr = output.stderr.split('\n').filter((line) => !/^npm (warn|error|notice)/.test(line))
  return { code, stdout: output.stdout, stderr: stderr.join('\n') }
}
