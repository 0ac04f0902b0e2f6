import { clean } from './clean.ts'

/** A snapshot of rrweb. Events of a recording are untrusted, so only these members are known. */
export type Snapshot = { type: number; timestamp: number; data: Record<string, unknown> }

type Source = { blob_key: string }

/** Parts that are fetched at the same time. */
const AT_ONCE = 6

/** Fetches all snapshots of a shared recording, in the order of time. @throws when the link no longer works */
export async function readRecording(address: string): Promise<Snapshot[]> {
  const answer = await fetch(`${address}/snapshots`, { headers: { Accept: 'application/json' } })
  if (!answer.ok) {
    throw new Error('This recording is no longer shared.')
  }
  const { sources } = (await answer.json()) as { sources: Source[] }
  const parts: Snapshot[][] = new Array(sources.length)
  let next = 0
  const work = async () => {
    while (next < sources.length) {
      const i = next
      next += 1
      parts[i] = await readPart(`${address}/snapshots?blob_key=${sources[i]?.blob_key}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return parts.flat().sort((a, b) => a.timestamp - b.timestamp)
}

async function readPart(address: string): Promise<Snapshot[]> {
  const answer = await fetch(address)
  if (!answer.ok) {
    return []
  }
  const lines = (await answer.text()).split('\n').filter(Boolean)
  return Promise.all(lines.map(readLine))
}

async function readLine(line: string): Promise<Snapshot> {
  const [, snapshot] = JSON.parse(line)
  return clean(await unpack(snapshot)) as Snapshot
}

/** Unpacks a snapshot that the SDK compressed: all of its data, or some members of a mutation. */
export async function unpack(snapshot: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { cv, ...plain } = snapshot
  if (cv === undefined) {
    return snapshot
  }
  if (typeof plain.data === 'string') {
    return { ...plain, data: await gunzip(plain.data) }
  }
  const members = Object.entries(plain.data as Record<string, unknown>).map(
    async ([name, value]) => [
      name,
      typeof value === 'string' && isGzip(value) ? await gunzip(value) : value
    ]
  )
  return { ...plain, data: Object.fromEntries(await Promise.all(members)) }
}

/** Whether a text begins with gzip's two magic bytes, one character per byte. */
const isGzip = (text: string): boolean => text.startsWith('\x1f\x8b')

async function gunzip(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).json()
}
