import type { Json } from './json.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns a UUID in lower case, or null for anything else. */
export const readUuid = (value: Json | undefined): string | null =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null
