import { Buffer } from 'node:buffer'
import { AppError } from '../errors.ts'
import { isGzip, unpack } from '../input/encoding.ts'
import type { JsonObject } from '../input/json.ts'

/**
 * Bytes into which the compressed data of one request's snapshots may unpack in total: about three
 * times what a request without compression may have. Viewers unpack it in their browsers.
 */
export const MAX_UNPACKED_BYTES = 32_000_000

/**
 * Measures the data that SDKs compress within snapshots, for all snapshots of one request. A
 * snapshot with a `cv` has gzip, one character per byte, as its `data` or as members of its `data`.
 */
export class Unpacking {
  #left = MAX_UNPACKED_BYTES

  /** Unpacks what is compressed in these snapshots. Returns why they are refused, or undefined. */
  faultOf(snapshots: JsonObject[]): string | undefined {
    try {
      for (const packed of snapshots.flatMap(packedOf)) {
        this.#left -= unpack(packed, 'gzip', this.#left).byteLength
      }
      return undefined
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error
      }
      if (error.code !== 'request_too_large') {
        return 'compressed snapshots cannot be unpacked'
      }
      // What follows in the same request costs no more work.
      this.#left = 0
      return `compressed snapshots unpack to more than ${MAX_UNPACKED_BYTES} bytes`
    }
  }
}

function packedOf({ cv, data }: JsonObject): Uint8Array[] {
  if (cv === undefined) {
    return []
  }
  const values = typeof data === 'object' && data !== null ? Object.values(data) : [data]
  return values
    .filter((value) => typeof value === 'string')
    .map((value) => Buffer.from(value, 'latin1'))
    .filter(isGzip)
}
