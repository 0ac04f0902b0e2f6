import { inspect } from 'node:util'
import { LedgerError } from '../src/ledger/entry.ts'
import { stateDir } from './environment.ts'

/**
 * An error that the operator can fix, not a fault of the program. Printed as its message.
 */
export class OperatorError extends Error {}

/** Longest description of an unexpected error, in characters: the runtime's own messages include whole logs. */
const MAX_LENGTH = 600

/** Codes of errors that mean that a connection could not be made, or broke. */
const DISCONNECTED = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET'
])

/** How Node, SQLite and the Workers runtime say that a disk takes no data. On a full one, SQLite may report an I/O error. */
const UNWRITABLE =
  /\b(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR)\b|database or disk is full|disk I\/O error/

/**
 * Describes an error for the operator in a sentence, without a stack; with the environment variable `STACK`, in full.
 * Every command that fails prints this: see `entry.js`.
 */
export function describeFault(error: unknown): string {
  if (process.env.STACK) {
    return inspect(error)
  }
  if (error instanceof OperatorError || error instanceof LedgerError) {
    return error.message
  }
  if (isDiskUnwritable(error)) {
    return `The disk takes no data, probably the one with ${stateDir}: it is full or damaged. Free some space, and repeat the command.`
  }
  if (codeOf(error) === 'EISDIR') {
    return 'A folder is named where a file is needed.'
  }
  const isFileError = error instanceof Error && 'syscall' in error && 'path' in error
  return isFileError
    ? describeFileFault(codeOf(error), String(error.path))
    : describeUnexpected(causesOf(error))
}

/** Describes why a file or a folder cannot be used. */
function describeFileFault(code: string, path: string): string {
  const reasons: Record<string, string> = {
    ENOENT: `There is no ${path}.`,
    ENOTDIR: `There is no ${path}: a part of this path is a file.`,
    EEXIST: `${path} exists already.`,
    EACCES: `${path} cannot be used: its owner does not allow it.`
  }
  return reasons[code] ?? `${path} cannot be used (${code}).`
}

/** Whether an error, or one of its causes, says that a disk takes no data. */
export const isDiskUnwritable = (error: unknown): boolean =>
  causesOf(error).some((cause) => UNWRITABLE.test(messageOf(cause)))

/** Whether an error, or one of its causes, is a connection that could not be made, or broke. */
export const isDisconnected = (error: unknown): boolean =>
  causesOf(error).some((cause) => DISCONNECTED.has(codeOf(cause)))

/** Whether nobody listens at the other end of a connection. */
export const isRefused = (error: unknown): boolean =>
  causesOf(error).some((cause) => codeOf(cause) === 'ECONNREFUSED')

/** Returns an error, its cause, the cause of the cause, and so on. */
function causesOf(error: unknown): unknown[] {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? [error] : [error, ...causesOf(cause)]
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error)

/** Joins the messages of an error and its causes, from the outermost on: `fetch failed: other side closed`. */
function describeUnexpected(chain: unknown[]): string {
  const messages = chain.map((cause) => messageOf(cause).replaceAll(/\s+/g, ' ').trim())
  const text = [...new Set(messages)].join(': ').slice(0, MAX_LENGTH).replace(/\.$/, '')
  return `Unexpected error: ${text}. Put STACK=1 before the command to see where it happened.`
}
