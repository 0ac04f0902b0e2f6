import type { Json } from '../input/json.ts'

/** A number for each row: the place of its value in a list. */
export type Codes = Uint8Array | Uint16Array | Uint32Array

/** A value for each row, each different one once: row i has `values[codes[i]]`, null for none. */
export type Column = { codes: Codes; values: readonly Json[] }
