import { LedgerError } from '../src/ledger/entry.ts'

/**
 * An error that the operator can fix, not a fault of the program. Printed without a stack trace.
 */
export class OperatorError extends Error {}

/**
 * Describes an error for the operator. An error that the operator can fix, such as a missing file,
 * is only its message; a fault of the program includes its stack.
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error)
  }
  const isFileError = 'syscall' in error && 'path' in error
  return error instanceof OperatorError || error instanceof LedgerError || isFileError
    ? error.message
    : (error.stack ?? error.message)
}
