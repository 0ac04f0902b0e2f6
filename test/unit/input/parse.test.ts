import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseInput } from '../../../src/input/parse.ts'

const Body = z.object({ interval: z.enum(['day', 'week']) })

describe('a value that is not one of the choices', () => {
  it.each([
    ['daily', 'daily'],
    ['7', 7],
    ['true', true],
    ['["day"]', ['day']],
    ['{"toString":0}', { toString: 0 }],
    [`${'x'.repeat(100)}…`, 'x'.repeat(100_000)]
  ])('is quoted in the error, up to 100 characters: %s', (quoted, interval) => {
    expect(() => parseInput(Body, { interval })).toThrow(
      expect.objectContaining({
        code: 'invalid_choice',
        attr: 'interval',
        message: `"${quoted}" is not a valid choice. Choices: day, week.`
      })
    )
  })
})
