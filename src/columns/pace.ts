/** Maximum number of rows of one read, and of bytes of their properties. A read takes 10 to 20 ms. */
export const READ_AT_ONCE = { maxRows: 2_000, maxBytes: 1_000_000 }

/** Pause after a statement, as a multiple of the statement's duration, so that other requests get the database. */
export const REST = 3
