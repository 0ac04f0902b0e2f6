import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fireCron, openControl } from '../../../scripts/control.ts'

it('refuses requests without the token, and fires crons for requests with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const fired: string[] = []
  const control = await openControl(folder, async (cron) => void fired.push(cron))
  onTestFinished(() => control.close())
  const { url, token } = JSON.parse(readFileSync(join(folder, 'control.json'), 'utf8'))
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${url}/?cron=other`, { method: 'POST', headers })).status

  expect(await ask({})).toBe(404)
  expect(await ask({ 'x-control-token': 'x'.repeat(token.length) })).toBe(404)
  // As many characters as the token has, but more bytes.
  expect(await ask({ 'x-control-token': 'é'.repeat(token.length) })).toBe(404)
  expect(fired).toEqual([])
  await fireCron(folder, '0 5 * * SUN')
  expect(fired).toEqual(['0 5 * * SUN'])
})
