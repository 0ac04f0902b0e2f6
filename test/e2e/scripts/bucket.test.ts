import { afterAll, expect, it } from 'vitest'
import { openLocal } from '../../../scripts/local.ts'
import { newStateDir } from '../../support/processes.ts'

const service = await openLocal(newStateDir())
afterAll(() => service.close())

const create = { onlyIf: { etagDoesNotMatch: '*' } }

it("the operator's commands read and write the bucket as the service does", async () => {
  const bucket = await service.bucket()
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const before = Date.now()
  await bucket.put('a/bytes', bytes)
  await bucket.put('a/Grüße\n', JSON.stringify({ greeting: 'Grüße' }))
  await bucket.put('b/empty', '')

  const found = await bucket.get('a/bytes')

  expect(await found?.bytes()).toEqual(bytes)
  expect(found).toMatchObject({ key: 'a/bytes', size: 256, etag: expect.any(String) })
  expect(found?.uploaded.getTime()).toBeGreaterThanOrEqual(before - 1000)
  expect(await (await bucket.get('a/Grüße\n'))?.json()).toEqual({ greeting: 'Grüße' })
  expect(await (await bucket.get('b/empty'))?.text()).toBe('')
  expect([await bucket.get('none'), await bucket.head('none')]).toEqual([null, null])
  expect(await bucket.head('b/empty')).toMatchObject({ key: 'b/empty', size: 0 })

  expect(await bucket.put('b/once', 'first', create)).toMatchObject({ key: 'b/once' })
  expect(await bucket.put('b/once', 'second', create)).toBeNull()
  expect(await (await bucket.get('b/once'))?.text()).toBe('first')
})

it('lists the bucket in pages and by folder, and deletes several objects at once', async () => {
  const bucket = await service.bucket()
  const names = Array.from({ length: 12 }, (_, i) => `list/${String.fromCharCode(97 + i)}/x`)
  for (const name of names) {
    await bucket.put(name, name)
  }

  const first = await bucket.list({ prefix: 'list/', limit: 10 })
  const { cursor = '' } = first as { cursor?: string }
  const second = await bucket.list({ prefix: 'list/', cursor })
  const folders = await bucket.list({ prefix: 'list/', delimiter: '/', startAfter: 'list/j/x' })
  await bucket.delete(names.slice(1))

  expect([...first.objects, ...second.objects].map(({ key }) => key)).toEqual(names)
  expect([first.truncated, second.truncated]).toEqual([true, false])
  expect(folders.delimitedPrefixes).toEqual(['list/k/', 'list/l/'])
  expect((await bucket.list({ prefix: 'list/' })).objects.map(({ key }) => key)).toEqual([names[0]])
})

it('reports a call that the bucket refuses', async () => {
  const bucket = await service.bucket()

  await expect(bucket.put('x'.repeat(1025), '')).rejects.toThrow('object name is not valid')
})
