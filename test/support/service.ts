import { inject, onTestFinished } from 'vitest'
import { explain, type Open, readCommand, runCommand } from '../../scripts/admin/run.ts'
import { openLocal, type Service } from '../../scripts/local.ts'
import { type LocalService, launchService, type Output } from './processes.ts'

/** Runs a command like scripts/admin.ts, but in this process. */
export async function runAdmin(words: string[], open: Open): Promise<Output> {
  try {
    return { code: 0, stdout: await runCommand(readCommand(words), open), stderr: '' }
  } catch (error) {
    return { code: 1, stdout: '', stderr: String(explain(error, words[0] ?? '')) }
  }
}

/** The databases of the shared service. Each worker process opens them once, because opening starts a runtime. */
let shared: Promise<Service> | undefined

async function open(stateDir: string): Promise<Service> {
  if (stateDir !== inject('service').stateDir) {
    return openLocal(stateDir)
  }
  shared ??= openLocal(stateDir)
  return { ...(await shared), close: async () => {} }
}

/** Runs an operator's command on a state folder. @returns its answer @throws an error with its output if it fails */
export async function administer(stateDir: string, ...words: string[]) {
  const { code, stdout, stderr } = await runAdmin([...words, '--json'], () => open(stateDir))
  if (code !== 0) {
    throw new Error(stderr)
  }
  return JSON.parse(stdout)
}

/** Creates a project in the shared service as an operator would, with a key to its persons. */
export async function newProject(settings = ['--recording', 'on']) {
  const { url, stateDir } = inject('service')
  const project = await administer(stateDir, 'project', 'create', '--name', 'Shop', ...settings)
  const scope = [
    '--label',
    'test',
    '--scopes',
    'person:read,session_recording:read',
    '--project',
    String(project.id)
  ]
  const { key } = await administer(stateDir, 'key', 'create', ...scope)
  return {
    url,
    projectId: Number(project.id),
    token: String(project.capture_token),
    key: String(key)
  }
}

/** Starts `npm start` on a free port, waits until it is ready, and stops it with the test. */
export async function startService(stateDir: string): Promise<LocalService> {
  const started = launchService(stateDir)
  onTestFinished(async () => void (await started.stop('SIGTERM')))
  return started.ready
}
