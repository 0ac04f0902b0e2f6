import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { deploymentArgs } from './deployment.ts'
import { root } from './environment.ts'

/**
 * Node's arguments to run wrangler directly. Wrangler's launcher would start one more process with
 * the same arguments.
 */
export const WRANGLER_ARGS = [
  '--no-warnings',
  join(root, 'node_modules/wrangler/wrangler-dist/cli.js')
]

/** Beginnings of the advice that wrangler prints below an error. */
const ADVICE = /^(If you think this is a bug|To continue without logging in|🪵)/u

/** Extracts the error from wrangler's output, in one line. */
export function findFault(output: string): string {
  const text = stripVTControlCharacters(output)
  const paragraphs = (/\[ERROR\] (.*)/s.exec(text)?.[1] ?? text)
    .split(/\n\s*\n/)
    .map((part) => part.trim())
  const advice = paragraphs.findIndex((part) => ADVICE.test(part))
  return paragraphs
    .slice(0, advice < 0 ? paragraphs.length : advice)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Runs wrangler without prompts, on the deployment unless the arguments name another configuration,
 * and waits until it ends. With `show`, its output also goes to the terminal.
 */
export function wrangler(
  args: string[],
  { show = false, env }: { show?: boolean; env?: Record<string, string> } = {}
) {
  const config = args.includes('--config') ? [] : deploymentArgs()
  const child = spawn(process.execPath, [...WRANGLER_ARGS, ...args, ...config], {
    cwd: root,
    env: { ...process.env, CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk
      if (show) {
        process[name].write(chunk)
      }
    })
  }
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done({ code, ...output }))
  })
}
