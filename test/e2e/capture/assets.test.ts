import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, inject, it } from 'vitest'

const manifest = createRequire(import.meta.url).resolve('posthog-js/package.json')
const sdk = dirname(manifest)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

it('the scripts of the browser SDK are served to pages of every site, whatever version they request', async () => {
  const { url } = inject('service')

  for (const [path, file] of [
    ['/static/array.js', 'dist/array.js'],
    ['/static/lazy-recorder.js?v=1.300.0', 'dist/lazy-recorder.js'],
    [`/static/${version}/lazy-recorder.js`, 'dist/lazy-recorder.js'],
    [`/static/${version}/surveys.js`, 'dist/surveys.js'],
    ['/static/recorder-v2.js?v=1.205.0', 'dist/recorder-v2.js'],
    ['/static/LICENSE.txt', 'LICENSE']
  ] as const) {
    const response = await fetch(url + path, { headers: { Origin: 'https://shop.example' } })
    expect(response.status, path).toBe(200)
    expect(await response.text(), path).toBe(readFileSync(join(sdk, file), 'utf8'))
    expect(Object.fromEntries(response.headers), path).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300'
    })
  }
})

it('any other path gets a 404 that pages of every site can read', async () => {
  const { url } = inject('service')

  for (const path of [
    '/static/nothing.js',
    `/static/${version}/nothing.js`,
    '/static/module.js',
    '/_headers'
  ]) {
    const response = await fetch(url + path, { headers: { Origin: 'https://shop.example' } })
    expect(response.status, path).toBe(404)
    expect(response.headers.get('Access-Control-Allow-Origin'), path).not.toBeNull()
  }
})
