import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { runScript, until } from '../../support/processes.ts'
import { administer, newProject } from '../../support/service.ts'

/** Lists the files of a folder that contain a text, in UTF-8 or in UTF-16. */
function filesWith(folder: string, text: string): string[] {
  const spellings = [Buffer.from(text), Buffer.from(text, 'utf16le')]
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => {
      const path = join(folder, name)
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
        return false
      }
      const content = readFileSync(path)
      return spellings.some((spelling) => content.includes(spelling))
    })
    .sort()
}

it('nothing of an erased person stays on the disk', async () => {
  const { stateDir } = inject('service')
  const { url, projectId, token } = await newProject()
  const scope = ['--label', 'officer', '--scopes', '*', '--project', String(projectId)]
  const { key } = await administer(stateDir, 'key', 'create', ...scope)
  const name = `marie-${crypto.randomUUID()}`
  // The id of a deleted recording stays, so that parts of it that come later are refused.
  const session = crypto.randomUUID()
  const call = async (path: string, method = 'GET') =>
    fetch(`${url}/api/projects/${projectId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` }
    })
  const send = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body)
    })
    expect(response.status).toBe(200)
  }
  await send('/batch/', {
    api_key: token,
    batch: Array.from({ length: 300 }, (_, n) => ({
      event: 'viewed page',
      distinct_id: name,
      properties: {
        $current_url: `https://shop.example/orders/${name}/${n}`,
        $session_id: session,
        $set: { email: `${name}@example.com`, orders: n }
      }
    }))
  })
  await send('/s/', {
    event: '$snapshot',
    properties: {
      token,
      distinct_id: name,
      $session_id: session,
      $window_id: name,
      $snapshot_data: [
        { type: 4, timestamp: Date.now(), data: { href: `https://shop.example/${name}` } }
      ]
    }
  })
  await until(async () => (await call(`session_recordings/${session}/`)).status === 200)
  const persons = async () =>
    ((await (await call(`persons/?distinct_id=${name}`)).json()) as { results: { id: number }[] })
      .results
  await until(async () => (await persons()).length === 1)
  expect(filesWith(stateDir, name)).not.toEqual([])

  const [person] = await persons()
  const erased = await call(
    `persons/${person?.id}/?delete_events=true&delete_recordings=true`,
    'DELETE'
  )
  expect(erased.status).toBe(204)
  const env = { STATE_DIR: stateDir, PORT: new URL(url).port }
  // The simulator reports to stderr that a database was busy, although the command then tries again.
  expect(await runScript('purge:now', [], env)).toMatchObject({ code: 0 })

  expect(filesWith(stateDir, name)).toEqual([])
})
