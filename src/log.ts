type Level = 'info' | 'warn' | 'error'

/** One line of JSON. Never a key, a token, or what an event or person says. */
export function log(level: Level, message: string, fields: Record<string, unknown>): void {
  console[level](JSON.stringify({ level, message, ...fields }))
}
