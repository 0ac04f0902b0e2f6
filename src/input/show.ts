/** Quotes a name for an error message, cut to 100 characters. */
export const showName = (name: string): string => JSON.stringify(name.slice(0, 100))

/** Returns a value as JSON for an error message, cut to 100 characters. */
export const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100)
