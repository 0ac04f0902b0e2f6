import type { Json } from '../input/json.ts'

/** A number for each row: the place of its value in a list. */
export type Codes = Uint8Array | Uint16Array | Uint32Array

/** A value for each row; each different value is kept once. Row i has `values[codes[i]]`; null means that it has no value. */
export type Column = { codes: Codes; values: readonly Json[] }
