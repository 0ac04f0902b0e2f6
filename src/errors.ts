/** The codes of all errors; `error` is any unexpected one. Statuses: `http/errors.ts`. */
export type ErrorCode =
  | 'not_authenticated'
  | 'authentication_failed'
  | 'permission_denied'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'parse_error'
  | 'required'
  | 'null'
  | 'blank'
  | 'invalid_input'
  | 'invalid_choice'
  | 'does_not_exist'
  | 'max_length'
  | 'max_value'
  | 'min_value'
  | 'query_too_large'
  | 'request_too_large'
  | 'conflict'
  | 'throttled'
  | 'unavailable'
  | 'error'

/** An error that the caller can act on. Its message is sent to the client as `detail`. */
export class AppError extends Error {
  readonly code: ErrorCode
  /** The request field at fault; nested names are joined with `__`. */
  readonly attr: string | null
  /** Additional members of the response's body. */
  readonly extra: Record<string, unknown>
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    attr: string | null = null,
    extra: Record<string, unknown> = {}
  ) {
    super(detail)
    this.code = code
    this.attr = attr
    this.extra = extra
  }
}

/** A dependency cannot do the work now; the same request may succeed later. */
export class UnavailableError extends AppError {
  override readonly retryAfter: number = 5

  constructor(detail: string, cause?: unknown) {
    super('unavailable', detail)
    this.cause = cause
  }
}

/** Too many requests. The next request is accepted in `seconds`. */
export class ThrottledError extends AppError {
  override readonly retryAfter: number

  constructor(seconds: number) {
    super('throttled', `Request was throttled. Expected available in ${seconds} seconds.`)
    this.retryAfter = seconds
  }
}

export class NotFoundError extends AppError {
  constructor(detail = 'Not found.') {
    super('not_found', detail)
  }
}

/** Waits for a promise. @returns its error if it is one of `kind` */
export const catching = <T, E extends Error>(
  kind: new (...args: never[]) => E,
  promise: Promise<T>
): Promise<T | E> =>
  promise.catch((error) => {
    if (error instanceof kind) {
      return error
    }
    throw error
  })

/** Calls `read`, and names `attr` as the refused parameter in the AppError that it may throw. */
export const naming = <T>(attr: string, read: () => T): T => renaming(read, () => attr)

/** Calls `read`, and gives the AppError that it may throw the attr that `attrOf` returns. */
export function renaming<T>(read: () => T, attrOf: (error: AppError) => string | null): T {
  try {
    return read()
  } catch (error) {
    throw withAttr(error, attrOf)
  }
}

/** Returns an error, and an AppError with the attr that `attrOf` returns. */
export function withAttr(error: unknown, attrOf: (error: AppError) => string | null): unknown {
  const attr = error instanceof AppError ? attrOf(error) : null
  return error instanceof AppError && attr !== error.attr
    ? new AppError(error.code, error.message, attr)
    : error
}

/**
 * Describes an error by its innermost cause. Drizzle's own message contains the bound values, which
 * are personal data.
 */
export function describeError(error: unknown): string {
  if (error instanceof Error && error.cause) {
    return describeError(error.cause)
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return withoutQuotes(words).slice(0, 500)
}

/**
 * Removes quoted text from a message: `JSON.parse` and SQLite quote text that they cannot parse,
 * which may be personal data.
 *
 * - `Unexpected token 'a', "ada@exa"... is not valid JSON` →
 *   `Unexpected token 'a', "…"... is not valid JSON`
 * - `bad JSON path: 'ada@example.com'` → `bad JSON path: '…'`
 */
export const withoutQuotes = (message: string): string =>
  message.replace(/".*"/s, '"…"').replace(/: '.*'/s, ": '…'")
