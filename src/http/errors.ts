import type { Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { AppError, type ErrorCode, NotFoundError, withoutQuotes } from '../errors.ts'
import { log } from '../log.ts'
import type { AppEnv } from './env.ts'

/** HTTP status and `type` of each error code. */
export const ERRORS = {
  not_authenticated: [401, 'authentication_error'],
  authentication_failed: [401, 'authentication_error'],
  permission_denied: [403, 'authentication_error'],
  not_found: [404, 'invalid_request'],
  method_not_allowed: [405, 'invalid_request'],
  unsupported_media_type: [415, 'invalid_request'],
  parse_error: [400, 'invalid_request'],
  request_too_large: [413, 'invalid_request'],
  required: [400, 'validation_error'],
  null: [400, 'validation_error'],
  blank: [400, 'validation_error'],
  invalid_input: [400, 'validation_error'],
  invalid_choice: [400, 'validation_error'],
  does_not_exist: [400, 'validation_error'],
  max_length: [400, 'validation_error'],
  max_value: [400, 'validation_error'],
  min_value: [400, 'validation_error'],
  query_too_large: [400, 'validation_error'],
  conflict: [409, 'server_error'],
  throttled: [429, 'throttled_error'],
  unavailable: [503, 'server_error'],
  error: [500, 'server_error']
} satisfies Record<ErrorCode, [ContentfulStatusCode, string]>

export const ErrorJson = z
  .object({
    type: z.enum(Object.values(ERRORS).map(([, type]) => type)),
    code: z.enum(Object.keys(ERRORS)),
    detail: z.string().meta({ description: 'What is wrong, for a person to read.' }),
    attr: z
      .string()
      .nullable()
      .meta({ description: 'The field at fault; nested names are joined with `__`.' })
  })
  .meta({ id: 'ApiError', description: 'The body of every error response.' })

/**
 * Responds with an error. Errors other than `AppError` are logged, and the client learns nothing
 * about them.
 */
export function answerError(thrown: unknown, c: Context<AppEnv>): Response {
  const error = asAppError(thrown)
  const [status, type] = ERRORS[error.code]
  if (status >= 500) {
    logFailure(c, thrown)
  }
  if (status === 401) {
    c.header('WWW-Authenticate', 'Bearer')
  }
  if (error.retryAfter !== undefined) {
    c.header('Retry-After', String(error.retryAfter))
  }
  return c.json(
    { type, code: error.code, detail: error.message, attr: error.attr, ...error.extra },
    status
  )
}

function asAppError(thrown: unknown): AppError {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof AppError) {
      return error
    }
  }
  if (thrown instanceof HTTPException && thrown.status < 500) {
    return new AppError('invalid_input', thrown.message)
  }
  return new AppError('error', 'A server error occurred.')
}

/**
 * Logs names, messages and the stack. Leaves out drizzle's own messages: they contain bound values,
 * which are personal data.
 */
function logFailure(c: Context<AppEnv>, thrown: unknown): void {
  const chain = []
  for (let error = thrown; error instanceof Error; error = error.cause) {
    chain.push({
      name: error.name,
      message: error.message.startsWith('Failed query') ? undefined : withoutQuotes(error.message)
    })
  }
  const stack =
    thrown instanceof Error
      ? thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line))
      : undefined
  log('error', 'request failed', {
    request_id: c.get('requestId'),
    errors: chain,
    stack: stack?.slice(0, 8)
  })
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Responds with 404, or with 405 and `Allow` when the path exists for another method. */
export const answerUnrouted =
  (app: () => Hono<AppEnv>) =>
  (c: Context<AppEnv>): Response => {
    const hasRoute = (method: string): boolean => {
      // Also matches middleware, whose method is `ALL`.
      const [matched] = app().router.match(method, c.req.path)
      return matched.some(([[, route]]) => route.method === method)
    }
    const allowed = METHODS.filter(hasRoute)
    if (allowed.length === 0) {
      return answerError(new NotFoundError(), c)
    }
    c.header('Allow', [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', '))
    return answerError(
      new AppError('method_not_allowed', `Method "${c.req.method}" not allowed.`),
      c
    )
  }
