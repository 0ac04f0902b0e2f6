import { spawnSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { linkPackages, newClone } from '../../support/clone.ts'
import { launchService, newStateDir } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/deploy.md'), 'utf8')

/** The line of the guide that gives a second deployment its names. */
const [renaming = ''] = /^sed .*deployment-shop\.toml$/m.exec(guide) ?? []

/** Makes a clone with packages, and with the settings of the second deployment. */
function newRenamed(): string {
  const clone = newClone()
  linkPackages(clone)
  expect(spawnSync('sh', ['-c', renaming], { cwd: clone }).status).toBe(0)
  return clone
}

const deployPlan = (clone: string) =>
  spawnSync(process.execPath, ['scripts/deploy.ts', '--plan'], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, DEPLOYMENT: 'deployment-shop.toml' }
  })

describe('a second deployment, by the line of the guide', () => {
  it('processes the messages of its renamed queues', async () => {
    const clone = newRenamed()
    renameSync(join(clone, 'deployment-shop.toml'), join(clone, 'wrangler.toml'))
    const { ready, stop } = launchService(newStateDir(), { clone })
    onTestFinished(async () => void (await stop('SIGTERM')))
    const { url, token, key, projectId } = await ready

    await fetch(`${url}/i/v0/e/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: token, event: '$identify', distinct_id: 'ada' })
    })

    const persons = `${url}/api/environments/${projectId}/persons/`
    await until(async () => {
      const answer = await fetch(persons, { headers: { authorization: `Bearer ${key}` } })
      return (await answer.text()).includes('"ada"')
    })
  })

  it('shares nothing with the first', () => {
    const { stdout } = deployPlan(newRenamed())

    expect(stdout).toContain('npx wrangler queues create shop-analytics-deliveries-dead ')
    expect(stdout).not.toContain('edge-analytics')
  })

  it('is refused when QUEUE_NAMES and the consumers differ', () => {
    const clone = newRenamed()
    const file = join(clone, 'deployment-shop.toml')
    const config = readFileSync(file, 'utf8')
    writeFileSync(file, config.replace(/^capture = .*$/m, 'capture = "other"'))

    const { status, stderr } = deployPlan(clone)

    expect(status).toBe(1)
    expect(stderr).toContain('QUEUE_NAMES names the queue other, but no [[queues.consumers]]')
    expect(stderr).toContain('consumes the queue shop-analytics-capture, but QUEUE_NAMES does not')
  })
})
