import { expect, it } from 'vitest'
import { checkSecret, receiptSecret } from '../../../src/ledger/secret.ts'

it.each([
  [undefined, 'missing'],
  ['', 'missing'],
  ['\n', 'missing'],
  ['f'.repeat(31), 'too_short'],
  ['f'.repeat(32), 'ok']
])('a secret %j is %s', (secret, status) => {
  expect(checkSecret(secret)).toBe(status)
})

it.each([{}, { RECEIPT_SECRET: '' }, { RECEIPT_SECRET: 'undefined' }])(
  'a secret that is missing or short is refused: %j',
  (env) => {
    expect(() => receiptSecret(env)).toThrow('Receipts cannot be signed or verified')
  }
)

it('a valid secret is returned unchanged', () => {
  expect(receiptSecret({ RECEIPT_SECRET: 'f'.repeat(64) })).toBe('f'.repeat(64))
})
