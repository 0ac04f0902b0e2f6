import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseEnv } from 'node:util'
import { readConfig } from './config.ts'
import { root, stateDir, USUAL_DIR } from './environment.ts'
import { OperatorError } from './faults.ts'
import { startProject } from './local-project.ts'
import { readSecrets, secretsFile } from './local-secrets.ts'
import { claimState } from './lock.ts'

/** The file from which `wrangler dev` reads secrets, if nobody names another. */
const devVars = join(root, '.dev.vars')

/**
 * Prepares the usual state folder for bare `npx wrangler dev`, whose build command calls this:
 * migrates, finds or creates the project and its key, and writes `.dev.vars` if it does not exist.
 * @throws OperatorError when STATE_DIR names another folder, or a service is running on the usual
 * one
 */
export async function prepareBare(): Promise<void> {
  if (stateDir !== USUAL_DIR) {
    throw new OperatorError(
      `npx wrangler dev works on ${USUAL_DIR}, whatever STATE_DIR says. For the other folder: STATE_DIR=${stateDir} npm run dev`
    )
  }
  // Wrangler uses this folder even if a service runs on another.
  process.env.STATE_DIR = stateDir
  claimState()
  writeDevVars()
  const { project, key } = await startProject()
  console.log(`export TOKEN=${project.captureToken} KEY=${key}`)
}

/**
 * Writes the secrets of the usual state folder into `.dev.vars`, or says that the file has others.
 */
function writeDevVars(): void {
  const secrets = Object.entries(readSecrets()).filter(([name]) =>
    readConfig().secrets.required.includes(name)
  )
  if (!existsSync(devVars)) {
    const lines = secrets.map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(devVars, lines.join(''), { mode: 0o600 })
    return
  }
  const known = parseEnv(readFileSync(devVars, 'utf8'))
  const others = secrets.filter(([name, value]) => known[name] !== value).map(([name]) => name)
  if (others.length > 0) {
    console.error(
      `.dev.vars lacks the ${others.join(' and ')} of ${relative(root, secretsFile)}, without which erasures and receipts answer 503. Delete .dev.vars to have it written again.`
    )
  }
}
