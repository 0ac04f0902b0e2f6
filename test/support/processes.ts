import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { until } from './until.ts'

export type Output = { code: number | null; stdout: string; stderr: string }

export type LocalService = {
  /** Everything printed until it was ready. */
  welcome: string
  url: string
  projectId: number
  token: string
  key: string
  pid: number
  /** Sends a signal to the process that was started, as a supervisor does, and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Output>
}

export function newStateDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const root = join(import.meta.dirname, '../..')
export const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))

/** Runs npm to its end, without npm's own notices. */
export const npm = (args: string[], env: Record<string, string>): Promise<Output> =>
  launch('npm', args, env).ended

/** Runs `npm run --silent <name> -- …` without npm itself, which takes half a second. */
export const runScript = (
  name: string,
  args: string[],
  env: Record<string, string>
): Promise<Output> => launchScript(name, args, env).ended

/** Starts `npm run --silent <name> -- …` in a clone, without npm itself. */
function launchScript(name: string, args: string[], env: Record<string, string>, clone = root) {
  const PATH = `${join(clone, 'node_modules/.bin')}:${process.env.PATH}`
  return launch('sh', ['-c', `${scripts[name]} "$@"`, name, ...args], { ...env, PATH }, clone)
}

/** Opens a service's only database file, `DB`, behind the service's back. A write waits up to 10 seconds for its turn. */
export function openDatabase(stateDir: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  const exclude = (path: string) => path.includes('metadata')
  const [file = ''] = globSync(join(stateDir, 'v3/d1/**/*.sqlite'), { exclude })
  return new DatabaseSync(file, { timeout: 10_000, ...options })
}

/** Returns rows of a service's database. */
export function readRows(stateDir: string, query: string): unknown[] {
  const database = openDatabase(stateDir, { readOnly: true })
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

type Launch = {
  script?: string
  options?: string[]
  clone?: string
  /** Whether npm starts the script, as it does for users. */
  byNpm?: boolean
  /** Environment variables besides the folder and the port. */
  more?: Record<string, string>
}

/** Starts `npm start`, or another long-running script, on a free port. */
export function launchService(
  stateDir: string,
  { script = 'start', options = [], clone = root, byNpm = false, more = {} }: Launch = {}
) {
  const env = { STATE_DIR: stateDir, PORT: '0', ...more }
  const launched = byNpm
    ? launch('npm', ['run', script, '--', ...options], env, clone)
    : launchScript(script, options, env, clone)
  const { child, output, stop } = stoppable(launched)
  return { pid: child.pid ?? 0, ready: readWelcome(child, output, stop), stop }
}

/** Starts a command that runs until it gets a signal. */
export const launchCommand = (
  command: string,
  args: string[],
  env: Record<string, string> = {},
  cwd = root
) => stoppable(launch(command, args, env, cwd))

function stoppable({ child, output, ended }: ReturnType<typeof launch>) {
  const stop = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return { child, output, stop }
}

async function readWelcome(
  child: ChildProcess,
  output: Omit<Output, 'code'>,
  stop: LocalService['stop']
) {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  await until(() => output.stdout.includes('Ctrl-C stops it.') || hasEnded())
  const find = (pattern: RegExp) => {
    const found = pattern.exec(output.stdout)?.[1]
    if (!found) {
      throw new Error(`The service printed:\n${output.stdout}${output.stderr}`)
    }
    return found
  }
  return {
    welcome: output.stdout,
    url: find(/answers on (\S+)/),
    projectId: Number(find(/Project +(\d+)/)),
    token: find(/export TOKEN=(\S+)/),
    key: find(/export TOKEN=\S+ KEY=(\S+)/),
    pid: child.pid ?? 0,
    stop
  }
}

/** Whether processes can be listed, as on Linux. Elsewhere, tests that need it are skipped with a notice. */
export function knowsProcesses(): boolean {
  if (process.platform === 'linux') {
    return true
  }
  // Writes directly, because the test runner hides the output of passing tests.
  writeSync(2, 'Skipped: tests that list the processes of npm start, which needs Linux.\n')
  return false
}

/** Lists the descendants of a process. */
export function descendants(pid: number): number[] {
  const children = processes().filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child.pid, ...descendants(child.pid)])
}

type Roles = { supervisor: number; host: number; runtime: number }

/** Finds a process, or one of its descendants, by a part of its command. */
const findProcess = (pid: number | undefined, part: string) =>
  pid && [pid, ...descendants(pid)].find((one) => commandOf(one).includes(part))

/** Returns the process of a service that owns the port; undefined before that is started. */
export const supervisorOf = (pid: number) => findProcess(pid, 'scripts/start.ts')

/** Returns the processes of a service by role: owner of the port, host of the runtime, and runtime. */
export async function rolesOf({ pid }: LocalService): Promise<Roles> {
  let roles: Roles | undefined
  await until(() => {
    const supervisor = supervisorOf(pid)
    const host = findProcess(supervisor, 'scripts/host.ts')
    const runtime = findProcess(host, 'workerd')
    roles = supervisor && host && runtime ? { supervisor, host, runtime } : undefined
    return roles !== undefined
  })
  if (!roles) {
    throw new Error('The service has no runtime.')
  }
  return roles
}
export type Role = keyof Roles

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export const isAlive = (pid: number) =>
  processes().some((process) => process.pid === pid && process.state !== 'Z')

function processes() {
  return readdirSync('/proc').flatMap((name) => {
    try {
      // The format is `pid (name) state parent …`; the name may contain anything.
      const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return [{ pid: Number(name), state, parent: Number(parent) }]
    } catch {
      return []
    }
  })
}

function launch(command: string, args: string[], env: Record<string, string>, cwd = root) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
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
