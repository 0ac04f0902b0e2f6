import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_LEVELS, readExactly } from '../../../src/capture/body.ts'

const read = (text: string) => readExactly(new Response(text))

/** A number as a text in JSON, among them some that no double holds. */
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    '-0',
    '1e400',
    '1e16',
    '1e+21',
    '0.99999999999999999999',
    '1.0',
    '9007199254740992'
  )
)
const name = fc.constantFrom('distinct_id', 'alias', 'n', '7', '__proto__', '\\u0061', 'a')

/** JSON texts without white space, among them some whose members repeat a name. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    number,
    fc.constantFrom('true', 'null', '""', '"\\ud800"', '"\\/"', '":[12345678901234567890"'),
    fc
      .array(fc.tuple(name, tie('json')), { maxLength: 4 })
      .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join()}]`)
  )
}))

describe('a body', () => {
  it('is read alike, as `JSON.stringify` writes it or with white space', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        expect(await read(`{"properties":${value}}`)).toEqual(
          await read(`{ "properties":${value}}`)
        )
      })
    )
  })

  it.each([
    ['{"distinct_id":9007199254740992}', { distinct_id: '9007199254740992' }],
    ['{"distinct_id":12345678901234567000}', { distinct_id: '12345678901234567000' }],
    ['{"distinct_id":123456789012345}', { distinct_id: 123456789012345 }]
  ])('keeps the digits of %s', async (text, expected) => {
    expect((await read(text)).json).toEqual(expected)
  })

  it.each([MAX_LEVELS, MAX_LEVELS + 1])(
    'is refused if nested deeper than the limit: %i',
    async (levels) => {
      const nested = '['.repeat(levels) + ']'.repeat(levels)

      const outcome = await read(nested).then(
        () => 'read',
        (error: Error) => error.message
      )

      expect(outcome).toBe(
        levels > MAX_LEVELS ? `failed to parse request: nested deeper than ${MAX_LEVELS}` : 'read'
      )
    }
  )
})
