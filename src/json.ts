export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const encoder = new TextEncoder()

/** Length in UTF-8 bytes. */
export const byteLength = (text: string): number => encoder.encode(text).length
