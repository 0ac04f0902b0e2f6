import { expect, it } from 'vitest'
import { request } from '../../support/project.ts'

const MEGABYTE = new Uint8Array(1_000_000)

const bytesOf = async (body: BodyInit) => new Uint8Array(await new Response(body).arrayBuffer())

const gzip = (parts: Uint8Array<ArrayBuffer>[]) =>
  bytesOf(new Blob(parts).stream().pipeThrough(new CompressionStream('gzip')))

/** A gzip file of `members` times 100 MB of zeros. */
async function newBomb(members: number) {
  const member = await gzip(Array.from({ length: 100 }, () => MEGABYTE))
  return bytesOf(new Blob(Array.from({ length: members }, () => member)))
}

it.each([
  ['300 MB', () => newBomb(3)],
  ['9 GB, packed twice', async () => gzip([await newBomb(90)])]
])('a gzip bomb is refused when the cap is unpacked: %s', async (_, make) => {
  const bomb = await make()

  const { status, body } = await request('POST', '/e/', { 'Content-Type': 'text/plain' }, bomb)

  expect(bomb.byteLength).toBeLessThan(300_000)
  expect([status, body]).toEqual([
    413,
    {
      type: 'invalid_request',
      code: 'request_too_large',
      detail: 'maximum request size exceeded: 10000000 bytes',
      attr: null
    }
  ])
})
