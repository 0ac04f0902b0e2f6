import { expect, it } from 'vitest'
import { request } from '../../support/project.ts'

it('anyone may read /openapi.json, also a page of another site', async () => {
  const { status, headers, body } = await request('GET', '/openapi.json', {
    Origin: 'https://shop.example'
  })

  expect([status, body.openapi]).toEqual([200, '3.1.1'])
  expect(headers.get('Access-Control-Allow-Origin')).toBe('https://shop.example')
})

it('the reference lists its server, and no schema is named `Error`, which many languages define', async () => {
  const { body } = await request('GET', '/openapi.json')

  expect(body.servers).toEqual([{ url: '/' }])
  expect(Object.keys(body.components.schemas)).toContain('ApiError')
  expect(Object.keys(body.components.schemas)).not.toContain('Error')
})

it('an undocumented answer fails the test that requests it', async () => {
  const asked = request('GET', '/readyz', {}, undefined, { DATABASE_MAX_BYTES: '-1' })

  await expect(asked).rejects.toThrow('to deeply equal []')
})

it('/docs allows only its own scripts and styles', async () => {
  const [first, second] = [await request('GET', '/docs'), await request('GET', '/docs/')]

  const policy = first.headers.get('Content-Security-Policy') ?? ''
  const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? []
  const loaded = [...first.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url)
  const inline = [...first.text.matchAll(/<script(?! src)([^>]*)>/g)].map(
    ([, attributes]) => attributes
  )

  expect([first.status, second.status]).toEqual([200, 200])
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'self' 'nonce-([0-9a-f-]{36})'; .*; script-src 'self' 'nonce-\1'; /
  )
  expect(policy).not.toMatch(/unsafe|http/)
  expect(second.headers.get('Content-Security-Policy')).not.toContain(nonce)
  expect(inline).toEqual([` nonce="${nonce}"`])
  expect(loaded).toEqual([
    expect.stringMatching(/^data:image\/svg/),
    '/docs/swagger-ui.css',
    '/',
    '/openapi.json',
    '/openapi.json',
    '/docs/swagger-ui-bundle.js'
  ])
})
