import { env } from 'cloudflare:workers'
import { afterAll, expect, it } from 'vitest'
import { deleteDeadLetter, insertDeadLetter } from '../../../src/dead-letters/store.ts'
import { keyOf } from '../../../src/ledger/entry.ts'
import { failingDatabase } from '../../support/bindings.ts'
import { BASE, db, newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const open = (bindings: Partial<Env> = {}) => request('GET', '/', {}, undefined, bindings)

it('the page names the service, its state and the first steps', async () => {
  const { status, headers, text } = await open()

  expect(status).toBe(200)
  expect(headers.get('Content-Type')).toMatch(/^text\/html/)
  expect(headers.get('Cache-Control')).toBe('no-store')
  expect(text).toMatch(/<title>Edge Analytics<\/title>[\s\S]*<span>Edge Analytics<\/span>/)
  expect(text).toContain('Everything is in order.')
  expect(text).toContain('<dt>Space in use</dt><dd>under 1%</dd>')
  expect(text).toContain(`&lt;script src=&quot;${BASE}/static/array.js&quot;&gt;`)
  expect([...text.matchAll(/<a href="([^"]+)"/g)].map(([, url]) => url)).toEqual([
    '/docs',
    '/openapi.json',
    '/readyz'
  ])
})

it('the page runs no script and loads nothing', async () => {
  const { headers, text } = await open()

  const policy = headers.get('Content-Security-Policy') ?? ''
  const [, nonce = ''] = /style-src 'nonce-([^']+)'/.exec(policy) ?? []
  expect(policy).toMatch(/^default-src 'none'; /)
  expect(text).toContain(`<style nonce="${nonce}">`)
  expect(text).not.toContain('<script')
})

it('the page says when a secret is missing', async () => {
  const { text } = await open({ RECEIPT_SECRET: '' })

  expect(text).toContain('The service is not ready.')
  expect(text).toContain('<dt>Secrets missing, short or changed</dt><dd>RECEIPT_SECRET</dd>')
})

it('the page says when the ledger of erasures is damaged', async () => {
  // Only databases of projects are compared with the ledger.
  await newProject()
  const afterGap = keyOf(1_000_000)
  await env.BUCKET.put(afterGap, '{}')

  const { text } = await open()
  await env.BUCKET.delete(afterGap)

  expect(text).toContain('The service is not ready.')
  expect(text).toContain('<dt>Ledger of erasures</dt><dd>damaged</dd>')
  expect((await open()).text).not.toContain('Ledger of erasures')
})

it('the page is served even if the database does not answer', async () => {
  const { status, text } = await open({ DB: failingDatabase('D1_ERROR: Network connection lost.') })

  expect(status).toBe(200)
  expect(text).toContain('The service is not ready.')
  expect(text).toMatch(/<dt>Databases<\/dt><dd>\d of \d not ready<\/dd>/)
})

it('the page counts dead letters', async () => {
  const id = crypto.randomUUID()
  await insertDeadLetter(db, {
    id,
    object: `dead/${id}.json`,
    projectId: null,
    error: 'Broken.',
    attempts: 12,
    createdAt: 0
  })

  const { text } = await open()
  // Another test expects that everything is in order, and with a dead letter it would not be.
  await deleteDeadLetter(db, id)

  expect(text).toContain('The service works, but something needs attention.')
  expect(text).toContain('<dt>Dead letters</dt><dd>1</dd>')
})
