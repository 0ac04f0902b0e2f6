import { clean } from './clean.ts'

/**
 * An event of rrweb, called a snapshot here. It is untrusted: `clean` has removed active content, and `type`, `timestamp` and
 * `data` have been checked. Other members may have any value.
 */
export type Snapshot = {
  type: number
  timestamp: number
  data: Record<string, unknown>
  /** The id of the browser's window or tab. */
  window: string
}

/** A part, as the list of a recording's parts describes it. */
type Source = { blob_key: string; end_timestamp: string }

/** A recording that is being loaded. */
export type Recording = {
  /** End of the recording, ms UTC. */
  end: number
  /** The parts of the recording, earliest first. */
  parts: AsyncIterable<Part>
}

/** The snapshots of a part. `isWhole` is false if the part cannot be loaded, or a line of it cannot be read. */
export type Part = { snapshots: Snapshot[]; isWhole: boolean }

/** Maximum number of parts that are fetched at the same time: the awaited part and the parts after it. */
const AT_ONCE = 6

/** Opens a shared recording. @throws when the list of its parts cannot be loaded */
export async function openRecording(address: string): Promise<Recording> {
  const answer = await fetch(`${address}/snapshots`, { headers: { Accept: 'application/json' } })
  if (!answer.ok) {
    throw new Error(
      answer.status === 404
        ? 'This recording is no longer shared.'
        : 'This recording cannot be loaded now. Try again later.'
    )
  }
  const { sources } = (await answer.json()) as { sources: Source[] }
  return {
    end: Math.max(0, ...sources.map(({ end_timestamp }) => Date.parse(end_timestamp))),
    parts: readParts(sources.map(({ blob_key }) => `${address}/snapshots?blob_key=${blob_key}`))
  }
}

async function* readParts(addresses: string[]): AsyncGenerator<Part> {
  const begun: Promise<Part>[] = []
  for (const i of addresses.keys()) {
    // The first part is fetched alone, so that the player shows a page before the other parts are decoded.
    const until = i === 0 ? 1 : i + AT_ONCE
    for (const address of addresses.slice(begun.length, until)) {
      begun.push(readPart(address))
    }
    const part = begun[i]
    if (part) {
      yield await part
    }
  }
}

async function readPart(address: string): Promise<Part> {
  // Tries a second time if the first fails.
  const text = (await load(address)) ?? (await load(address))
  const lines = text?.split('\n').filter(Boolean) ?? []
  const snapshots = (await Promise.all(lines.map(readLine))).filter(
    (snapshot) => snapshot !== undefined
  )
  return { snapshots, isWhole: text !== undefined && snapshots.length === lines.length }
}

async function load(address: string): Promise<string | undefined> {
  try {
    const answer = await fetch(address)
    return answer.ok ? await answer.text() : undefined
  } catch {
    return undefined
  }
}

/** Reads a line of a part: `[window id, snapshot]`. @returns undefined if the line cannot be read */
async function readLine(line: string): Promise<Snapshot | undefined> {
  try {
    const [window, snapshot] = JSON.parse(line)
    const { data = {}, ...rest } = clean(await unpack(snapshot)) as Partial<Snapshot>
    const isSnapshot = Number.isFinite(rest.type) && Number.isFinite(rest.timestamp)
    return isSnapshot && typeof data === 'object' && data !== null
      ? ({ ...rest, data, window: String(window) } as Snapshot)
      : undefined
  } catch {
    return undefined
  }
}

/** Unpacks a snapshot. If it has a `cv`, the SDK has compressed its data, or some members of its data. */
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
