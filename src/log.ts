type Level = 'info' | 'warn' | 'error'

/**
 * Logs one line of JSON. `fields` must never contain a key, a token, or values of events and
 * persons, except their uuids.
 */
export function log(level: Level, message: string, fields: Record<string, unknown>): void {
  console[level](JSON.stringify({ level, message, ...fields }))
}
