import { z } from 'zod'
import { AppError } from '../errors.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

const Whole = z
  .string()
  .regex(/^\d{1,15}$/, 'A valid integer is required.')
  .transform(Number)

/** `limit` is what was asked for; a page holds at most 1000. `cursor` continues where the page before it ended. */
export const PageQuery = z.object({
  limit: Whole.refine((limit) => limit > 0, 'Ensure this value is greater than or equal to 1.').optional(),
  offset: Whole.default(0),
  cursor: z.string().max(500).optional()
})

export const pageSize = (limit: number | undefined): number => Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT)

type Page<T> = {
  results: T[]
  count: number
  size: number
  offset: number
  hasMore: boolean
  cursor?: string | undefined
}

/** The envelope of every list. Links are absolute and keep the other parameters of the request's URL. */
export function pageOf<T>(url: string, { results, count, size, offset, hasMore, cursor }: Page<T>) {
  const link = (to: number, parameters: Record<string, string>) => {
    const target = new URL(url)
    for (const name of ['limit', 'offset', 'cursor']) target.searchParams.delete(name)
    target.searchParams.set('limit', String(size))
    if (to > 0) target.searchParams.set('offset', String(to))
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
    return target.href
  }
  return {
    count,
    next: hasMore ? link(offset + size, cursor ? { cursor } : {}) : null,
    previous: offset > 0 ? link(Math.max(0, offset - size), {}) : null,
    results
  }
}

/** Opaque to clients: base64url of JSON. */
export const encodeCursor = (value: unknown): string =>
  btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

/** @throws invalid_input, attr `cursor` */
export function decodeCursor<S extends z.ZodType>(schema: S, cursor: string): z.output<S> {
  try {
    return schema.parse(JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))))
  } catch {
    throw new AppError('invalid_input', 'This cursor was not made by this service.', 'cursor')
  }
}
