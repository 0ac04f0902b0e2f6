import type { Json } from './json.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns a UUID in lower case, or null for anything else. */
export const readUuid = (value: Json | undefined): string | null =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null

/** Returns the 32 digits of a UUID: `01a1fc87-dc26-…` gives `01a1fc87dc26…`. */
export const uuidToHex = (uuid: string): string => uuid.replaceAll('-', '')

/** Returns the UUID with these 32 digits, in lower case. */
export const uuidFromHex = (hex: string): string =>
  hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
