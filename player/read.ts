import { type JsonLimits, scan } from '../src/input/scan.ts'
import { clean } from './clean.ts'
import { fromMobile } from './mobile.ts'
import { mend } from './sound.ts'

/**
 * An event of rrweb, called a snapshot here. It is untrusted: `clean` has removed active content, and `mend` has checked what
 * rrweb relies on. Other members may have any value.
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

/**
 * The snapshots of a part. `missing` says why some of them, or all, are missing; `damaged` counts those of which something
 * cannot be shown.
 */
export type Part = { snapshots: Snapshot[]; missing: Missing | undefined; damaged: number }

/** The part cannot be loaded or a line of it cannot be read, or the recording is too large for the player. */
export type Missing = 'unreadable' | 'too large'

/** Maximum number of parts that are fetched at the same time: the awaited part and the parts after it. */
const AT_ONCE = 6

/**
 * Bytes of a recording that the player reads: of its parts, of what is unpacked, and of the values in
 * memory. A long recording takes a tenth of it. Snapshots beyond it are left out.
 */
const MAX_SIZE = 500_000_000

/** Levels of nested lists and objects in a text: `clean` calls itself for each. */
const MAX_LEVELS = 2_000

/** Bytes that are decompressed at once. They unpack to at most 1,032 times as many. */
const SLICE = 4_096

/** Counts what the player reads of a recording. */
export class Room {
  #left: number

  constructor(size = MAX_SIZE) {
    this.#left = size
  }

  /** @throws TooLarge once the recording exceeds the room */
  take(size: number): void {
    this.#left -= size
    if (this.#left < 0) {
      throw new TooLarge()
    }
  }

  /** Parses JSON, unless its values would exceed the room. @throws TooLarge, SyntaxError */
  parse(text: string): unknown {
    const limits = { depth: MAX_LEVELS, memory: this.#left, values: Number.POSITIVE_INFINITY }
    const { memory, isTooDeep } = scanWithin(text, limits)
    this.take(memory)
    if (isTooDeep) {
      throw new SyntaxError('The snapshot is nested too deeply.')
    }
    return JSON.parse(text)
  }
}

class TooLarge extends Error {}

function scanWithin(text: string, limits: JsonLimits) {
  try {
    return scan(text, limits)
  } catch {
    // Scanning refuses only what exceeds the limits.
    throw new TooLarge()
  }
}

/**
 * Loads the list of a recording's parts, as JSON, or the part that has this key.
 * @throws an error whose message viewers can read
 */
export type LoadPart = (key?: string) => Promise<string>

/** Opens a recording. @throws when the list of its parts cannot be loaded */
export async function openRecording(load: LoadPart, room = new Room()): Promise<Recording> {
  const { sources } = JSON.parse(await load()) as { sources: Source[] }
  return {
    end: Math.max(0, ...sources.map(({ end_timestamp }) => Date.parse(end_timestamp))),
    parts: readParts(
      sources.map(({ blob_key }) => blob_key),
      load,
      room
    )
  }
}

async function* readParts(keys: string[], load: LoadPart, room: Room): AsyncGenerator<Part> {
  const begun: Promise<Part>[] = []
  for (const i of keys.keys()) {
    // The first part is fetched alone, so that the player shows a page before the other parts are decoded.
    const until = i === 0 ? 1 : i + AT_ONCE
    for (const key of keys.slice(begun.length, until)) {
      begun.push(readPart(() => load(key), room))
    }
    const part = begun[i]
    if (part) {
      yield await part
    }
  }
}

async function readPart(load: () => Promise<string>, room: Room): Promise<Part> {
  // Tries a second time if the first fails.
  const text = await load()
    .catch(load)
    .catch(() => undefined)
  if (text === undefined) {
    return { snapshots: [], missing: 'unreadable', damaged: 0 }
  }
  const lines = await Promise.all(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => readLine(line, room))
  )
  const read = lines.filter((line) => typeof line === 'object').map(mend)
  return {
    snapshots: read.flatMap(({ playable }) => playable),
    missing:
      lines.find((line) => line === 'too large') ?? lines.find((line) => line === 'unreadable'),
    damaged: read.filter(({ isDamaged }) => isDamaged).length
  }
}

/** Reads a line of a part, `[window id, snapshot]`, or says why it is left out. */
async function readLine(line: string, room: Room): Promise<Snapshot | Missing> {
  try {
    room.take(line.length)
    const [window, snapshot] = room.parse(line) as [unknown, Record<string, unknown>]
    const unpacked = fromMobile(await unpack(snapshot, room))
    const { data = {}, ...rest } = clean(unpacked) as Partial<Snapshot>
    const isSnapshot = Number.isFinite(rest.type) && Number.isFinite(rest.timestamp)
    return isSnapshot && typeof data === 'object' && data !== null && !Array.isArray(data)
      ? ({ ...rest, data, window: String(window) } as Snapshot)
      : 'unreadable'
  } catch (error) {
    return error instanceof TooLarge ? 'too large' : 'unreadable'
  }
}

/**
 * Unpacks a snapshot. If it has a `cv`, the SDK has compressed its data, or some members of its data.
 * @throws TooLarge; any other error if the data cannot be unpacked
 */
async function unpack(
  snapshot: Record<string, unknown>,
  room: Room
): Promise<Record<string, unknown>> {
  const { cv, ...plain } = snapshot
  if (cv === undefined) {
    return snapshot
  }
  if (typeof plain.data === 'string') {
    return { ...plain, data: await gunzip(plain.data, room) }
  }
  const members = Object.entries(plain.data as Record<string, unknown>).map(
    async ([name, value]) => [
      name,
      typeof value === 'string' && isGzip(value) ? await gunzip(value, room) : value
    ]
  )
  return { ...plain, data: Object.fromEntries(await Promise.all(members)) }
}

/** Whether a text begins with gzip's two magic bytes, one character per byte. */
const isGzip = (text: string): boolean => text.startsWith('\x1f\x8b')

async function gunzip(text: string, room: Room): Promise<unknown> {
  const unpacked = slicesOf(text)
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          room.take(chunk.byteLength)
          controller.enqueue(chunk)
        }
      })
    )
  return room.parse(await new Response(unpacked).text())
}

/** Streams the bytes of a text, one character per byte, in slices that are read one by one. */
function slicesOf(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      const slice = text.slice(at, at + SLICE)
      if (slice === '') {
        controller.close()
        return
      }
      controller.enqueue(Uint8Array.from(slice, (char) => char.charCodeAt(0)))
      at += SLICE
    }
  })
}
