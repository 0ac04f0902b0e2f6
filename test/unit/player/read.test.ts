import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { openRecording, type Part, Room } from '../../../player/read.ts'
import { loadShared } from '../../../player/shared.ts'

const stops: (() => void)[] = []

afterEach(() => {
  for (const stop of stops.splice(0)) {
    stop()
  }
})

const packed = (value: unknown) => gzipSync(JSON.stringify(value)).toString('latin1')

/** Serves parts as a shared recording, and reads them as the player does, with this much room. */
async function readAll(parts: unknown[][], size: number): Promise<Part[]> {
  const server = createServer(({ url = '' }, answer) => {
    const key = new URL(url, 'http://player.example').searchParams.get('blob_key')
    const lines = parts[Number(key)]?.map((snapshot) => JSON.stringify(['window', snapshot]))
    const sources = parts.map((_, i) => ({ blob_key: String(i), end_timestamp: '2026-11-21' }))
    answer.end(key === null ? JSON.stringify({ sources }) : lines?.join('\n'))
  }).listen(0, '127.0.0.1')
  stops.push(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const recording = await openRecording(loadShared(`http://127.0.0.1:${port}`), new Room(size))
  const read: Part[] = []
  for await (const part of recording.parts) {
    read.push(part)
  }
  return read
}

const element = { type: 2, id: 2, tagName: 'html', attributes: {}, childNodes: [] }

const positions = [{ id: 2, x: 1, y: 1, timeOffset: 0 }]
const move = { type: 3, timestamp: 1, data: { source: 1, positions } }

it('unpacks what the SDK has compressed', async () => {
  const node = { type: 0, id: 1, childNodes: [element] }
  const page = { type: 2, timestamp: 1, cv: '2024-10', data: packed({ node }) }
  const adds = [{ parentId: 1, nextId: null, node: element }]
  const change = { type: 3, timestamp: 2, cv: '2024-10', data: { source: 0, adds: packed(adds) } }

  expect(await readAll([[page, change]], 10_000)).toMatchObject([
    {
      snapshots: [
        { type: 2, timestamp: 1, data: { node }, window: 'window' },
        { type: 3, timestamp: 2, data: { source: 0, adds }, window: 'window' }
      ],
      missing: undefined,
      damaged: 0
    }
  ])
})

it.each([
  ['the whole data', (text: string) => text],
  ['a member of the data', (text: string) => ({ source: 0, adds: text })]
])('stops in the middle of a bomb, and says that it left something out: %s', async (_, toData) => {
  const bomb = { ...move, cv: '2024-10', data: toData(packed('x'.repeat(50_000_000))) }

  const [first, second] = await readAll([[move], [move, bomb]], 1_000_000)

  expect(first).toMatchObject({ snapshots: [move], missing: undefined })
  expect(second).toMatchObject({ snapshots: [move], missing: 'too large' })
})

it.each([
  ['compressed', { cv: '2024-10', data: packed(Array.from({ length: 200_000 }, () => ({}))) }],
  ['plain', { data: { adds: Array.from({ length: 200_000 }, () => ({})) } }]
])('does not parse what would fill the memory of the tab: %s', async (_, bomb) => {
  const [part] = await readAll([[move, { ...move, ...bomb }]], 5_000_000)

  expect(part).toMatchObject({ snapshots: [move], missing: 'too large' })
})

it('leaves out what is too large without being compressed', async () => {
  const long = { ...move, data: { ...move.data, text: 'x'.repeat(4_000) } }

  const [part] = await readAll([[move, long, 7]], 3_000)

  expect(part).toMatchObject({ snapshots: [move], missing: 'too large' })
})

it('says that a part cannot be read', async () => {
  const torn = { ...move, cv: '2024-10', data: packed('text').slice(0, -9) }

  const [part] = await readAll([[torn, move]], 10_000)

  expect(part).toMatchObject({ snapshots: [move], missing: 'unreadable' })
})
